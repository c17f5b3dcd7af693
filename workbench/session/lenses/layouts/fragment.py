"""The picture of a fragment: the thread that holds each cell, and in which of its registers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap
from workbench.core.analysis.layouts import Ints
from workbench.session.lenses.layouts.formulas import digit_formula

NOBODY = -1  # the holder of a place that stands for no element
_REGISTER_BITS = 32
_WIDEST_BYTES = 16  # what a thread can move at once
_MOST_HOLDERS = 1 << 22
_VECTOR_ROWS = (16, 64)  # a vector is drawn in lines of so many cells, at least and at most


@dataclass(frozen=True)
class Held:
    """An element that a thread holds: its place among the thread's, and its cell in the grid."""

    slot: int
    row: int
    column: int


@dataclass(frozen=True, eq=False)
class Fragment:
    """The cells of the first tile. `holders` has for each copy the thread of each cell.

    Shapes: (copies, rows, columns) and (rows, columns). Of many copies only the first are in
    `holders`, so that it stays small. `slots` is the place among the thread's own elements, which
    is the register where elements have 32 bits. A vector is cut into lines of `columns` cells, and
    `wraps` says so.
    """

    name: str
    holders: Ints
    slots: Ints
    bits: int
    copies: int
    threads: int
    warp: int
    shape: tuple[int, ...]
    wraps: bool = False

    @property
    def rows(self) -> int:
        """Lines of the grid."""
        return int(self.slots.shape[0])

    @property
    def columns(self) -> int:
        """Cells of a line."""
        return int(self.slots.shape[1])

    @property
    def letter(self) -> str:
        """What slots are called: registers of 32 bits, else elements."""
        return "r" if self.bits == _REGISTER_BITS else "e"

    def coordinate(self, row: int, column: int) -> tuple[int, ...]:
        """The element of a cell, by its indices in the buffer's last dimensions."""
        if not self.wraps:
            return row, column
        place = row * self.columns + column
        return (place,) if len(self.shape) == 1 else (0, place)

    def index(self, row: int, column: int) -> int:
        """The number of a cell's element, row by row."""
        return row * self.columns + column

    def holders_at(self, row: int, column: int) -> tuple[int, ...]:
        """The threads that hold a cell, in rising order; empty where no element lies there."""
        found = sorted(set(self.holders[:, row, column].tolist()))
        return tuple(thread for thread in found if thread != NOBODY)

    def is_held_by(self, thread: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which cells a thread holds."""
        held: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (self.holders == thread).any(axis=0)
        return held

    def held_by(self, thread: int, rows: int, columns: int) -> tuple[Held, ...]:
        """What a thread holds of the first rows and columns, in the order of its elements."""
        found = np.argwhere(self.is_held_by(thread)[:rows, :columns]).tolist()
        held = [Held(int(self.slots[row, column]), row, column) for row, column in found]
        return tuple(sorted(held, key=lambda each: (each.slot, each.row, each.column)))

    @property
    def thread_range(self) -> tuple[int, int]:
        """The first and the last thread that hold something."""
        known = self.holders[self.holders != NOBODY]
        return (int(known.min()), int(known.max())) if known.size else (0, 0)

    @property
    def run(self) -> int:
        """How many cells beside each other a thread holds one after the other, everywhere."""
        run, flat = 1, self.slots
        while self.columns % (2 * run) == 0 and self._has_runs(2 * run, flat):
            run *= 2
        return run

    def _has_runs(self, run: int, slots: Ints) -> bool:
        holders = self.holders[0].reshape(self.rows, -1, run)
        steps = slots.reshape(self.rows, -1, run) - np.arange(run)
        same = (holders == holders[:, :, :1]).all()
        return bool(same and (steps == steps[:, :, :1]).all() and (steps[:, :, 0] % run == 0).all())

    def warps(self, rows: int, columns: int) -> tuple[int, int]:
        """The first and the last warp that hold something of the first rows and columns."""
        seen = self.holders[:, :rows, :columns]
        known = seen[seen != NOBODY] // self.warp
        return (int(known.min()), int(known.max())) if known.size else (0, 0)

    def formula(self, thread: int, rows: int, columns: int) -> str:
        """Where a thread's elements lie, as sums of digits of their numbers; empty for no such."""
        held = self.held_by(thread, rows, columns)
        slots = sorted({each.slot for each in held})
        if not held or len(slots) != len(held) or slots != list(range(len(held))):
            return ""
        places = [self.coordinate(each.row, each.column) for each in held]
        axes = ("row", "column") if len(places[0]) == 2 else ("element",)
        told = [digit_formula(axis, self.letter) for axis in zip(*places, strict=True)]
        known = [f"{name} {text}" for name, text in zip(axes, told, strict=True) if text]
        return ", ".join(known) if len(known) == len(axes) else ""


def fragment_of(layout: BufferLayout, known: LayoutMap, warp: int) -> Fragment:
    """The cells of a fragment's first tile. Raises as `LayoutMap.places`."""
    slots = known.places()
    shown = max(1, min(known.copies, _MOST_HOLDERS // max(1, slots.size)))
    holders = np.stack([known.holders(copy) for copy in range(shown)])
    wraps = slots.shape[0] == 1 and slots.shape[1] > _VECTOR_ROWS[0]
    if wraps:
        slots, holders = _wrapped(slots[None])[0], _wrapped(holders)
    threads = known.threads or len(np.unique(holders[holders != NOBODY]))
    return Fragment(
        layout.name,
        holders,
        slots,
        layout.bits,
        known.copies,
        threads,
        warp,
        known.shape,
        wraps,
    )


def _wrapped(vectors: Ints) -> Ints:
    """Vectors of shape (copies, 1, n) as lines below each other; what is left over is nobody's."""
    copies, _, count = vectors.shape
    least, most = _VECTOR_ROWS
    width = min(most, max(least, 1 << ((count - 1).bit_length() + 1) // 2))
    lines = -(-count // width)
    padded = np.full((copies, lines * width), NOBODY, np.int64)
    padded[:, :count] = vectors[:, 0]
    return padded.reshape(copies, lines, width)


def fragment_conclusion(fragment: Fragment) -> str:
    """What a fragment's layout comes to."""
    cells = int((fragment.holders[0] != NOBODY).sum())
    each = int(fragment.slots.max(initial=-1)) + 1
    if len(fragment.shape) > len(fragment.slots.shape):  # of which one tile is drawn
        each = math.prod(fragment.shape) * fragment.copies // max(1, fragment.threads)
    if fragment.copies > 1:
        return _copies_text(fragment, cells, each)
    return (
        f"{fragment.name} is spread over {_of(fragment.threads, 'thread')}, {each:,} "
        f"{'cell' if each == 1 else 'cells'} each{_run_text(fragment)}"
    )


def thread_text(fragment: Fragment, thread: int | None, rows: int, columns: int) -> str:
    """How much a thread holds of the first rows and columns, and the rule of where."""
    if thread is None:
        return "Click a cell to see all that its thread holds."
    held = len(fragment.held_by(thread, rows, columns))
    formula = fragment.formula(thread, rows, columns)
    return f"holds {held:,} of the {rows * columns:,} in view{': ' if formula else ''}{formula}"


def _copies_text(fragment: Fragment, cells: int, each: int) -> str:
    threads = _of(fragment.threads, "thread")
    if fragment.copies == fragment.threads:
        whole = f"all of {fragment.name}" if cells > 1 else fragment.name
        return (
            f"Each of the {threads} holds {whole}: {_of(cells, 'cell')}, {fragment.copies:,} times."
        )
    return (
        f"Each cell of {fragment.name} lies in {fragment.copies:,} threads at once: "
        f"{_of(cells, 'cell')} over {threads}, {each:,} in each."
    )


def _run_text(fragment: Fragment) -> str:
    run = fragment.run
    moved = run * fragment.bits // 8
    if run == 1:
        return ", none beside each other: a thread moves them one by one."
    words = {2: "in pairs"}.get(run, f"in runs of {run}")
    return f", {words}: a thread can move {min(moved, _WIDEST_BYTES)} B at once."


def _of(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
