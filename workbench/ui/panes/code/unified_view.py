"""A comparison in one column, with the line numbers of both texts and a sign before each change."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF, QPainter

from workbench.session.code_inputs import Language
from workbench.session.code_unified import UnifiedLine, UnifiedText
from workbench.session.text_differences import Change
from workbench.ui.editor.appearance import colour
from workbench.ui.editor.gutter import BAR, Gutter
from workbench.ui.editor.rows import Row
from workbench.ui.panes.code.marks import TOKENS
from workbench.ui.panes.code.text_view import TextView

_SIGNS = {Change.REMOVED: "\u2212", Change.ADDED: "+"}
_INSET = 6
_GAP = 8


class UnifiedGutter(Gutter):
    """Left the numbers of the text that is compared with, right those of the text that is read."""

    lines: tuple[UnifiedLine, ...] = ()

    def wanted_width(self) -> int:
        """The width of two numbers and a sign."""
        advance = QFontMetricsF(self._number_font()).horizontalAdvance("0")
        numbers = 2 * self._digits() * advance + advance
        return BAR + _INSET + round(numbers) + 3 * _GAP

    def _paint_number(self, painter: QPainter, row: Row, *, is_current: bool) -> None:
        if row.line >= len(self.lines):
            return
        line, (advance, height) = self.lines[row.line], self._digit
        baseline = round(row.top + (row.line_height + height) / 2)
        first = BAR + _INSET + self._digits() * advance
        second = first + _GAP + self._digits() * advance
        painter.setPen(colour(self._theme.palette, "fg" if is_current else "fg3"))
        for end, number in ((first, line.left), (second, line.right)):
            if number is not None:
                text = str(number + 1)
                painter.drawText(QPointF(end - len(text) * advance, baseline), text)
        if line.change in _SIGNS:
            painter.setPen(colour(self._theme.palette, TOKENS[line.change]))
            painter.drawText(QPointF(second + _GAP, baseline), _SIGNS[line.change])

    def _paint_fold_or_bulb(self, painter: QPainter, row: Row, *, is_folded: bool) -> None:
        """The code is not folded: what is equal is hidden already."""

    def _fold_left(self) -> int:
        return self.width()

    def _digits(self) -> int:
        """The digits of the largest number, and room for two of them at least."""
        return max(2, len(str(len(self.lines))))


class UnifiedView(TextView):
    """Lines are counted as the text that is read has them; rows are those of the column."""

    GUTTER = UnifiedGutter

    _text: UnifiedText | None = None

    def show_unified(self, text: UnifiedText, language: Language) -> None:
        """Show another comparison from its top; the same one stays where it is."""
        self._text = text
        assert isinstance(self.gutter, UnifiedGutter)
        self.gutter.lines = text.lines
        self.show_text(tuple(line.text for line in text.lines), language)

    def row_of(self, line: int) -> int:
        """The row in which a line of the text that is read stands."""
        return self._text.row_of(line) if self._text is not None else line

    def line_of(self, row: int) -> int:
        """The line of the text that is read in a row, or the next one below."""
        return self._text.line_of(row) if self._text is not None else row

    def line_count(self) -> int:
        """How many lines the text that is read has."""
        return len(self._text.difference.right) if self._text is not None else 1

    def _update_sticky(self) -> None:
        """No line stays at the top: what encloses a row may be another line in each text."""
        self.sticky.show_line(None)
