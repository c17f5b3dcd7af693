"""A small drawing surface for pictures: coordinates of their own, fitted into a rectangle."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_hatch

WIDTH, HEIGHT = 200.0, 136.0
_RADIUS = 2.0


class Canvas:
    """Paints in a field of `WIDTH` by `HEIGHT`, in the middle of `room`; text keeps its size."""

    def __init__(self, painter: QPainter, room: QRectF, theme: Theme) -> None:
        self._painter, self._theme = painter, theme
        self._scale = min(room.width() / WIDTH, room.height() / HEIGHT)
        self._left = room.center().x() - self._scale * WIDTH / 2
        self._top = room.center().y() - self._scale * HEIGHT / 2
        self._font = theme.fonts.role(TextRole.NOTE)
        self._font.setWeight(self._font.Weight.Medium)

    def cell(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        token: str,
        alpha: float = 1.0,
    ) -> None:
        """A filled block in a token's colour."""
        self._painter.fillPath(self._path(left, top, width, height), self._colour(token, alpha))

    def hatch(
        self, left: float, top: float, width: float, height: float, token: str, alpha: float
    ) -> None:
        """A hatched block: what lies outside the tensor."""
        paint_hatch(self._painter, self._path(left, top, width, height), self._colour(token, alpha))

    def grid(
        self, left: float, top: float, columns: int, rows: int, size: float, gap: float
    ) -> None:
        """Pale square cells in rows and columns."""
        for row in range(rows):
            for column in range(columns):
                x, y = left + column * (size + gap), top + row * (size + gap)
                self.cell(x, y, size, size, "bg4")

    def frame(self, left: float, top: float, width: float, height: float, token: str) -> None:
        """The outline of a block."""
        self._painter.setPen(QPen(self._colour(token), 1.5))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRoundedRect(self._rect(left, top, width, height), 3, 3)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, token: str, dashed: bool = False
    ) -> None:
        """A line, dashed where it stands for a value."""
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self._painter.setPen(QPen(self._colour(token), 1.2, style))
        self._painter.drawLine(self._point(x1, y1), self._point(x2, y2))

    def arrow(self, x1: float, y: float, x2: float, token: str) -> None:
        """A line to the right with a head."""
        self.line(x1, y, x2, y, token)
        self.line(x2 - 4, y - 3, x2, y, token)
        self.line(x2 - 4, y + 3, x2, y, token)

    def text(
        self, x: float, y: float, text: str, token: str = "fg3", align: str = "middle"
    ) -> None:
        """Words whose middle line is at `y`; `align` says what `x` is: start, middle or end."""
        metrics = QFontMetricsF(self._font)
        width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
        shift = {"start": 0.0, "middle": width / 2, "end": width}[align]
        at = self._point(x, y)
        place = QRectF(at.x() - shift, at.y() - height / 2, width, height)
        self._painter.setFont(self._font)
        self._painter.setPen(self._colour(token))
        self._painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _colour(self, token: str, alpha: float = 1.0) -> QColor:
        return self._theme.colour(token, alpha)

    def _point(self, x: float, y: float) -> QPointF:
        return QPointF(self._left + x * self._scale, self._top + y * self._scale)

    def _rect(self, left: float, top: float, width: float, height: float) -> QRectF:
        at = self._point(left, top)
        return QRectF(at.x(), at.y(), width * self._scale, height * self._scale)

    def _path(self, left: float, top: float, width: float, height: float) -> QPainterPath:
        path = QPainterPath()
        path.addRoundedRect(self._rect(left, top, width, height), _RADIUS, _RADIUS)
        return path
