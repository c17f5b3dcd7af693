"""The sentences of the tile map, and its numbers in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileRegions
from workbench.core.analysis.tile_reuse import Reuse
from workbench.core.analysis.tile_steps import Block
from workbench.session.lenses.tiles.panel import Panel
from workbench.session.lenses.tiles.waves import BlockWaves


@dataclass(frozen=True)
class Offer:
    """What T.use_swizzle would give: what waves all over the launch read now, and then."""

    swizzle: Rasterization
    now: Reuse
    then: Reuse


_NARROW = "\N{NO-BREAK SPACE}"
_ONCE = 1.05  # a factor of reuse below which nothing is shared
_LEAST = 0.0005  # of needless work that is told


def conclusion_of(
    label: str,
    blocks: int,
    waves: BlockWaves | None,
    why: str,
    panel: Panel,
    needless: float | None,
    reuse: Reuse | None,
    offer: Offer | None,
) -> str:
    """What the map comes to: waves, partial tiles, reuse and what would be better."""
    count = f"{blocks:,} block{'s' * (blocks != 1)}"
    first = (
        f"{count} on {label}: how many run at once is unknown, as {why}."
        if waves is None
        else _waves(count, label, waves)
    )
    rest = [_edges(panel, needless), _reuse(reuse, waves, offer)]
    return " ".join([first, *(each for each in rest if each)])


def swizzle_call(swizzle: Rasterization) -> str:
    """The call that asks for an order."""
    order = "" if swizzle.order == "row" else f', order="{swizzle.order}"'
    return f"use_swizzle({swizzle.panel}{order})"


def block_text(regions: TileRegions, names: Sequence[str], block: Block) -> str:
    """A block by the indices that its grid has: `bx 9, by 12`, or by the document's names."""
    wide = [n for n in range(3) if regions.grid[n] > 1] or [0]
    count = wide[-1] + 1
    known = names if len(names) >= count else BLOCK_NAMES
    return ", ".join(f"{known[n]} {block[n]}" for n in range(count))


def times(factor: float | None) -> str:
    """A factor of reuse."""
    if factor is None:
        return "unknown"
    return f"{factor:.1f}{_NARROW}×" if factor < 100 else f"{factor:,.0f}{_NARROW}×"


def _waves(count: str, label: str, waves: BlockWaves) -> str:
    word = waves.word
    if waves.count == 1:
        idle = f" and leave {waves.idle} of {waves.cores} {word}s idle" if waves.idle else ""
        if waves.blocks <= waves.cores or waves.exact:
            return f"{count} run{'s' * (waves.blocks == 1)} at once on {label}{idle}."
        return f"{count} may all run at once on {label}; registers, not known yet, decide."
    end = (
        f"the last leaves {waves.idle} of {waves.cores} {word}s idle"
        if waves.idle
        else f"the last fills {_percent(waves.last / waves.capacity, 0)} of the places"
        if waves.last < waves.capacity
        else "the last is full"
    )
    least = "" if waves.exact else "at least "
    return f"{count} run in {least}{waves.count:,} waves on {label}; {end}."


def _percent(share: float, digits: int = 1) -> str:
    return f"{share * 100:.{digits}f}{_NARROW}%"


def _edges(panel: Panel, needless: float | None) -> str:
    if needless is None or needless < _LEAST:
        return ""
    bottom, right = (share > 0 for share in panel.outside)
    edges = [name for name, partial in (("right", right), ("bottom", bottom)) if partial]
    where = f"at the {' and '.join(edges)} edge " if edges else ""
    return f"Tiles {where}are partial: {_percent(needless)} needless work."


def _reuse(reuse: Reuse | None, waves: BlockWaves | None, offer: Offer | None) -> str:
    if reuse is None or reuse.factor is None or waves is None:
        return ""
    place = "the wave" if waves.count == 1 else "a wave"
    if offer is not None and offer.then.factor is not None:
        better = f"T.{swizzle_call(offer.swizzle)} would make it {times(offer.then.factor)}"
        return f"L2 reuse in {place} is {times(reuse.factor)}; {better}."
    if reuse.factor < _ONCE:
        return f"No byte is read twice in {place}."
    return f"L2 reuse in {place} is {times(reuse.factor)}."
