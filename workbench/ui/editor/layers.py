"""What is drawn beneath the text: the cursor's line, linked lines, matches, brackets, guides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from workbench.ui.editor.appearance import colour
from workbench.ui.editor.brackets import Match, Position
from workbench.ui.editor.line_data import LineData
from workbench.ui.editor.lines import TAB_COLUMNS, indentation, width
from workbench.ui.editor.rows import Row
from workbench.ui.editor.searching import Found
from workbench.ui.theme.theme import Theme

RADIUS = 3.0


class CurrentLine:
    """The cursor's line in the colour of a selected row."""

    def __init__(self, theme: Theme, viewport: QWidget, line_of: Callable[[], int]) -> None:
        self._theme, self._viewport, self._line_of = theme, viewport, line_of

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        line = self._line_of()
        for row in rows:
            if row.line == line:
                area = QRectF(0, row.top, self._viewport.width(), row.height)
                painter.fillRect(area, colour(self._theme.palette, "accentbg"))


class LinkedLines:
    """Lines that belong to one statement in several panes, in the colour of that statement."""

    ALPHA = 0.22

    def __init__(self, viewport: QWidget, data: LineData) -> None:
        self._viewport, self._data = viewport, data

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        for row in rows:
            if row.line in self._data.links:
                hue = QColor(self._data.links[row.line])
                painter.fillRect(QRectF(0, row.top, 3, row.height), hue)
                hue.setAlphaF(self.ALPHA)
                painter.fillRect(QRectF(0, row.top, self._viewport.width(), row.height), hue)


class Matches:
    """Every match of the search, the current one with an edge of its own."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._found: Sequence[Found] = ()
        self._starts: list[int] = []
        self.current: int | None = None

    @property
    def found(self) -> Sequence[Found]:
        """The matches as positions in the document, in order."""
        return self._found

    @found.setter
    def found(self, found: Sequence[Found]) -> None:
        self._found = found
        self._starts = [match.start for match in found]

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if not self._found:
            return
        palette = self._theme.palette
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour(palette, "warn", 0.28))
        for row in rows:
            for index in self._on(row):
                is_current = index == self.current
                edge = colour(palette, "warn") if is_current else colour(palette, "warn", 0.0)
                painter.setPen(QPen(edge, 1.5))
                self._paint_match(painter, row, self._found[index])

    def _on(self, row: Row) -> range:
        start = row.block.position()
        end = start + row.block.length()
        first = bisect_left(self._starts, start)
        if first and self._found[first - 1].end > start:
            first -= 1
        return range(first, bisect_left(self._starts, end))

    def _paint_match(self, painter: QPainter, row: Row, match: Found) -> None:
        at, length = row.block.position(), row.block.length() - 1
        for area in row.spans(max(0, match.start - at), min(length, match.end - at)):
            painter.drawRoundedRect(area.adjusted(-0.5, 1, 0.5, -1), RADIUS, RADIUS)


class BracketPair:
    """The bracket at the cursor and its partner, or in the colour of errors one without."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.match: Match | None = None

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if self.match is None:
            return
        token = "accent" if self.match.partner else "error"
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(self._theme.palette, token, 0.8), 1))
        painter.setBrush(colour(self._theme.palette, token, 0.22))
        for row in rows:
            for position in (self.match.here, self.match.partner):
                if position and position.line == row.line:
                    self._paint_bracket(painter, row, position)

    def _paint_bracket(self, painter: QPainter, row: Row, position: Position) -> None:
        left, right = row.column_x(position.column), row.column_x(position.column + 1)
        painter.drawRoundedRect(
            QRectF(left, row.top + 1.5, right - left, row.line_height - 3), 2, 2
        )


class IndentGuides:
    """A thin line at each level of indentation that a line has."""

    def __init__(self, theme: Theme, unit_of: Callable[[], str]) -> None:
        self._theme, self._unit_of = theme, unit_of

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        columns = width(self._unit_of()) or TAB_COLUMNS
        painter.setPen(QPen(colour(self._theme.palette, "line"), 1))
        below = 0
        lines = []
        left = rows[0].x(0) if rows else 0.0
        advance = painter.fontMetrics().horizontalAdvance(" " * 100) / 100
        for row in reversed(rows):
            text = row.block.text()
            depth = width(indentation(text)) if text.strip() else below
            below = depth
            for column in range(columns, depth, columns):
                x = round(left + column * advance)
                lines.append(
                    QLineF(QPointF(x + 0.5, row.top), QPointF(x + 0.5, row.top + row.height))
                )
        painter.drawLines(lines)
