"""How the elements of an output of any rank are laid out in a picture of rows and columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]

_LEAST_TILE = 8  # shorter tiles of a vector would give more rows than columns
_LEAST_WRAPPED = 128


class Part(Enum):
    """What a dimension is split into: which tile, and where in it."""

    TILE = "tile"
    INNER = "inner"


Parts = tuple[tuple[int, Part], ...]


@dataclass(frozen=True)
class MapLayout:
    """Rows and columns as counters over parts of the output's dimensions, the slowest first.

    Each dimension of `shape` is cut into tiles of the length in `tile`. A tile of all dimensions is
    a rectangle of the picture; where the last tile of a dimension reaches over its end, so does
    the picture. `is_block_grid` says that the tiles are those of the kernel's blocks.
    """

    shape: Index
    tile: Index
    rows: Parts
    columns: Parts
    is_block_grid: bool

    @cached_property
    def tiles(self) -> Index:
        """How many tiles there are along each dimension."""
        return tuple(-(-size // max(1, t)) for size, t in zip(self.shape, self.tile, strict=True))

    @cached_property
    def extent(self) -> tuple[int, int]:
        """Rows and columns of the picture."""
        return math.prod(self._sizes(self.rows)), math.prod(self._sizes(self.columns))

    @cached_property
    def cell(self) -> tuple[int, int]:
        """Rows and columns of one tile's rectangle."""
        rows, columns = (self._inner(parts) for parts in (self.rows, self.columns))
        return math.prod(self._sizes(rows)), math.prod(self._sizes(columns))

    @property
    def is_vector(self) -> bool:
        """Whether rows and columns are both of one dimension, which is cut into rows."""
        return bool({d for d, _ in self.rows} & {d for d, _ in self.columns})

    @cached_property
    def is_natural(self) -> bool:
        """Whether the rows are those of the output in memory, leading dimensions folded."""
        last = len(self.shape) - 1
        counted = [
            (d, part is Part.INNER)
            for (d, part), size in zip(self.rows, self._sizes(self.rows), strict=True)
            if size > 1
        ]
        overhanging = {
            d
            for d, size in enumerate(self.shape)
            if self.tiles[d] * self.tile[d] != size and d != last
        }
        return (
            {d for d, _ in self.columns} == {last}
            and all(d != last for d, _ in counted)
            and counted == sorted(counted)
            and overhanging <= {d for d, _ in counted[:1]}
        )

    def index_of(self, row: int, column: int) -> Index | None:
        """The element at a place of the picture; None outside the output."""
        if not (0 <= row < self.extent[0] and 0 <= column < self.extent[1]):
            return None
        index = [0] * len(self.shape)
        for parts, position in ((self.rows, row), (self.columns, column)):
            digits = np.unravel_index(position, self._sizes(parts) or (1,))
            for (d, part), digit in zip(parts, digits, strict=False):
                index[d] += int(digit) * (self.tile[d] if part is Part.TILE else 1)
        inside = all(at < size for at, size in zip(index, self.shape, strict=True))
        return tuple(index) if inside else None

    def place_of(self, index: Index) -> tuple[int, int]:
        """Row and column of an element."""
        return self._position(self.rows, index), self._position(self.columns, index)

    def tile_of(self, index: Index) -> Index:
        """The tile that an element lies in."""
        return tuple(at // length for at, length in zip(index, self.tile, strict=True))

    def band_tiles(self, parts: Parts, band: int) -> Index:
        """For one row (or column) of tiles: the tile's number along each of its dimensions."""
        sizes = self._sizes(self._tile(parts))
        return tuple(int(digit) for digit in np.unravel_index(band, sizes)) if sizes else ()

    def band_dims(self, parts: Parts) -> Index:
        """The dimensions that rows (or columns) of tiles count, the slowest first."""
        return tuple(d for d, _ in self._tile(parts))

    def arranged(self, values: Array, outside: float) -> Array:
        """An array of the output's shape as the picture has it, `outside` where it reaches over."""
        padding = [
            (0, count * length - size)
            for count, length, size in zip(self.tiles, self.tile, self.shape, strict=True)
        ]
        if any(after for _, after in padding):
            values = np.pad(values, padding, constant_values=outside)
        split = [n for pair in zip(self.tiles, self.tile, strict=True) for n in pair]
        places = [2 * d + (part is Part.INNER) for d, part in (*self.rows, *self.columns)]
        rest = [at for at in range(len(split)) if at not in places]  # all of extent 1
        return values.reshape(split).transpose(*rest, *places).reshape(self.extent)

    def _sizes(self, parts: Parts) -> Index:
        return tuple(self.tiles[d] if part is Part.TILE else self.tile[d] for d, part in parts)

    def _position(self, parts: Parts, index: Index) -> int:
        position = 0
        for (d, part), size in zip(parts, self._sizes(parts), strict=True):
            digit = index[d] // self.tile[d] if part is Part.TILE else index[d] % self.tile[d]
            position = position * size + digit
        return position

    @staticmethod
    def _inner(parts: Parts) -> Parts:
        return tuple(each for each in parts if each[1] is Part.INNER)

    @staticmethod
    def _tile(parts: Parts) -> Parts:
        return tuple(each for each in parts if each[1] is Part.TILE)


def layout_of(shape: Index, tile: Index | None) -> MapLayout:
    """The layout of an output: its last dimension across, the others down.

    Dimensions along which a tile has one element go first, so that a block's elements stay
    together. A vector has a row for each block, or is wrapped into about a square.
    """
    if math.prod(shape) == 0:
        return MapLayout((0,), (1,), ((0, Part.TILE),), ((0, Part.INNER),), False)
    wide = [d for d, size in enumerate(shape) if size > 1] or list(range(len(shape)))[-1:]
    if len(wide) == 1:
        return _vector_layout(shape, tile, wide[0])
    lengths = tile if tile is not None else shape
    *down, across = wide
    down.sort(key=lambda d: lengths[d] > 1)
    rows = tuple((d, Part.TILE) for d in down) + tuple((d, Part.INNER) for d in down)
    columns = ((across, Part.TILE), (across, Part.INNER))
    has_grid = tile is not None and tuple(tile) != tuple(shape)
    return MapLayout(shape, tuple(lengths), rows, columns, has_grid)


def natural_layout(shape: Index, tile: Index | None) -> MapLayout:
    """The layout whose rows are those of the output in memory, leading dimensions folded.

    It has a block grid where tiles are rectangles in it.
    """
    found = layout_of(shape, tile)
    if found.is_natural:
        return found
    *down, across = range(len(shape))
    rows = tuple((d, Part.INNER) for d in down)
    return MapLayout(shape, shape, rows, ((across, Part.INNER),), False)


def _vector_layout(shape: Index, tile: Index | None, d: int) -> MapLayout:
    size = shape[d]
    length = tile[d] if tile is not None else size
    is_grid = tile is not None and _LEAST_TILE <= length < size
    if not is_grid:
        wrapped = size > _LEAST_WRAPPED
        length = 1 << math.ceil(math.log2(math.sqrt(size))) if wrapped else max(1, size)
    lengths = tuple(length if at == d else s for at, s in enumerate(shape))
    return MapLayout(shape, lengths, ((d, Part.TILE),), ((d, Part.INNER),), is_grid)
