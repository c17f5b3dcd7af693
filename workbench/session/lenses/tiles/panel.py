"""Where each block of a grid stands on the picture of the output, and what lies beyond its edge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.index_expressions import Value, evaluate, names
from workbench.core.analysis.rasterization import Rasterization, launch_numbers
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileRegions
from workbench.core.analysis.tile_steps import Block, Box

Ints = npt.NDArray[np.int64]
_LONGEST_STRIP = 192  # blocks in a row without a second axis; more are wrapped
_MOST_BLOCKS = 1 << 22  # whose edges are looked at
_ORIGIN: Block = (0, 0, 0)


@dataclass(frozen=True)
class Panel:
    """The grid as `rows` by `columns` cells; -1 is an axis that has no part in it.

    Axes are 0, 1, 2 for x, y, z. With `wrapped` the blocks of one axis alone stand in rows, as in
    a text. `tile` is what a block writes along rows and columns, None where that does not follow
    the cells; `block` has it in words. `outside` are the shares of the last row and of the last
    column that lie beyond the tensor. `tensor` is the one written.
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
    block: str = ""

    def tile_on(self, other: Panel) -> tuple[float, float] | None:
        """The rows and columns of another grid's cells that a tile of this one covers.

        None where both do not lie on the same tensor alike, or cover the same.
        """
        own, theirs = self.tile, other.tile
        if own is None or theirs is None or own == theirs or self.tensor != other.tensor:
            return None
        return own[0] / theirs[0], own[1] / theirs[1]

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
    period = _period(regions, written, axis, dimension)
    if count > _LONGEST_STRIP or (dimension is None and count > 1) or period < count:
        columns = max(1, 1 << round(math.log2(max(1.0, math.sqrt(count) * 1.2))))
        columns = period if 1 < period < count else columns
        name = written.tensor if written is not None else None
        return Panel(-(-count // columns), columns, -1, axis, wrapped=True, tensor=name)
    is_last = dimension is None or written is None or dimension == len(written.offset) - 1
    row, column = (-1, axis) if is_last else (axis, -1)
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
    spans = _spans(regions, access, dict(zip(BLOCK_NAMES, axes, strict=True)))
    held: Ints | int = 1
    asked: Ints | int = 1
    for (start, stop), size in zip(spans, known, strict=True):
        held = held * np.maximum(np.minimum(stop, size) - np.maximum(start, 0), 0)
        asked = asked * (stop - start)
    totals = [np.broadcast_to(each, regions.grid).sum(dtype=np.float64) for each in (held, asked)]
    return float(1 - totals[0] / totals[1]) if totals[1] else None


def _written(regions: TileRegions) -> TileAccess | None:
    """The largest region that a block writes in one piece, as its neighbours do beside it."""
    known = [
        access
        for access in regions.accesses
        if access.writes and access.unknown is None and _is_whole(regions, access)
    ]
    return max(known, key=lambda each: _box(regions, each, _ORIGIN).elements, default=None)


def _is_whole(regions: TileRegions, access: TileAccess) -> bool:
    """Whether the turns of the loops around a write fill one region, next to that of neighbours.

    A persistent kernel writes a region here and there: then the place of a block tells nothing.
    """
    used = frozenset[str]().union(*(names(text) for text in access.offset))
    if not used - set(BLOCK_NAMES):
        return True
    first = _box(regions, access, _ORIGIN)
    if first.elements > _written_elements(regions, access):
        return False
    for axis in (n for n in range(3) if regions.grid[n] > 1):
        second = _box(regions, access, _step(axis, 1))
        moved = [
            (b - a, end - a)
            for a, b, end in zip(first.start, second.start, first.stop, strict=True)
            if a != b
        ]
        if len(moved) != 1 or moved[0][0] != moved[0][1]:
            return False
    return True


def _written_elements(regions: TileRegions, access: TileAccess) -> int:
    """Elements that the first block writes over all turns of the loops."""
    values, turns = dict.fromkeys(BLOCK_NAMES, 0), 1
    for place in access.loops:
        loop = regions.loops[place]
        turns *= max(0, int(evaluate(loop.extent, values)))
        values[loop.name] = int(evaluate(loop.start, values))
    return turns * math.prod(int(evaluate(text, values)) for text in access.extent)


def _box(regions: TileRegions, access: TileAccess, block: Block) -> Box:
    """What a block writes over all turns of the loops."""
    spans = _spans(regions, access, dict(zip(BLOCK_NAMES, block, strict=True)))
    return Box(tuple(int(a) for a, _ in spans), tuple(int(b) for _, b in spans))


def _spans(
    regions: TileRegions, access: TileAccess, values: Mapping[str, Value]
) -> list[tuple[Ints, Ints]]:
    """Where the region begins and ends, by dimension: at the first and last turns of its loops."""
    corners: list[dict[str, Value]] = [dict(values)]
    for place in access.loops:
        loop, grown = regions.loops[place], []
        for each in corners:
            start, extent = evaluate(loop.start, each), evaluate(loop.extent, each)
            grown += [{**each, loop.name: start}, {**each, loop.name: start + extent - 1}]
        corners = grown
    spans = []
    for offset, extent in zip(access.offset, access.extent, strict=True):
        starts = [np.asarray(evaluate(offset, each)) for each in corners]
        stops = [a + evaluate(extent, each) for a, each in zip(starts, corners, strict=True)]
        low, high = starts[0], stops[0]
        for start, stop in zip(starts[1:], stops[1:], strict=True):
            low, high = np.minimum(low, start), np.maximum(high, stop)
        spans.append((low, high))
    return spans


def _step(axis: int, count: int) -> Block:
    x, y, z = (count if place == axis else 0 for place in range(3))
    return x, y, z


def _moved(regions: TileRegions, access: TileAccess | None, axis: int) -> int | None:
    """The dimension of the output that a step along an axis moves, where it is one alone."""
    if access is None:
        return None
    boxes = [_box(regions, access, _step(axis, count)) for count in (0, 1)]
    pairs = zip(boxes[0].start, boxes[1].start, strict=True)
    moved = [place for place, (before, after) in enumerate(pairs) if before != after]
    return moved[0] if len(moved) == 1 else None


def _period(
    regions: TileRegions, access: TileAccess | None, axis: int, dimension: int | None
) -> int:
    """How many blocks along an axis write side by side before the next row of them begins.

    All of them where the axis moves one dimension alone, as `bx // columns` and `bx % columns` do
    not.
    """
    count = regions.grid[axis]
    if access is None or dimension is None or count > _LONGEST_STRIP:
        return count
    first, second = (_box(regions, access, _step(axis, n)).start for n in (0, 1))
    stride = second[dimension] - first[dimension]
    for number in range(2, count):
        at = _box(regions, access, _step(axis, number)).start
        expected = [a + number * stride * (place == dimension) for place, a in enumerate(first)]
        if list(at) != expected:
            return number
    return count


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
    rows, columns = (regions.grid[axis] if axis >= 0 else 1 for axis in (row, column))
    count = regions.grid[slices] if slices >= 0 else 1
    panel = Panel(rows, columns, row, column, slices, count)
    if written is None:
        return panel
    dimensions = [moved.get(axis) for axis in (row, column)]
    box = _box(regions, written, _ORIGIN)
    extent = [b - a for a, b in zip(box.start, box.stop, strict=True)]
    bottom, right = (
        _outside(regions, written, axis, dimension)
        for axis, dimension in zip((row, column), dimensions, strict=True)
    )
    return replace(
        panel,
        tensor=written.tensor,
        tile=_tile(extent, dimensions),
        outside=(bottom, right),
        block=" × ".join(str(n) for n in extent if n > 1) or "1",
    )


def _tile(extent: list[int], dimensions: list[int | None]) -> tuple[int, int]:
    """What a block writes along rows and columns; what is neither lies along the columns."""
    row, column = dimensions
    rest = math.prod(n for place, n in enumerate(extent) if place not in (row, column))
    rows = extent[row] if row is not None else 1
    columns = extent[column] if column is not None else 1
    return (rest, columns) if row is None else (rows, columns * rest)


def _outside(regions: TileRegions, access: TileAccess, axis: int, dimension: int | None) -> float:
    """The share of the last block's tile along an axis that lies beyond the tensor."""
    if axis < 0 or dimension is None:
        return 0.0
    box = _box(regions, access, _step(axis, regions.grid[axis] - 1))
    inside = box.inside(regions.tensor(access.tensor).shape)
    length = box.stop[dimension] - box.start[dimension]
    held = inside.stop[dimension] - inside.start[dimension]
    return 1 - held / length if length > 0 else 0.0
