"""Where each element of a buffer lies by the layout that lowering gave it, computed from its map.

A map is a few index expressions, so it travels as it is and is evaluated only for what is looked
at: a tile of any size costs nothing until then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.analysis.index_expressions import ExpressionError, evaluate
from workbench.core.analysis.layouts import Ints

REPLICA = "_rep"  # TileLang's name of the axis that counts the copies of an element


@dataclass(frozen=True)
class LayoutMap:
    """A layout as index expressions over the indices of an element, whose names are `axes`.

    `index` is the place in a storage of the extents `extents`: of shared memory for a tile there,
    of a thread's registers for a fragment. `thread` is the holder of a fragment's element, over
    `axes` and REPLICA, which counts its `copies`; threads count from `first_thread` of the block.
    """

    shape: tuple[int, ...]
    axes: tuple[str, ...]
    index: tuple[str, ...]
    extents: tuple[int, ...]
    thread: str | None = None
    copies: int = 1
    threads: int | None = None
    first_thread: int = 0

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of the last two dimensions; a vector is one row."""
        rows, columns = (1, 1, *self.shape)[-2:]
        return rows, columns

    @property
    def lead(self) -> tuple[int, ...]:
        """The dimensions before the tile's: stages or batches."""
        return self.shape[:-2]

    def places(self) -> Ints:
        """The place of each element of the first tile, in elements from the start of its storage.

        Shape (rows, columns). Raises ExpressionError or KeyError for a map that is none.
        """
        known, place = self._known(0), np.zeros(self.tile, np.int64)
        for extent, text in zip(self.extents, self.index, strict=True):
            place = place * extent + evaluate(text, known)
        return place

    def holders(self, copy: int = 0) -> Ints:
        """The thread of the block that holds a copy of each element of the first tile.

        Shape (rows, columns). Raises as `places`, and ValueError for a tile of shared memory.
        """
        if self.thread is None:
            raise ValueError("a tile in shared memory is held by no thread")
        found = evaluate(self.thread, self._known(copy)) + self.first_thread
        return np.broadcast_to(np.asarray(found, np.int64), self.tile).copy()

    def _known(self, copy: int) -> Mapping[str, Ints | int]:
        indices = np.indices(self.tile, dtype=np.int64)
        tile = list(indices[-min(len(self.shape), 2) :]) if self.shape else []
        values = [*([0] * len(self.lead)), *tile]
        return {**dict(zip(self.axes, values, strict=True)), REPLICA: copy}


def row_major(shape: tuple[int, ...]) -> LayoutMap:
    """The map of a buffer that lies as it is allocated."""
    axes = tuple(f"i{place}" for place in range(len(shape)))
    return LayoutMap(shape, axes, axes, shape)


_SHAPE = r"\(([\d, ]*)\)"
_SPOKEN = re.compile(
    rf"Fragment\({_SHAPE} -> {_SHAPE}, replicate: (?P<copies>\d+), thread: (?P<threads>\d+), "
    r"forward_thread: (?P<thread>.+?), forward_index: \((?P<index>.*?),?\), "
    r"thread_range: I\.Range\((?P<first>\d+),"
)
_AXES = ("_i", "_j", "_k", "_l", "_m", "_n", "_o", "_p")


def printed_fragment(text: str) -> LayoutMap | None:
    """The map of a fragment as TileLang's messages print it; None where it is none."""
    found = _SPOKEN.search(text)
    if found is None:
        return None
    shape, extents = (tuple(int(n) for n in re.findall(r"\d+", found[n])) for n in (1, 2))
    made = LayoutMap(
        shape,
        _AXES[: len(shape)],
        tuple(_split(found["index"])),
        extents,
        found["thread"],
        int(found["copies"]),
        int(found["threads"]),
        int(found["first"]),
    )
    try:
        made.places(), made.holders()
    except (ExpressionError, KeyError, ValueError):
        return None
    return made


def _split(text: str) -> list[str]:
    """The parts between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
