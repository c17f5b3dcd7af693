"""What a comparison draws beneath and above the text: changed lines and words, folds, a veil."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.session.text_differences import Change, Range
from workbench.ui.editor.appearance import note_font
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.rows import Row
from workbench.ui.editor.units import to_units
from workbench.ui.panes.code.marks import TOKENS, Marks
from workbench.ui.theme.theme import Theme

LINE_ALPHA = 0.13
_WORD_ALPHA = 0.28
_STALE_VEIL = 0.5
_RADIUS = 3.0
_FOLD_INSET = 8


class ChangedLines:
    """Tints lines that differ, and in a changed line its changed words; a rule where lines lack."""

    def __init__(self, theme: Theme, viewport: QWidget) -> None:
        self._theme, self._viewport = theme, viewport
        self.marks: Marks | None = None

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if self.marks is None:
            return
        width = self._viewport.width()
        for row in rows:
            change = self.marks.change_at(row.line)
            if change is not None:
                tone = self._theme.colour(TOKENS[change], LINE_ALPHA)
                painter.fillRect(QRectF(0, row.top, width, row.height), tone)
                self._paint_words(painter, row, self.marks.words(row.line), change)
            gap = self.marks.insertion_at(row.line)
            if gap is not None:
                tone = self._theme.colour(TOKENS[gap])
                painter.fillRect(QRectF(0, row.top - 1, width, 2), tone)

    def _paint_words(
        self, painter: QPainter, row: Row, words: Iterable[Range], change: Change
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(TOKENS[change], _WORD_ALPHA))
        text = row.block.text()
        for start, end in words:
            for span in row.spans(to_units(text, start), to_units(text, end)):
                painter.drawRoundedRect(span.adjusted(0, 1, 0, -1), _RADIUS, _RADIUS)


class FoldRows:
    """Covers the line that stands for a fold by how many equal lines it hides."""

    def __init__(self, theme: Theme, viewport: QWidget, buffer: DocumentBuffer) -> None:
        self._theme, self._viewport, self._buffer = theme, viewport, buffer
        self.marks: Marks | None = None

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if self.marks is None:
            return
        folds = self.marks.folds
        painter.setFont(note_font(self._buffer.code_pixels))
        for row in rows:
            if row.line in folds:
                count = self.marks.fold_length(folds[row.line])
                self._paint_row(painter, row, f"⋯  {count:,} equal lines")

    def _paint_row(self, painter: QPainter, row: Row, text: str) -> None:
        area = QRectF(0, row.top, self._viewport.width(), row.height)
        painter.fillRect(area, self._theme.colour("bg2"))
        painter.setPen(self._theme.colour("line"))
        for y in (area.top() + 0.5, area.bottom() - 0.5):
            painter.drawLine(QPointF(0, y), QPointF(area.width(), y))
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(area.adjusted(_FOLD_INSET, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)


class StaleVeil:
    """Pales what is of an earlier text."""

    def __init__(self, theme: Theme, viewport: QWidget) -> None:
        self._theme, self._viewport = theme, viewport
        self.is_on = False

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if self.is_on:
            painter.fillRect(self._viewport.rect(), self._theme.colour("bg1", _STALE_VEIL))
