"""Records, on request, which part of each global parameter each block wrote."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.engine.simulator.model import BlockWrites
from workbench.engine.simulator.registry import helper

if TYPE_CHECKING:
    from workbench.engine.simulator.runtime import Runtime

MOST_BLOCKS = 65_536
_GRID_AXES = 3

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]
Boxes = dict[int, tuple[list[int], list[int]]]


class WriteRecorder:
    """Collects a bounding box for each block and parameter; `arrays` are the parameters'."""

    def __init__(self, arrays: Mapping[int, Array]) -> None:
        self._arrays = arrays
        self._block: Index = ()
        self._boxes: Boxes = {}
        self._open: dict[Index, Boxes] = {}  # of blocks that are not done
        self._rows: dict[int, list[list[int]]] = {}

    def begin(self, launch: int, block: Index) -> None:
        """Whatever is written from now on is this block's."""
        self._block = (launch, *block, *[0] * (_GRID_AXES - len(block)))
        self._boxes = self._open.setdefault(self._block, {})

    def end(self) -> None:
        """The block is done."""
        del self._open[self._block]
        for number, (lows, highs) in self._boxes.items():
            extents = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
            self._rows.setdefault(number, []).append([*self._block, *lows, *extents])

    def add_box(self, number: int, array: Array, starts: Index, extents: Index) -> None:
        """A tile was written; what reaches over the end was not."""
        ends = [min(s + e, size) for s, e, size in zip(starts, extents, array.shape, strict=True)]
        lows = [max(start, 0) for start in starts]
        if any(low >= end for low, end in zip(lows, ends, strict=True)):
            return
        if array.shape == self._arrays[number].shape:
            self._extend(number, lows, [end - 1 for end in ends])
        else:
            ranges = (np.arange(low, end) for low, end in zip(lows, ends, strict=True))
            self._extend_by_view(number, array, np.ix_(*ranges))

    def add_elements(self, number: int, array: Array, index: Sequence[Any], mask: Any) -> None:
        """Single elements were written: index arrays, and which of their lanes (None: all)."""
        index = tuple(np.asarray(at) for at in index)
        inside: Any = True if mask is None else mask
        for at, size in zip(index, array.shape, strict=True):
            if at.size and (at.min() < 0 or at.max() >= size):
                inside = inside & (at >= 0) & (at < size)
        if inside is not True:
            shape = np.broadcast_shapes(np.shape(inside), *(at.shape for at in index))
            chosen = np.broadcast_to(inside, shape)
            index = tuple(np.broadcast_to(at, shape)[chosen] for at in index)
        if any(at.size == 0 for at in index):
            return
        if array.shape == self._arrays[number].shape:
            self._extend(number, [int(at.min()) for at in index], [int(at.max()) for at in index])
        else:
            self._extend_by_view(number, array, index)

    def writes(self) -> Mapping[int, BlockWrites]:
        """What was recorded, by parameter number."""
        return {number: self._packed(number, rows) for number, rows in self._rows.items()}

    def _extend(self, number: int, lows: list[int], highs: list[int]) -> None:
        known = self._boxes.get(number)
        if known is not None:
            lows = list(map(min, lows, known[0]))
            highs = list(map(max, highs, known[1]))
        self._boxes[number] = (lows, highs)

    def _extend_by_view(self, number: int, view: Array, index: tuple[Array, ...]) -> None:
        """Elements of a buffer that sees the parameter's bytes in another shape or dtype."""
        base = self._arrays[number]
        flat = np.ravel_multi_index(index, view.shape).astype(np.int64)
        for byte in (0, view.itemsize - 1):
            places = (flat * view.itemsize + byte) // base.itemsize
            at = np.unravel_index(places, base.shape)
            self._extend(number, [int(a.min()) for a in at], [int(a.max()) for a in at])

    def _packed(self, number: int, rows: list[list[int]]) -> BlockWrites:
        table = np.array(rows, np.int32)
        rank = self._arrays[number].ndim
        ends = list(itertools.accumulate((1, _GRID_AXES, rank, rank)))
        launches, blocks, starts, extents = np.split(table, ends[:-1], axis=1)
        return BlockWrites(launches[:, 0], blocks, starts, extents)


@helper
def record_tile(rt: Runtime, number: int, array: Array, starts: Index, extents: Index) -> None:
    """Note that a tile of a parameter is written."""
    if rt.recorder is not None:
        rt.recorder.add_box(number, array, starts, extents)


@helper
def record_elements(rt: Runtime, number: int, array: Array, index: Any, mask: Any) -> None:
    """Note that elements of a parameter are written."""
    if rt.recorder is not None:
        rt.recorder.add_elements(number, array, index, mask)
