"""What is written in and around a plot, in the theme's colours and fonts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem

from workbench.session.charts.scene import Rect, Shape, Spot, Stroke, Text
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import with_alpha

_ROLES = {11: TextRole.NOTE, 12: TextRole.LABEL, 13: TextRole.BODY}
_GROUND = 0.82  # the opacity of what is cleared below a text
_WEIGHTS = {400: QFont.Weight.Normal, 500: QFont.Weight.Medium, 600: QFont.Weight.DemiBold}


def to_qt(area: Rect) -> QRectF:
    """A rectangle of a scene as Qt's."""
    return QRectF(area.x, area.y, area.width, area.height)


def scene_font(theme: Theme, size: int, weight: int) -> QFont:
    """The interface font at a size and a weight of a scene."""
    font = QFont(theme.fonts.role(_ROLES.get(size, TextRole.NOTE)))
    font.setWeight(_WEIGHTS[weight])
    return font


class NotePainter:
    """Paints strokes and texts; its fonts and colours are made once."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._fonts: dict[tuple[int, int], tuple[QFont, QFontMetricsF]] = {}
        self._colours: dict[str, QColor] = {}

    def paint(self, painter: QPainter, shapes: Sequence[Shape], plot: QRectF) -> None:
        """Paint them from back to front; strokes that are clipped are cut to the plot."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        groups = itertools.groupby(shapes, lambda shape: getattr(shape, "is_clipped", False))
        for is_clipped, each in groups:
            painter.save()
            if is_clipped:
                painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
            for shape in each:
                if isinstance(shape, Text):
                    self._text(painter, shape)
                elif isinstance(shape, Stroke):
                    self._stroke(painter, shape)
            painter.restore()

    def _stroke(self, painter: QPainter, stroke: Stroke) -> None:
        pen = QPen(with_alpha(self._colour(stroke.tone), stroke.alpha), stroke.width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if stroke.dash:
            pen.setDashPattern([length / stroke.width for length in stroke.dash])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in stroke.points]))

    def _text(self, painter: QPainter, text: Text) -> None:
        font, metrics = self._font(text.size, text.weight)
        width, height = metrics.horizontalAdvance(text.text), metrics.height()
        left = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor]
        painter.setFont(font)
        if text.angle:
            painter.save()
            painter.translate(text.x, text.y)
            painter.rotate(text.angle)
            painter.setPen(self._colour(text.tone))
            painter.drawText(QPointF(left, metrics.ascent() - height / 2), text.text)
            painter.restore()
            return
        corner = QPointF(text.x + left, text.y - height / 2)
        if text.is_clear:
            ground = QRectF(corner.x() - 2, corner.y() + 1, width + 4, height - 2)
            painter.fillRect(ground, with_alpha(self._colour("bg1"), _GROUND))
        painter.setPen(self._colour(text.tone))
        painter.drawText(corner + QPointF(0, metrics.ascent()), text.text)

    def _colour(self, tone: str) -> QColor:
        if tone not in self._colours:
            self._colours[tone] = self._theme.colour(tone)
        return self._colours[tone]

    def _font(self, size: int, weight: int) -> tuple[QFont, QFontMetricsF]:
        if (size, weight) not in self._fonts:
            font = scene_font(self._theme, size, weight)
            self._fonts[(size, weight)] = (font, QFontMetricsF(font))
        return self._fonts[(size, weight)]


class Notes(QGraphicsItem):
    """What is written in and around the plot, and the frame of the current mark."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._painter = NotePainter(theme)
        self._plot = QRectF()
        self._shapes: Sequence[Shape] = ()
        self._current: Spot | None = None
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def take_theme(self) -> None:
        """Take the theme's fonts."""
        self._painter = NotePainter(self._theme)

    def show_shapes(self, plot: QRectF, shapes: Sequence[Shape]) -> None:
        """Show these, in px from the corner of the plot, which lies there in the scene."""
        self.prepareGeometryChange()
        self._plot, self._shapes = QRectF(QPointF(), plot.size()), shapes
        self.setPos(plot.topLeft())
        self.update()

    def show_current(self, spot: Spot | None) -> None:
        """Frame a mark; only what changes is painted."""
        for each in (self._current, spot):
            if each is not None:
                self.update(to_qt(each.area).adjusted(-4, -4, 4, 4))
        self._current = spot

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return self._plot.adjusted(-400, -80, 100, 60)

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        self._painter.paint(painter, self._shapes, self._plot.adjusted(-1, -16, 1, 1))
        if self._current is not None and self._current.tip:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(to_qt(self._current.area).adjusted(-2, -2, 2, 2), 3, 3)
