"""Bulk copies of a part of a tile whose rows do not lie one behind the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic
from workbench.core.figures import size
from workbench.engine.doctor.needs import Needs, bytes_of, finding_of
from workbench.engine.doctor.tiles import Tile

_STAGE = "analysis"


def torn_rows(needs: Needs) -> Iterator[Diagnostic]:
    """Copies of a part of a tile in one run of bytes that reaches beyond a row of that part."""
    runs = [each for each in needs.code.instructions if each.found.form == "tma"]
    for op in needs.program.of_kind("copy"):
        for name, shape in zip(op.tiles, op.shapes, strict=False):
            tile = needs.program.tiles.get(name)
            if tile is None or "shared" not in tile.scope:
                continue
            row = _run_bytes(tile, shape)
            moved = [
                each.found.width_bytes
                for each in runs
                if each.line == op.line
                and each.found.linear
                and name in {place.name for place in each.places}
            ]
            most = max((width for width in moved if width is not None), default=0)
            if row is not None and most > row:
                yield _torn(op.line, tile, shape, row, most, needs)


def _torn(
    line: int | None,
    tile: Tile,
    shape: tuple[int | None, ...],
    row: int,
    moved: int,
    needs: Needs,
) -> Diagnostic:
    message = (
        f"This copy is one run of {size(moved)}, but a row of the part {shape} of "
        f"{tile.label} ends after {size(row)}, where the padding begins: the rows land in "
        "the wrong places."
    )
    help_text = "Pass disable_tma=True to this copy, or give the tile rows without padding."
    found = finding_of("noncontiguous-bulk-copy", message, line, needs, help_text)
    return replace(found, stage=_STAGE)


def _run_bytes(tile: Tile, shape: tuple[int | None, ...]) -> int | None:
    """The bytes that a part of a tile has in one run; None where it is not known."""
    if len(shape) != len(tile.shape) or None in (*shape, *tile.shape):
        return None
    elements, whole = 1, True
    for part, full in zip(reversed(shape), reversed(tile.shape), strict=True):
        if not whole and part != 1:
            break
        elements *= part or 1
        whole = whole and part == full
    return elements * bytes_of(replace(tile, shape=()))
