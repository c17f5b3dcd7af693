"""The rows of one text: painted as far as they are in sight, each in the hue of its line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from workbench.session.code_inputs import Language
from workbench.session.lenses.linked import PYTHON, LinkedColumn
from workbench.ui.editor.appearance import CODE_PIXELS, code_font
from workbench.ui.editor.lexing import ROOT, LineLexer, State
from workbench.ui.lenses.linked.row_painter import RowPainter, row_height
from workbench.ui.panes.code.lexing import lexer_of
from workbench.ui.theme.theme import Theme

_LANGUAGES = {
    PYTHON: Language.TIR,
    "tir": Language.TIR,
    "lowered": Language.TIR,
    "source": Language.SOURCE,
    "ptx": Language.PTX,
    "sass": Language.SASS,
}
_LINE_BY_LINE = (Language.PTX, Language.SASS)  # no row begins inside what an earlier one opened
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class LinkedRows(QAbstractScrollArea):
    """One text. A click selects a row's line; Alt+Down and Alt+Up go to its next and last row."""

    #: A row that came from a line was clicked: the line.
    line_clicked = Signal(int)
    #: The row among its line's partners that is looked at has changed.
    place_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = LinkedColumn(PYTHON)
        self._states: list[State] = [ROOT]
        self._painter = RowPainter(theme)
        self._lit: int | None = None
        self._has_shown = False
        self._at: int | None = None  # the row that is looked at
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.viewport().update)

    @property
    def column(self) -> LinkedColumn:
        """What is shown."""
        return self._column

    @property
    def place(self) -> tuple[int, int]:
        """Which partner of the lit line is looked at, from 1 (0: none), and how many there are."""
        rows = self._column.partners.get(self._lit or 0, ())
        return (rows.index(self._at) + 1 if self._at in rows else 0), len(rows)

    @property
    def first_row(self) -> int:
        """The topmost row in sight."""
        return self.verticalScrollBar().value()

    def show_column(self, column: LinkedColumn, hues: dict[int, int]) -> None:
        """Show a text; the same stage stays where it is."""
        stays = column.stage == self._column.stage
        self._column, self._states = column, [ROOT]
        self._painter.show_column(column, hues)
        self.setAccessibleName(column.title)
        self._fit()
        if not stays or not self._has_shown:
            self._go_to_code()
        self._has_shown = bool(column.rows)
        self.viewport().update()

    def set_lit(self, line: int | None) -> None:
        """Light up a line's rows, and bring one into sight where none is."""
        if line == self._lit:
            return
        self._update_lit()
        self._lit, self._at = line, None
        rows = self._column.partners.get(line or 0, ())
        sight = self._in_sight
        seen = rows[bisect_left(rows, sight.start) : bisect_left(rows, sight.stop)]
        if rows:
            self._look_at(seen[0] if seen else rows[0])
        self.place_changed.emit()
        self._update_lit()

    @property
    def _in_sight(self) -> range:
        return range(self.first_row, self.first_row + self._rows_in_sight() + 1)

    def _update_lit(self) -> None:
        """Paint the rows anew that are lit: no others change with what is lit."""
        rows, seen = self._column.partners.get(self._lit or 0, ()), self._in_sight
        for row in rows[bisect_left(rows, seen.start) : bisect_left(rows, seen.stop)]:
            self.viewport().update(self._area(row).toAlignedRect())

    def step(self, step: int) -> None:
        """Go to the next partner of the lit line, or to the last one, around the ends."""
        rows = self._column.partners.get(self._lit or 0, ())
        if rows:
            here = bisect_left(rows, self._at) if self._at is not None else -1
            self._look_at(rows[(here + step) % len(rows)])
            self.place_changed.emit()

    def go_to_peak(self) -> None:
        """Show the row at which most registers are live."""
        if self._column.peak is not None:
            self._look_at(self._column.peak)

    def row_at(self, point: QPoint) -> int | None:
        """The row at a point of the viewport."""
        row = self.first_row + int(point.y() // row_height())
        return row if 0 <= row < len(self._column.rows) else None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        shown = self._shown_in(event.region())
        with QPainter(self.viewport()) as painter:
            painter.setFont(code_font(CODE_PIXELS))
            for row in shown:
                self._painter.paint_ground(painter, self._area(row), row, self._is_lit(row))
                self._painter.paint_figures(painter, self._area(row), row)
            if self._at is not None and self._at in shown and self._is_lit(self._at):
                self._painter.paint_outline(painter, self._area(self._at))
            code = self._painter.code_area(QRectF(self.viewport().rect()))
            painter.setClipRect(code)
            self._paint_code(painter, shown)

    def _shown_in(self, region: QRegion) -> list[int]:
        """The rows that lie in a part of the viewport."""
        rows = [row for row in self._in_sight if row < len(self._column.rows)]
        return [row for row in rows if region.intersects(self._area(row).toAlignedRect())]

    def _paint_code(self, painter: QPainter, shown: Sequence[int]) -> None:
        lexer = self._lex_to(max(shown, default=-1) + 1)
        left = float(-self.horizontalScrollBar().value())
        for row in shown:
            spans = lexer.lex(self._column.rows[row], self._state(row)).spans
            area = self._painter.code_area(self._area(row))
            self._painter.paint_code(painter, area, row, spans, left)

    def _area(self, row: int) -> QRectF:
        top = (row - self.first_row) * row_height()
        return QRectF(0, top, self.viewport().width(), row_height())

    def _is_lit(self, row: int) -> bool:
        line = self._column.lines[row]
        return line != 0 and line == self._lit

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        row = self.row_at(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and row is not None:
            self._use(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.step(step)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = self.row_at(event.pos())
            tip = self._tip(row) if row is not None else ""
            if tip:
                QToolTip.showText(event.globalPos(), tip, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def _use(self, row: int) -> None:
        line = self._column.lines[row]
        if line:
            self._lit, self._at = line, row
            self.place_changed.emit()
            self.line_clicked.emit(line)
            self.viewport().update()

    def _tip(self, row: int) -> str:
        column, line = self._column, self._column.lines[row]
        parts = [f"From line {line}" if line else "From no line of the document"]
        if row in column.live:
            peak = ", the most of all" if row == column.peak else ""
            parts.append(f"{column.live[row]} registers live{peak}")
        if row in column.costs:
            parts.append(column.costs[row].tip)
        return "\n".join(parts)

    def _look_at(self, row: int) -> None:
        for each in {self._at, row} - {None}:
            if each is not None and each in self._in_sight:
                self.viewport().update(self._area(each).toAlignedRect())
        self._at = row
        first, count = self.first_row, self._rows_in_sight()
        if not first <= row < first + count:
            self.verticalScrollBar().setValue(max(0, row - count // 3))
            self.viewport().update()
        was = self.horizontalScrollBar().value()
        self._show_start(row)
        if self.horizontalScrollBar().value() != was:
            self.viewport().update()

    def _go_to_code(self) -> None:
        """Begin where the first line has its rows, past what belongs to none."""
        first = next((row for row, line in enumerate(self._column.lines) if line), 0)
        self.verticalScrollBar().setValue(max(0, first - 2))
        if self._column.rows:
            self._show_start(first)

    def _show_start(self, row: int) -> None:
        """Move the code so that a row that is set far in begins at the left, if it has no room."""
        text = self._column.rows[row].expandtabs(4)
        room = self.viewport().width() - self._painter.margins
        indent = len(text) - len(text.lstrip())
        is_long = len(text) * _advance() > room
        self.horizontalScrollBar().setValue(round((indent - 2) * _advance()) if is_long else 0)

    def _lex_to(self, last: int) -> LineLexer:
        """The lexer, with the state that each row up to there begins with."""
        language = _LANGUAGES[self._column.stage]
        lexer = lexer_of(language)
        while language not in _LINE_BY_LINE and len(self._states) < last:
            done = len(self._states) - 1
            self._states.append(lexer.lex(self._column.rows[done], self._states[done]).end_state)
        return lexer

    def _state(self, row: int) -> State:
        return self._states[row] if row < len(self._states) else ROOT

    def _rows_in_sight(self) -> int:
        return max(1, int(self.viewport().height() // row_height()))

    def _fit(self) -> None:
        bar, count = self.verticalScrollBar(), self._rows_in_sight()
        bar.setRange(0, max(0, len(self._column.rows) - count))
        bar.setPageStep(count)
        bar.setSingleStep(3)
        wanted = self._painter.margins + self._column.longest * _advance() + 8
        across = self.horizontalScrollBar()
        across.setRange(0, max(0, round(wanted - self.viewport().width())))
        across.setPageStep(self.viewport().width())
        across.setSingleStep(20)


def _advance() -> float:
    return QFontMetricsF(code_font(CODE_PIXELS)).horizontalAdvance("0")
