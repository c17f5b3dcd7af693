"""The numbers beside the tile map: the block, what it moves at the step, what its wave reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.analysis.tile_reuse import Reuse
from workbench.core.figures import size
from workbench.session.lenses.tiles.picture import TileMap, TilesAt
from workbench.session.lenses.tiles.words import block_text, times


@dataclass(frozen=True)
class TileFigure:
    """A number under its label, with more about it beside it and in a tip."""

    label: str
    value: str
    rest: str = ""
    tip: str = ""


def tile_figures(found: TileMap, at: TilesAt) -> tuple[TileFigure, ...]:
    """All numbers of a block at a step."""
    return (_block(found, at), *_moved(at), *_wave(found, at))


def _block(found: TileMap, at: TilesAt) -> TileFigure:
    waves = found.waves
    wave = f", wave {at.wave + 1:,} of {waves.count:,}" if waves and at.wave is not None else ""
    tip = "Blocks start in the order of their numbers, x fastest; T.use_swizzle moves their work."
    if waves is not None:
        tip += (
            f"\nA wave is what {waves.model} runs at once: {waves.per_core} on each of its "
            f"{waves.cores} {waves.word}s."
        )
    return TileFigure(
        "Block",
        block_text(found.regions, found.names, at.block),
        f"number {at.number:,}{wave}",
        tip,
    )


def _moved(at: TilesAt) -> Iterator[TileFigure]:
    for label, moved in (("Reads at this step", at.reads), ("Writes at this step", at.writes)):
        if moved:
            total = f"{'≤ ' if at.at_most else ''}{size(sum(n for _, n in moved))}"
            parts = " + ".join(f"{name} {size(n)}" for name, n in moved)
            tip = (
                "Bytes within the tensors: what of a tile lies outside is neither read nor written."
            )
            yield TileFigure(label, total, parts if len(moved) > 1 else moved[0][0], tip)
    unknown = [each.view for each in at.inputs if each.view.unknown is not None]
    for view in unknown[:1]:
        yield TileFigure(f"Reads of {view.tensor.name}", "unknown", "", view.unknown or "")


def _wave(found: TileMap, at: TilesAt) -> Iterator[TileFigure]:
    reuse = at.wave_reuse
    if reuse is None or found.waves is None or not reuse.tensors:
        return
    tiles = " + ".join(f"{each.first_tiles:,}" for each in reuse.tensors)
    names = ", ".join(each.tensor for each in reuse.tensors)
    yield TileFigure(
        "Different tiles a step",
        tiles,
        f"of {names}",
        "Tiles that the blocks of this wave read at the same step, each counted once.",
    )
    yield TileFigure("L2 reuse in the wave", times(reuse.factor), _bytes(reuse), _reuse_tip(reuse))


def _bytes(reuse: Reuse) -> str:
    return f"{size(reuse.asked_bytes)} asked, {size(reuse.distinct_bytes)} different"


def _reuse_tip(reuse: Reuse) -> str:
    lines = [
        f"{each.tensor}: {each.reads:,} tiles asked for, {each.distinct:,} different"
        for each in reuse.tensors
    ]
    return "\n".join(["How often the wave's blocks ask for each byte.", *lines])
