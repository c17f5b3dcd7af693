"""The strip between two texts that joins what differs in them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.session.text_differences import Difference, Hunk
from workbench.ui.panes.code.layers import LINE_ALPHA
from workbench.ui.panes.code.marks import TOKENS
from workbench.ui.panes.code.text_view import TextView
from workbench.ui.theme.theme import Theme

WIDTH = 36
_EDGE_ALPHA = 0.6


class Connector(QWidget):
    """Draws a band from the lines of each change on the left to those on the right."""

    def __init__(self, theme: Theme, left: TextView, right: TextView) -> None:
        super().__init__()
        self._theme, self._left, self._right = theme, left, right
        self._difference: Difference | None = None
        self.setFixedWidth(WIDTH)
        self.setAccessibleName("What differs, from left to right")
        theme.changed.connect(self.update)

    def set_difference(self, difference: Difference | None) -> None:
        """Join the changes of another comparison."""
        self._difference = difference
        self.update()

    def visible_changes(self) -> tuple[Hunk, ...]:
        """The changes of which a line is in sight on either side."""
        if self._difference is None:
            return ()
        tops = self._left.line_at(0), self._right.line_at(0)
        ends = [view.line_at(view.viewport().height() - 1) for view in (self._left, self._right)]
        return tuple(
            hunk
            for hunk in self._difference.changes
            if (hunk.left[1] >= tops[0] and hunk.left[0] <= ends[0])
            or (hunk.right[1] >= tops[1] and hunk.right[0] <= ends[1])
        )

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(event.rect(), self._theme.colour("bg1"))
            offsets = [self._offset(view) for view in (self._left, self._right)]
            for hunk in self.visible_changes():
                self._paint_band(painter, hunk, offsets)
            painter.setPen(QPen(self._theme.colour("line"), 1))
            for x in (0.5, self.width() - 0.5):
                painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))

    def _offset(self, view: TextView) -> int:
        """How much lower than this strip the text of a view begins."""
        return self.mapFromGlobal(view.viewport().mapToGlobal(QPoint(0, 0))).y()

    def _paint_band(self, painter: QPainter, hunk: Hunk, offsets: list[int]) -> None:
        left = [self._left.line_y(line) + offsets[0] for line in hunk.left]
        right = [self._right.line_y(line) + offsets[1] for line in hunk.right]
        upper = _curve(left[0], right[0], self.width())
        lower = _curve(left[1], right[1], self.width())
        band = QPainterPath(upper)
        band.connectPath(lower.toReversed())
        band.closeSubpath()
        token = TOKENS[hunk.change]
        painter.fillPath(band, self._theme.colour(token, LINE_ALPHA))
        painter.setPen(QPen(self._theme.colour(token, _EDGE_ALPHA), 1))
        painter.drawPath(upper)
        painter.drawPath(lower)


def _curve(left: float, right: float, width: int) -> QPainterPath:
    """An S from one height at the left edge to another at the right."""
    curve = QPainterPath(QPointF(0, left))
    curve.cubicTo(QPointF(width / 2, left), QPointF(width / 2, right), QPointF(width, right))
    return curve
