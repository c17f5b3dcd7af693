"""Where the visible lines of a view lie, for everything that is drawn on or beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QTextBlock, QTextLine

from workbench.ui.editor.units import to_units


@dataclass(frozen=True, slots=True)
class Row:
    """A visible line, from 0, in the viewport: its place, and its block for what is in it.

    A wrapped line is one row of several text lines, each `line_height` high.
    """

    line: int
    top_left: QPointF
    height: float
    line_height: float
    block: QTextBlock

    @property
    def top(self) -> float:
        """The upper edge."""
        return self.top_left.y()

    def x(self, units: int) -> float:
        """The left edge of the character at a position in the line."""
        line = self.block.layout().lineForTextPosition(units)
        return self._x_in(line, units) if line.isValid() else self.top_left.x()

    def column_x(self, column: int) -> float:
        """The left edge of a character by its index."""
        return self.x(to_units(self.block.text(), column))

    def text_end(self) -> QPointF:
        """Where the text ends: the right edge of its last text line, and the top of that."""
        layout = self.block.layout()
        line = layout.lineAt(max(0, layout.lineCount() - 1))
        if not line.isValid():
            return QPointF(self.top_left)
        return self.top_left + QPointF(line.naturalTextRect().right(), line.y())

    def spans(self, start: int, end: int) -> Iterator[QRectF]:
        """The rectangles of the characters from `start` to `end`, one a text line."""
        layout = self.block.layout()
        for index in range(layout.lineCount()):
            line = layout.lineAt(index)
            left, right = line.textStart(), line.textStart() + line.textLength()
            if start <= right and end >= left:
                x1, x2 = self.x(max(start, left)), self._x_in(line, min(end, right))
                yield QRectF(x1, self.top + line.y(), max(0.0, x2 - x1), line.height())

    def _x_in(self, line: QTextLine, units: int) -> float:
        # PySide gives x and the position that it belongs to; its stubs know x alone.
        x: Any = line.cursorToX(units)
        return self.top_left.x() + float(x[0] if isinstance(x, tuple) else x)


def find_rows(
    block: QTextBlock, at: QPointF, bottom: float, bounds: Callable[[QTextBlock], QRectF]
) -> list[Row]:
    """The rows from a block at a place down to a height; `bounds` lays a block out if need be."""
    found: list[Row] = []
    y = at.y()
    while block.isValid() and y < bottom:
        if block.isVisible():
            height = bounds(block).height()
            found.append(_row(block, QPointF(at.x(), y), height))
            y += height
        block = block.next()
    return found


def _row(block: QTextBlock, top_left: QPointF, height: float) -> Row:
    layout = block.layout()
    count = layout.lineCount()
    # The block's own height is larger for the last one, which has the document's margin below.
    line_height = layout.lineAt(0).height() if count else height
    return Row(block.blockNumber(), top_left, line_height * max(1, count), line_height, block)


class Layer(Protocol):
    """Something that is drawn in the viewport, beneath or above the text."""

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        """Draw on these rows; the painter is clipped to what has to be drawn anew."""
        ...
