"""What lists of painted rows have in common: how they scroll, and the ground of a row."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from workbench.ui.theme.tokens import METRICS


def show_painted_rows(view: QListView) -> None:
    """Let a list show rows that fit its width, without a frame, and follow the pointer."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setMouseTracking(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)


def paint_row_ground(
    painter: QPainter, rect: QRect, colour: QColor, margin: float = 0, gap: float = 0
) -> None:
    """Fill a row that is selected or under the pointer; `margin` beside it, `gap` above and below.

    The painter antialiases.
    """
    path = QPainterPath()
    place = QRectF(rect).adjusted(margin, gap, -margin, -gap)
    path.addRoundedRect(place, METRICS.radius_control, METRICS.radius_control)
    painter.fillPath(path, colour)
