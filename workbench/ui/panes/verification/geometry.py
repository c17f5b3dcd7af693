"""Where the picture, its labels and its hover card stand in the widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF

from workbench.ui.panes.verification.viewport import Viewport

# A long and narrow output is drawn wider than it is, so that its narrow side can be read.
LEAST_ASPECT, MOST_ASPECT = 0.5, 2.6
_CARD_GAP = 20.0
_LEAST_SEEN = 24.0  # around the pointer, where the block is too large to be kept free


@dataclass(frozen=True)
class Frame:
    """The picture's rectangle in px, and the part of the picture that it shows.

    `has_caption` says that there is room for a line below.
    """

    rect: QRectF
    view: Viewport
    has_caption: bool = False

    @property
    def row_px(self) -> float:
        """The height of a row of elements."""
        return self.rect.height() / max(self.view.rows, 1e-9)

    @property
    def column_px(self) -> float:
        """The width of a column of elements."""
        return self.rect.width() / max(self.view.columns, 1e-9)

    def y(self, row: float) -> float:
        """The upper edge of a row."""
        return self.rect.top() + (row - self.view.top) * self.row_px

    def x(self, column: float) -> float:
        """The left edge of a column."""
        return self.rect.left() + (column - self.view.left) * self.column_px

    def cells(self, top: float, left: float, rows: float, columns: float) -> QRectF:
        """The rectangle of some elements, of which parts may lie outside the picture."""
        return QRectF(self.x(left), self.y(top), columns * self.column_px, rows * self.row_px)

    def place(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column under a point; None outside the picture."""
        if not self.rect.contains(point):
            return None
        row = self.view.top + (point.y() - self.rect.top()) / self.row_px
        column = self.view.left + (point.x() - self.rect.left()) / self.column_px
        return (
            min(int(row), self.view.extent[0] - 1),
            min(int(column), self.view.extent[1] - 1),
        )


def picture_rect(room: QRectF, extent: tuple[int, int]) -> QRectF:
    """The largest rectangle in the upper left of the room that has about the output's shape."""
    aspect = min(max(extent[1] / max(1, extent[0]), LEAST_ASPECT), MOST_ASPECT)
    width = min(room.width(), room.height() * aspect)
    height = min(room.height(), width / aspect)
    return QRectF(room.left(), room.top(), max(1.0, width), max(1.0, height))


def card_rect(size: QSizeF, explained: QRectF, point: QPointF, bounds: QRectF) -> QRectF | None:
    """Where a card of that size hides neither the point nor, where there is room, its block.

    None where the bounds have no room for it beside the point.
    """
    near = QRectF(point, QSizeF()).adjusted(-_LEAST_SEEN, -_LEAST_SEEN, _LEAST_SEEN, _LEAST_SEEN)
    for kept in (explained.united(near), near):
        for corner in _corners(size, kept, point):
            rect = _pushed(QRectF(corner, size), bounds)
            if bounds.contains(rect) and not rect.intersects(kept):
                return rect
    return None


def _corners(size: QSizeF, kept: QRectF, point: QPointF) -> Sequence[QPointF]:
    """The upper left corners of a card left, right, above and below of what is kept free."""
    top = point.y() - size.height() * 0.7
    left = point.x() - size.width() / 2
    return (
        QPointF(kept.left() - _CARD_GAP - size.width(), top),
        QPointF(kept.right() + _CARD_GAP, top),
        QPointF(left, kept.top() - _CARD_GAP - size.height()),
        QPointF(left, kept.bottom() + _CARD_GAP),
    )


def _pushed(rect: QRectF, bounds: QRectF) -> QRectF:
    """Along the side on which it stands, into the bounds as far as it goes."""
    x = max(bounds.left(), min(rect.left(), bounds.right() - rect.width()))
    y = max(bounds.top(), min(rect.top(), bounds.bottom() - rect.height()))
    return QRectF(x, y, rect.width(), rect.height())
