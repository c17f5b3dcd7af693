"""The pictures of the layouts lens: a fragment, a conflict of two, what a thread holds."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt

from workbench.session.lenses.layouts.conflict import Conflict
from workbench.session.lenses.layouts.fragment import Fragment, Held
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.layouts.cells import LEFT, TOP, Cells, KeptBoxes, Mask
from workbench.ui.lenses.layouts.grid import paint_cells
from workbench.ui.theme.fonts import TextRole

CORNER = 16  # rows and columns of the corner
_TALLEST = 22.0  # px of a cell of the corner
_SPLIT = 28.0  # px of a cell that has two owners
_MOST_HEIGHT = 420.0  # px of a whole tile
_BELOW = 26.0
_CHIP, _CHIP_GAP = QSizeF(53, 38), 6.0
_MOST_CHIPS = 64
_MOST_LISTED = 8
_CENTRE = Qt.AlignmentFlag.AlignCenter


class Labels(enum.Enum):
    """What stands in the cells."""

    VALUE = "value"
    INDEX = "index"
    COORDINATE = "coordinate"


def shown_size(rows: int, columns: int, is_whole: bool) -> tuple[int, int]:
    """The rows and columns that are drawn: all, or the corner."""
    return (rows, columns) if is_whole else (min(rows, CORNER), min(columns, CORNER))


def grid_area(
    width: float, rows: int, columns: int, is_whole: bool, tallest: float = _TALLEST
) -> QRectF:
    """Where the cells lie in a picture of a width; those of a corner are `tallest` px at most."""
    room = max(40.0, width - LEFT - 6)
    cell = room / columns
    if is_whole:
        cell = min(cell, _MOST_HEIGHT / rows) if rows * cell > _MOST_HEIGHT else cell
        return QRectF(LEFT, TOP, columns * cell, rows * min(cell, tallest))
    return QRectF(LEFT, TOP, columns * min(cell, 2 * tallest), rows * min(cell, tallest))


@dataclass(frozen=True, eq=False)
class FragmentPicture:
    """The cells of a fragment by the thread that holds them; those of `thread` are lifted."""

    fragment: Fragment
    thread: int | None
    labels: Labels
    is_whole: bool
    selection: Selection
    kept: KeptBoxes = field(default_factory=KeptBoxes)

    def height(self, width: float) -> float:
        """The grid, its numbers, and a line below."""
        rows, columns = self._size
        return grid_area(width, rows, columns, self.is_whole).bottom() + _BELOW

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it; the thread under the pointer is lifted too."""
        rows, columns = self._size
        area = grid_area(size.width(), rows, columns, self.is_whole)
        paint_cells(canvas, area, self._cells(canvas))
        first, last = self.fragment.warps(rows, columns)
        warps = f"Warp {first}" if first == last else f"Warps {first}–{last}"
        text = f"{warps} · {self._legend} · hover lifts, a click keeps its thread"
        if self.fragment.copies > 1:
            text = f"{warps} · {self._legend} · 0…: thread 0 and {self.fragment.copies - 1} more"
        below = QRectF(LEFT, area.bottom() + 5, size.width() - LEFT, 18)
        canvas.text(below, text, TextRole.NOTE, "fg3")

    @property
    def _size(self) -> tuple[int, int]:
        return shown_size(self.fragment.rows, self.fragment.columns, self.is_whole)

    @property
    def _legend(self) -> str:
        slot = "register" if self.fragment.letter == "r" else "element"
        return {
            Labels.VALUE: f"thread above, its {slot} below",
            Labels.INDEX: "index in the tile",
            Labels.COORDINATE: "row above, column below",
        }[self.labels]

    def _cells(self, canvas: Canvas) -> Cells:
        rows, columns = self._size
        return Cells(
            self.fragment.holders[0, :rows, :columns],
            self._texts,
            self._hit,
            row_label=self._row_label,
            lifted=self._lifted(canvas),
            kept=self.kept,
        )

    def _row_label(self, row: int) -> str:
        return str(self.fragment.coordinate(row, 0)[-1] if self.fragment.wraps else row)

    def _lifted(self, canvas: Canvas) -> Mask:
        rows, columns = self._size
        threads = {self.thread, _thread_of(canvas.hovered)} - {None}
        masks = [self.fragment.is_held_by(thread) for thread in threads if thread is not None]
        found: Mask = np.zeros((self.fragment.rows, self.fragment.columns), np.bool_)
        for mask in masks:
            found = found | mask
        return found[:rows, :columns]

    def _texts(self, row: int, column: int) -> tuple[str, str]:
        if self.labels is Labels.INDEX:
            return str(self.fragment.index(row, column)), ""
        if self.labels is Labels.COORDINATE:
            first, *rest = self.fragment.coordinate(row, column)
            return str(first), str(rest[0]) if rest else ""
        slot = f"{self.fragment.letter}{self.fragment.slots[row, column]}"
        return threads_text(self.fragment.holders_at(row, column)), slot

    def _hit(self, row: int, column: int) -> Hit:
        held = self.fragment
        threads = held.holders_at(row, column)
        place = ", ".join(map(str, held.coordinate(row, column)))
        lane, warp = threads[0] % held.warp, threads[0] // held.warp
        who = f"thread {threads[0]}" if len(threads) == 1 else f"threads {_listed(threads)}"
        tip = (
            f"{held.name}[{place}]: {who}, {held.letter}"
            f"{held.slots[row, column]} (warp {warp}, lane {lane})"
        )
        return Hit(QRectF(), tip, self.selection, ("thread", threads[0]))


