"""Where each block of a grid stands on the picture of the output, and what lies beyond its edge."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.index_expressions import evaluate, names
from workbench.core.analysis.rasterization import Rasterization, launch_numbers
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileRegions
from workbench.core.analysis.tile_steps import Block, box_at

Ints = npt.NDArray[np.int64]
_LONGEST_STRIP = 192  # blocks in a row without a second axis; more are wrapped
_MOST_BLOCKS = 1 << 22  # whose edges are looked at
_ORIGIN: Block = (0, 0, 0)


@dataclass(frozen=True)
class Panel:
    """The grid as `rows` by `columns` cells; -1 is an axis that has no part in it.

    Axes are 0, 1, 2 for x, y, z. With `wrapped` the blocks of one axis alone stand in rows, as in
    a text. `tile` is what a block writes along rows and columns, `outside` the shares of the last
    row and of the last column that lie beyond the tensor; None where what is written does not
    follow the cells. `tensor` is the one written.
    """

    rows: int
    columns: int
    row_axis: int
    column_axis: int
    slice_axis: int = -1
    slices: int = 1
    wrapped: bool = False
    tensor: str | None = None
    tile: tuple[int, int] | None = None
    outside: tuple[float, float] = (0.0, 0.0)

    def cell_of(self, block: Block) -> tuple[int, int]:
        """Row and column of a block."""
        if self.wrapped:
            number = block[self.column_axis]
            return number // self.columns, number % self.columns
        row = block[self.row_axis] if self.row_axis >= 0 else 0
        return row, block[self.column_axis] if self.column_axis >= 0 else 0

    def block_of(self, row: int, column: int, which: int, count: int) -> Block | None:
        """The block in a cell of a slice, of `count` blocks along a wrapped axis; None: none."""
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        block = [0, 0, 0]
        if self.wrapped:
            number = row * self.columns + column
            if number >= count:
                return None
            block[self.column_axis] = number
        else:
            for axis, value in ((self.row_axis, row), (self.column_axis, column)):
                if axis >= 0:
                    block[axis] = value
        if self.slice_axis >= 0:
            block[self.slice_axis] = which
        return block[0], block[1], block[2]


def panel_of(regions: TileRegions) -> Panel:
    """How the blocks of a grid are laid out, by what they write where that can be told."""
    wide = [axis for axis in range(3) if regions.grid[axis] > 1]
    written = _written(regions)
    moved = {axis: _moved(regions, written, axis) for axis in wide}
    if len(wide) > 1:
        return _flat(regions, wide, moved, written)
    axis = wide[0] if wide else 0
    count = regions.grid[axis]
    dimension = moved.get(axis)
    if count > _LONGEST_STRIP or (dimension is None and count > 1):
        columns = max(1, 1 << round(math.log2(max(1.0, math.sqrt(count) * 1.2))))
        name = written.tensor if written is not None else None
        return Panel(-(-count // columns), columns, -1, axis, wrapped=True, tensor=name)
    along_rows = dimension is not None and dimension == 0 and _rank(regions, written) > 1
    row, column = (axis, -1) if along_rows else (-1, axis)
    return _with_tile(regions, written, moved, row, column)


def panel_numbers(
    regions: TileRegions, panel: Panel, swizzle: Rasterization | None, which: int
) -> Ints:
    """The launch number of the block in each cell of a slice, -1 in cells without one."""
    x, y, z = regions.grid
    plane = launch_numbers(regions.grid, swizzle)
    cube = plane[None] + np.arange(z, dtype=np.int64)[:, None, None] * (x * y)
    numbers = cube.transpose(2, 1, 0)  # by x, y, z
    if panel.wrapped:
        cells = np.full(panel.rows * panel.columns, -1, np.int64)
        cells[: numbers.size] = numbers.ravel()
        return cells.reshape(panel.rows, panel.columns)
    place: list[slice | int] = [0, 0, 0]
    for axis in (panel.row_axis, panel.column_axis):
        if axis >= 0:
            place[axis] = slice(None)
    if panel.slice_axis >= 0:
        place[panel.slice_axis] = which
    chosen = numbers[tuple(place)]
    if panel.row_axis > panel.column_axis >= 0:
        chosen = chosen.T
    return chosen.reshape(panel.rows, panel.columns)


def needless_share(regions: TileRegions) -> float | None:
    """The share of what all blocks write that lies beyond the tensor; None where unknown."""
    access = _written(regions)
    if access is None or access.bounded or math.prod(regions.grid) > _MOST_BLOCKS:
        return None
    shape = regions.tensor(access.tensor).shape
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        return None
    axes = np.meshgrid(*(np.arange(n) for n in regions.grid), indexing="ij", sparse=True)
    values = dict(zip(BLOCK_NAMES, axes, strict=True))
    inside: Ints | int = 1
    asked = 1
    for text, span, size in zip(access.offset, access.extent, known, strict=True):
        start = np.asarray(evaluate(text, values))
        length = int(evaluate(span, dict.fromkeys(BLOCK_NAMES, 0)))
        end = np.minimum(start + length, size)
        inside = inside * np.maximum(end - np.maximum(start, 0), 0)
        asked *= length
    held = np.broadcast_to(inside, regions.grid)
    return 1 - float(held.sum(dtype=np.float64)) / (asked * math.prod(regions.grid))


def _written(regions: TileRegions) -> TileAccess | None:
    """The largest region that a block writes at a place that its indices alone decide."""
    known = [
        access
        for access in regions.accesses
        if access.writes and access.unknown is None and not _by_loops(access)
    ]
    return max(known, key=_elements, default=None)


def _by_loops(access: TileAccess) -> bool:
    return any(names(text) - set(BLOCK_NAMES) for text in (*access.offset, *access.extent))


def _elements(access: TileAccess) -> int:
    origin = dict.fromkeys(BLOCK_NAMES, 0)
    return math.prod(int(evaluate(text, origin)) for text in access.extent)


def _rank(regions: TileRegions, access: TileAccess | None) -> int:
    return len(access.offset) if access is not None else 0


def _moved(regions: TileRegions, access: TileAccess | None, axis: int) -> int | None:
    """The dimension of the output that a step along an axis moves, where it is one alone."""
    if access is None:
        return None
    there = [1 if place == axis else 0 for place in range(3)]
    values = [dict(zip(BLOCK_NAMES, block, strict=True)) for block in (_ORIGIN, there)]
    moved = [
        place
        for place, text in enumerate(access.offset)
        if evaluate(text, values[0]) != evaluate(text, values[1])
    ]
    return moved[0] if len(moved) == 1 else None


def _flat(
    regions: TileRegions,
    wide: list[int],
    moved: dict[int, int | None],
    written: TileAccess | None,
) -> Panel:
    """Two axes as rows and columns, the third as slices: x, where it writes, decides which."""
    first, second = wide[0], wide[1]
    places = moved[first], moved[second]
    is_turned = None not in places and (places[0] or 0) < (places[1] or 0)
    row, column = (first, second) if is_turned else (second, first)
    if None in places or places[0] == places[1]:
        written = None
    return _with_tile(regions, written, moved, row, column, wide[2] if len(wide) > 2 else -1)


def _with_tile(
    regions: TileRegions,
    written: TileAccess | None,
    moved: dict[int, int | None],
    row: int,
    column: int,
    slices: int = -1,
) -> Panel:
    size = (
        regions.grid[row] if row >= 0 else 1,
        regions.grid[column] if column >= 0 else 1,
    )
    count = regions.grid[slices] if slices >= 0 else 1
    if written is None:
        return Panel(*size, row, column, slices, count)
    dimensions = [moved.get(axis) for axis in (row, column)]
    spans = _spans(regions, written, dimensions, row < 0)
    outside = tuple(
        _outside(regions, written, axis, dimension)
        for axis, dimension in zip((row, column), dimensions, strict=True)
    )
    return Panel(
        *size, row, column, slices, count, False, written.tensor, spans, (outside[0], outside[1])
    )


def _spans(
    regions: TileRegions, access: TileAccess, dimensions: list[int | None], is_strip: bool
) -> tuple[int, int]:
    """What a block writes along the rows and columns of the panel.

    Along an axis that no block moves it is what remains of the tile.
    """
    origin = dict.fromkeys(BLOCK_NAMES, 0)
    extent = [int(evaluate(text, origin)) for text in access.extent]
    row, column = dimensions
    rest = [n for place, n in enumerate(extent) if place not in (row, column)]
    if column is None:
        return extent[row] if row is not None else 1, math.prod(rest)
    if row is None:
        return math.prod(rest) if is_strip else 1, extent[column]
    # What is neither lies between them in the tensor, as the columns of a head do.
    return extent[row], extent[column] * math.prod(rest)


def _outside(regions: TileRegions, access: TileAccess, axis: int, dimension: int | None) -> float:
    """The share of the last block's tile along an axis that lies beyond the tensor."""
    if axis < 0 or dimension is None:
        return 0.0
    last: list[int] = [0, 0, 0]
    last[axis] = regions.grid[axis] - 1
    box = box_at(regions, regions.accesses.index(access), (last[0], last[1], last[2]), ())
    if box is None:
        return 0.0
    inside = box.inside(regions.tensor(access.tensor).shape)
    length = box.stop[dimension] - box.start[dimension]
    held = inside.stop[dimension] - inside.start[dimension]
    return 1 - held / length if length > 0 else 0.0
