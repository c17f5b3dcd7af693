"""The sentences of the tile map, and its numbers in words."""

from __future__ import annotations

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_reuse import Reuse
from workbench.session.lenses.tiles.panel import Panel
from workbench.session.lenses.tiles.waves import BlockWaves

_LEAST = 0.0005  # of needless work that is told


def conclusion_of(
    label: str,
    blocks: int,
    waves: BlockWaves | None,
    why: str,
    panel: Panel,
    needless: float | None,
    reuse: Reuse | None,
    then: float | None,
) -> str:
    """What the map comes to: waves, partial tiles, reuse and what would be better."""
    count = f"{blocks:,} block{'s' * (blocks != 1)}"
    first = (
        f"{count} on {label}: how many run at once is unknown, as {why}."
        if waves is None
        else _waves(count, label, waves)
    )
    rest = [_edges(panel, needless), _reuse(reuse, waves, then)]
    return " ".join([first, *(each for each in rest if each)])


def swizzle_call(swizzle: Rasterization) -> str:
    """The call that asks for an order."""
    order = "" if swizzle.order == "row" else f', order="{swizzle.order}"'
    return f"use_swizzle({swizzle.panel}{order})"


def times(factor: float | None) -> str:
    """A factor of reuse."""
    if factor is None:
        return "unknown"
    return f"{factor:.1f} ×" if factor < 100 else f"{factor:,.0f} ×"


def _waves(count: str, label: str, waves: BlockWaves) -> str:
    least = "" if waves.exact else "at least "
    word = waves.word
    if waves.count == 1:
        idle = f" and leave {waves.idle} of {waves.cores} {word}s idle" if waves.idle else ""
        held = "run at once" if waves.exact else "may run at once"
        return f"{count} {held if waves.blocks > 1 else 'runs'} on {label}{idle}."
    end = (
        f"the last leaves {waves.idle} of {waves.cores} {word}s idle"
        if waves.idle
        else f"the last fills {waves.last / waves.capacity:.0%} of the places"
        if waves.last < waves.capacity
        else "the last is full"
    )
    return f"{count} run in {least}{waves.count:,} waves on {label}; {end}."


def _edges(panel: Panel, needless: float | None) -> str:
    if needless is None or needless < _LEAST:
        return ""
    bottom, right = (share > 0 for share in panel.outside)
    edges = [name for name, partial in (("right", right), ("bottom", bottom)) if partial]
    where = f"at the {' and '.join(edges)} edge " if edges else ""
    return f"Tiles {where}are partial: {needless:.1%} needless work.".replace("%", " %")


def _reuse(reuse: Reuse | None, waves: BlockWaves | None, then: float | None) -> str:
    if reuse is None or reuse.factor is None or waves is None or then is None:
        return ""
    return (
        f"A wave asks the L2 for each byte {reuse.factor:.1f} times on average; "
        f"another order of blocks would make it {then:.1f}."
    )