def _thread_of(key: object) -> int | None:
    match key:
        case ("thread", int(thread)):
            return thread
    return None


def _listed(threads: tuple[int, ...]) -> str:
    """All of a few, else the first few and how many more."""
    known = ", ".join(map(str, threads[:_MOST_LISTED]))
    rest = len(threads) - _MOST_LISTED
    return f"{known} and {rest} more" if rest > 0 else known


def threads_text(threads: tuple[int, ...]) -> str:
    """`13`, and `4…` for thread 4 and others."""
    return f"{threads[0]}{'…' * (len(threads) > 1)}" if threads else ""


@dataclass(frozen=True, eq=False)
class ThreadPicture:
    """What one thread holds of the cells in view: where each of its elements lies."""

    fragment: Fragment
    held: tuple[Held, ...]
    selection: Selection

    def height(self, width: float) -> float:
        """Rows of chips, and a line where there are more."""
        lines = -(-len(self._shown) // self._per_line(width))
        more = 20.0 if len(self.held) > len(self._shown) else 0.0
        return max(1.0, lines * (_CHIP.height() + _CHIP_GAP) + more)

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it."""
        for place, held in enumerate(self._shown):
            line, column = divmod(place, self._per_line(size.width()))
            left = column * (_CHIP.width() + _CHIP_GAP)
            corner = QPointF(left, line * (_CHIP.height() + _CHIP_GAP))
            self._paint_chip(canvas, QRectF(corner, _CHIP), held)
        rest = len(self.held) - len(self._shown)
        if rest:
            area = QRectF(0, size.height() - 20, size.width(), 18)
            canvas.text(area, f"and {rest:,} more", TextRole.LABEL, "fg3")

    @property
    def _shown(self) -> tuple[Held, ...]:
        return self.held[:_MOST_CHIPS]

    @staticmethod
    def _per_line(width: float) -> int:
        return max(1, int((width + _CHIP_GAP) // (_CHIP.width() + _CHIP_GAP)))

    def _paint_chip(self, canvas: Canvas, box: QRectF, held: Held) -> None:
        canvas.box(box, canvas.colour("bg2"), canvas.colour("line2"), 4)
        slot = f"{self.fragment.letter}{held.slot}"
        place = ", ".join(map(str, self.fragment.coordinate(held.row, held.column)))
        upper = QRectF(box.left(), box.top() + 3, box.width(), 16)
        canvas.text(upper, slot, TextRole.STRONG_LABEL, "accent", _CENTRE)
        canvas.text(upper.translated(0, 15), place, TextRole.LABEL, "fg2", _CENTRE)
        canvas.hit(box, f"{self.fragment.name}[{place}] lies in {slot}", self.selection)


@dataclass(frozen=True, eq=False)
class ConflictPicture:
    """Two layouts in one grid: cells that agree are pale, the others split among both owners."""

    conflict: Conflict
    is_whole: bool
    selection: Selection

    def height(self, width: float) -> float:
        """The grid, its numbers, and the legend below."""
        rows, columns = self._size
        return grid_area(width, rows, columns, self.is_whole, _SPLIT).bottom() + 2 * _BELOW

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it."""
        rows, columns = self._size
        area = grid_area(size.width(), rows, columns, self.is_whole, _SPLIT)
        first, second = (each[0, :rows, :columns] for each in self.conflict.wanted)
        cells = Cells(
            first,
            self._texts,
            self._hit,
            seconds=second,
            agreeing=self.conflict.agrees[:rows, :columns],
        )
        paint_cells(canvas, area, cells)
        upper = f"Above the diagonal: the threads of {self.conflict.first}"
        lower = f"Below it: those of {self.conflict.second}. {self._legend}"
        for place, text in enumerate((upper, lower)):
            line = QRectF(LEFT, area.bottom() + 6 + 18 * place, size.width() - LEFT, 18)
            canvas.text(line, text, TextRole.LABEL, "fg3")

    @property
    def _size(self) -> tuple[int, int]:
        return shown_size(self.conflict.rows, self.conflict.columns, self.is_whole)

    @property
    def _legend(self) -> str:
        """What else there is to see: pale cells, or texts of several threads."""
        pale = "Pale cells agree." if self.conflict.agrees.any() else "No cell agrees."
        many = max(self.conflict.copies)
        return f"{pale} 0…: thread 0 and {many - 1} more." if many > 1 else pale

    def _texts(self, row: int, column: int) -> tuple[str, str]:
        first, second = (self.conflict.owners(which, row, column) for which in (0, 1))
        return threads_text(first), threads_text(second)

    def _hit(self, row: int, column: int) -> Hit:
        first, second = self._texts(row, column)
        one, two = self.conflict.first, self.conflict.second
        tip = f"[{row}, {column}]: thread {first} for {one}, {second} for {two}"
        return Hit(QRectF(), tip, self.selection, ("cell", row, column))
