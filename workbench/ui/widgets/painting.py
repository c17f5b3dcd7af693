"""Painted marks that mean the same in every view: hatches, bars and the targets' shapes."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS, TARGET_MARKS, MarkShape

_HATCH_STEP = 5.0
_HATCH_WIDTH = 1.1
_PREDICTED_FILL = 0.20
_PREDICTED_EDGE = 0.90
_RING_WIDTH = 1.6


def with_alpha(colour: QColor, alpha: float) -> QColor:
    """The colour at an opacity of 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def paint_hatch(painter: QPainter, area: QPainterPath, colour: QColor) -> None:
    """Lines at 45° within `area`; their places do not depend on `area`, so neighbours agree."""
    painter.save()
    painter.setClipPath(area, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(colour, _HATCH_WIDTH))
    box = area.boundingRect()
    # A line is where x + y is a multiple of the step.
    total = math.ceil((box.left() + box.top()) / _HATCH_STEP) * _HATCH_STEP
    while total < box.right() + box.bottom():
        painter.drawLine(
            QPointF(total - box.bottom(), box.bottom()), QPointF(total - box.top(), box.top())
        )
        total += _HATCH_STEP
    painter.restore()


def paint_block(
    painter: QPainter,
    rect: QRectF,
    colour: QColor,
    predicted: bool,
    radius: float = METRICS.radius_bar,
) -> None:
    """A filled bar or block: solid where it was measured, hatched where it was predicted."""
    path = QPainterPath()
    if not predicted:
        path.addRoundedRect(rect, radius, radius)
        painter.fillPath(path, colour)
        return
    path.addRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.fillPath(path, with_alpha(colour, _PREDICTED_FILL))
    paint_hatch(painter, path, colour)
    painter.setPen(QPen(with_alpha(colour, _PREDICTED_EDGE), 1))
    painter.drawPath(path)


def mark_path(shape: MarkShape, rect: QRectF) -> QPainterPath:
    """The outline of a target's mark within a square; shapes are of about one weight."""
    path = QPainterPath()
    if shape in (MarkShape.CIRCLE, MarkShape.RING):
        path.addEllipse(rect)
    elif shape is MarkShape.SQUARE:
        inset = rect.width() * 0.06
        path.addRect(rect.adjusted(inset, inset, -inset, -inset))
    else:
        path.addPolygon(_polygon(shape, rect))
        path.closeSubpath()
    return path


def paint_mark(painter: QPainter, rect: QRectF, theme: Theme, index: int) -> None:
    """The mark of the target at `index` (0 is the first; they repeat after the fifth)."""
    index %= len(TARGET_MARKS)
    shape = TARGET_MARKS[index].shape
    colour = QColor(theme.palette.targets[index])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if shape is MarkShape.RING:
        half = _RING_WIDTH / 2
        ring = mark_path(shape, rect.adjusted(half, half, -half, -half))
        painter.strokePath(ring, QPen(colour, _RING_WIDTH))
        return
    painter.fillPath(mark_path(shape, rect), colour)


def target_icon(theme: Theme, index: int, size: int = 16) -> QIcon:
    """The mark of a target as an icon, at ratios 1 and 2."""
    icon = QIcon()
    for ratio in (1, 2):
        pixmap = QPixmap(size * ratio, size * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        inset = size * 0.2
        paint_mark(painter, QRectF(inset, inset, size - 2 * inset, size - 2 * inset), theme, index)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def _polygon(shape: MarkShape, rect: QRectF) -> QPolygonF:
    middle = rect.center()
    if shape is MarkShape.TRIANGLE:
        low = rect.bottom() - rect.height() * 0.06
        return QPolygonF(
            [QPointF(middle.x(), rect.top()), QPointF(rect.right(), low), QPointF(rect.left(), low)]
        )
    return QPolygonF(
        [
            QPointF(middle.x(), rect.top()),
            QPointF(rect.right(), middle.y()),
            QPointF(middle.x(), rect.bottom()),
            QPointF(rect.left(), middle.y()),
        ]
    )
