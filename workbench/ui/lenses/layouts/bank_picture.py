"""The picture of a tile in shared memory: its parts by bank, and the banks that a phase meets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt

from workbench.session.lenses.layouts.shared import BANK_BYTES, BankGrid, SharedTile
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.layouts.cells import LEFT, TOP, Cells
from workbench.ui.lenses.layouts.grid import paint_cells
from workbench.ui.lenses.layouts.hues import hue_colour
from workbench.ui.lenses.layouts.pictures import Labels
from workbench.ui.theme.fonts import TextRole

_GAP = 14.0
_HEAD = 24.0
_TALLEST, _LOWEST = 20.0, 3.0
_TWO_LINES = 23.0
_MOST_HEIGHT, _CORNER_HEIGHT = 420.0, 256.0
_STACK_HEAD, _STACK_FOOT = 34.0, 44.0
_STACK_ROOM = 96.0
_STACK_TALLEST = 18.0
_LEAST_ROWS = 8  # of the corner: one phase of 16 bytes a row
_CENTRE = Qt.AlignmentFlag.AlignCenter
_COLLIDES = 2  # rows in one bank


@dataclass(frozen=True, eq=False)
class BankPicture:
    """A tile row by row and as it is lowered. `phase` is the row and part whose phase is marked."""

    tile: SharedTile
    phase: tuple[int, int]
    labels: Labels
    is_whole: bool
    selection: Selection

    def height(self, width: float) -> float:
        """The grids, and the banks that the phase meets below each."""
        return self._grid(width, 0).bottom() + _STACK_HEAD + self._stacks_height + _STACK_FOOT

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint each layout beside the other."""
        for place, grid in enumerate(self.tile.grids):
            area = self._grid(size.width(), place)
            title = QRectF(area.left(), 0, area.width(), _HEAD - 6)
            canvas.text(title, grid.title, TextRole.HEADING, "fg")
            paint_cells(canvas, area, self._cells(grid))
            self._paint_stacks(canvas, area, grid)
        foot = QRectF(LEFT, size.height() - 20, size.width() - LEFT, 18)
        canvas.text(foot, self._legend, TextRole.NOTE, "fg3")

    @property
    def _size(self) -> tuple[int, int]:
        """The rows and parts that are drawn."""
        rows, parts = self.tile.rows, self.tile.parts
        if self.is_whole:
            return rows, parts
        line = self.tile.before.banks * BANK_BYTES // self.tile.before.part_bytes
        return min(rows, max(_LEAST_ROWS, self.tile.phase_rows)), min(parts, max(8, line))

    def _grid(self, width: float, place: int) -> QRectF:
        count, (rows, parts) = len(self.tile.grids), self._size
        each = (width - _GAP * (count - 1) - 4) / count
        most = _TWO_LINES if self.labels is Labels.COORDINATE else _TALLEST
        room = _MOST_HEIGHT if self.is_whole else _CORNER_HEIGHT
        height = rows * max(_LOWEST, min(most, room / rows))
        left = place * (each + _GAP) + LEFT
        wide = min(each - LEFT, parts * 3.4 * _TALLEST)
        return QRectF(left, _HEAD + TOP, wide, height)

    def _cells(self, grid: BankGrid) -> Cells:
        rows, parts = self._size
        row, part = self.phase
        marked = self.tile.phase(row)
        return Cells(
            grid.first_banks[:rows, :parts],
            lambda r, c: self._texts(grid, r, c),
            lambda r, c: self._hit(grid, r, c),
            column_label=lambda c: str(c * self.tile.part_elements),
            outlined=(marked.start, part, min(len(marked), rows - marked.start), 1),
            group=self.tile.phase_rows if self.tile.phase_rows < rows else 0,
        )

    def _texts(self, grid: BankGrid, row: int, part: int) -> tuple[str, str]:
        element = part * self.tile.part_elements
        size = grid.part_bytes // self.tile.part_elements
        if self.labels is Labels.INDEX:
            return str(int(grid.bytes[row, part]) // size), ""
        if self.labels is Labels.COORDINATE:
            return str(row), str(element)
        return str(int(grid.first_banks[row, part])), ""

    def _hit(self, grid: BankGrid, row: int, part: int) -> Hit:
        first = int(grid.first_banks[row, part])
        last = first + max(1, grid.part_bytes // BANK_BYTES) - 1
        banks = f"bank {first}" if first == last else f"banks {first} to {last}"
        column = part * self.tile.part_elements
        where = f"{self.tile.name}[{row}, {column}]"
        if self.tile.part_elements > 1:
            where += f" and {self.tile.part_elements - 1} beside it"
        tip = f"{where}: byte {int(grid.bytes[row, part]):,}, {banks}, line {grid.lines[row, part]}"
        return Hit(QRectF(), tip, self.selection, ("phase", row, part))

    @property
    def _legend(self) -> str:
        grid, part = self.tile.before, self.tile.part_elements
        what = f"{part} elements ({grid.part_bytes} B)" if part > 1 else "an element"
        stage = f"The first of {self.tile.lead[0]} stages. " if len(self.tile.lead) == 1 else ""
        values = {
            Labels.VALUE: f"Cell: the first bank of {what}.",
            Labels.INDEX: f"Cell: where {what} lie{'s' * (part == 1)}, in elements.",
            Labels.COORDINATE: f"Cell: row and column of {what}.",
        }
        return f"{stage}{values[self.labels]} A click marks its phase."

    @cached_property
    def _passes(self) -> int:
        row, part = self.phase
        rows = self.tile.phase(row)
        return max(grid.passes(rows, part) for grid in self.tile.grids)

    @property
    def _stack_step(self) -> float:
        return min(_STACK_TALLEST, _STACK_ROOM / self._passes)

    @property
    def _stacks_height(self) -> float:
        return self._passes * self._stack_step

    def _paint_stacks(self, canvas: Canvas, area: QRectF, grid: BankGrid) -> None:
        """The row of all banks, on which the rows of the phase are piled up."""
        row, part = self.phase
        rows = self.tile.phase(row)
        stacks, passes = grid.stacks(rows, part), grid.passes(rows, part)
        self._paint_stack_head(canvas, area, rows, passes)
        floor = area.bottom() + _STACK_HEAD + self._stacks_height
        width = area.width() / len(stacks)
        for place, stack in enumerate(stacks):
            left = area.left() + place * width
            for height, one in enumerate(stack):
                top = floor - (height + 1) * self._stack_step
                box = QRectF(left, top, width, self._stack_step)
                self._paint_row(canvas, box, one, place, len(stack))
        canvas.line(QPointF(area.left(), floor + 0.5), QPointF(area.right(), floor + 0.5), "line2")
        self._paint_bank_numbers(canvas, area, floor, grid.banks)

    def _paint_stack_head(self, canvas: Canvas, area: QRectF, rows: range, passes: int) -> None:
        text = f"{passes} pass{'' if passes == 1 else 'es'}"
        token = "good" if passes == 1 else "error"
        head = QRectF(area.left(), area.bottom() + 8, area.width(), 18)
        canvas.text(head, text, TextRole.HEADING, token)
        left = canvas.text_width(text, TextRole.HEADING) + 8
        what = f"for rows {rows.start}–{rows.stop - 1} at once"
        canvas.text(head.adjusted(left, 0, 0, 0), what, TextRole.LABEL, "fg3")

    def _paint_row(self, canvas: Canvas, box: QRectF, row: int, place: int, together: int) -> None:
        inner = box.adjusted(0.75, 0.75, -0.75, -0.75)
        number = place * max(1, self.tile.before.part_bytes // BANK_BYTES)
        collides = together >= _COLLIDES
        fill = canvas.colour("error_bg") if collides else hue_colour(number, canvas.theme.scheme)
        edge = canvas.colour("error") if collides else None
        canvas.box(inner, fill, edge, 2)
        widest = canvas.text_width(str(self.tile.phase(row).stop - 1), TextRole.NOTE)
        if box.height() >= 11 and widest < box.width() - 2:
            canvas.text(inner, str(row), TextRole.NOTE, "error" if collides else "fg", _CENTRE)

    def _paint_bank_numbers(self, canvas: Canvas, area: QRectF, floor: float, banks: int) -> None:
        step = 4 if area.width() > 6 * banks else 8
        for bank in range(0, banks, step):
            left = area.left() + bank / banks * area.width()
            line = QRectF(left, floor + 2, area.width() * step / banks, 14)
            canvas.text(line, str(bank), TextRole.NOTE, "fg3", elide=False)
        name = QRectF(area.left() - LEFT, floor + 2, LEFT - 4, 14)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        canvas.text(name, "bank", TextRole.NOTE, "fg3", right, elide=False)
