"""Paints a scene of a chart in the theme's colours and fonts."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from workbench.session.charts.scene import Box, Mark, Rect, Scene, Shape, Stroke, Text
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import TARGET_MARKS, MarkShape
from workbench.ui.widgets.painting import mark_path, paint_block, with_alpha

#: Room for whiskers and marks at the edges of the plot.
_CLIP = (-6.0, -16.0, 6.0, 1.0)
_RING = 1.6
_ROLES = {11: TextRole.NOTE, 12: TextRole.LABEL, 13: TextRole.BODY}
_WEIGHTS = {400: QFont.Weight.Normal, 500: QFont.Weight.Medium, 600: QFont.Weight.DemiBold}


def paint_scene(painter: QPainter, scene: Scene, theme: Theme) -> None:
    """Paint all shapes from back to front."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    clip = to_qt(scene.plot).adjusted(*_CLIP)
    pens = _Pens(theme)
    groups = itertools.groupby(scene.shapes, lambda shape: getattr(shape, "is_clipped", False))
    for is_clipped, shapes in groups:
        painter.save()
        if is_clipped:
            painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
        for shape in shapes:
            _paint(painter, shape, pens)
        painter.restore()


class _Pens:
    """The theme, with the fonts of a scene made once a painting."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._fonts: dict[tuple[int, int], tuple[QFont, QFontMetricsF]] = {}

    def font(self, size: int, weight: int) -> tuple[QFont, QFontMetricsF]:
        """The font of a size and a weight, with its metrics."""
        if (size, weight) not in self._fonts:
            font = scene_font(self.theme, size, weight)
            self._fonts[(size, weight)] = (font, QFontMetricsF(font))
        return self._fonts[(size, weight)]


def to_qt(area: Rect) -> QRectF:
    """A rectangle of a scene as Qt's."""
    return QRectF(area.x, area.y, area.width, area.height)


def _paint(painter: QPainter, shape: Shape, pens: _Pens) -> None:
    theme = pens.theme
    if isinstance(shape, Box):
        colour = with_alpha(theme.colour(shape.tone), shape.alpha)
        paint_block(painter, to_qt(shape.area), colour, shape.is_hatched, shape.radius)
    elif isinstance(shape, Stroke):
        _stroke(painter, shape, theme)
    elif isinstance(shape, Text):
        _text(painter, shape, pens)
    else:
        _mark(painter, shape, theme)


def _stroke(painter: QPainter, stroke: Stroke, theme: Theme) -> None:
    colour = with_alpha(theme.colour(stroke.tone), stroke.alpha)
    points = QPolygonF([QPointF(x, y) for x, y in stroke.points])
    if stroke.fill:
        path = QPainterPath()
        path.addPolygon(points)
        painter.fillPath(path, colour)
        return
    pen = QPen(colour, stroke.width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if stroke.dash:
        pen.setDashPattern([length / stroke.width for length in stroke.dash])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(points)


def scene_font(theme: Theme, size: int, weight: int) -> QFont:
    """The interface font at a size and a weight of a scene."""
    font = QFont(theme.fonts.role(_ROLES.get(size, TextRole.NOTE)))
    font.setWeight(_WEIGHTS[weight])
    return font


def _text(painter: QPainter, text: Text, pens: _Pens) -> None:
    theme = pens.theme
    font, metrics = pens.font(text.size, text.weight)
    width = metrics.horizontalAdvance(text.text)
    left = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor]
    painter.save()
    painter.translate(text.x, text.y)
    painter.rotate(text.angle)
    box = QRectF(left, -metrics.height() / 2, width, metrics.height())
    if text.is_clear:
        painter.fillRect(box.adjusted(-2, 1, 2, -1), theme.colour("bg1", 0.82))
    painter.setFont(font)
    painter.setPen(theme.colour(text.tone))
    painter.drawText(QPointF(left, metrics.ascent() - metrics.height() / 2), text.text)
    painter.restore()


def _mark(painter: QPainter, mark: Mark, theme: Theme) -> None:
    shape = TARGET_MARKS[mark.mark % len(TARGET_MARKS)].shape
    half, colour = mark.size / 2, QColor(theme.colour(mark.tone))
    box = QRectF(mark.x - half, mark.y - half, mark.size, mark.size)
    if not mark.is_hollow and shape is not MarkShape.RING:
        painter.fillPath(mark_path(shape, box), colour)
        return
    inset = _RING / 2
    path = mark_path(shape, box.adjusted(inset, inset, -inset, -inset))
    painter.fillPath(path, theme.colour("bg1"))
    painter.strokePath(path, QPen(colour, _RING))
