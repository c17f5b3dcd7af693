"""Paints how much of each level's bandwidth a kernel uses that only moves data."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from workbench.session.lenses.links import Selection
from workbench.session.lenses.roofline.facts import LEVELS
from workbench.session.lenses.roofline.picture import RooflinePicture
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import LEVEL_NAMES, bandwidth_text, percent
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

HUES = dict(zip(LEVELS, ("hbm", "l2", "shared"), strict=True))
_TITLE, _ROW, _GAP = 24.0, 18.0, 8.0
_LABEL_PART, _NAME, _SHARE = 0.19, 100.0, 48.0
_BAR = 11.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def levels_height(picture: RooflinePicture) -> float:
    """The px that the bars need."""
    rows = [max(1, len(each.level_shares)) for each in picture.series]
    return _TITLE + sum(count * _ROW + _GAP for count in rows) + _GAP


def paint_levels(canvas: Canvas, area: QRectF, picture: RooflinePicture) -> None:
    """Paint a group of bars for each target, one for each level of memory."""
    title = QRectF(area.left(), area.top(), area.width(), _TITLE)
    canvas.text(title, "Bandwidth in use", TextRole.STRONG_LABEL, "fg2")
    canvas.text(title, "predicted", TextRole.NOTE, "fg3", _RIGHT)
    top = area.top() + _TITLE
    for series in picture.series:
        place = QRectF(area.left(), top, area.width(), _ROW)
        canvas.mark(QPointF(place.left() + 5, place.center().y()), series.mark)
        canvas.text(place.adjusted(16, 0, 0, 0), series.label, TextRole.STRONG_LABEL, "fg")
        top = _bars(canvas, place.adjusted(area.width() * _LABEL_PART, 0, 0, 0), series) + _GAP


def _bars(canvas: Canvas, place: QRectF, series: Series) -> float:
    """Paint one target's bars; returns where the next begin."""
    if not series.level_shares:
        canvas.text(place, f"unknown: {series.unknown}", TextRole.NOTE, "fg3")
        canvas.hit(place, series.unknown)
        return place.bottom()
    most = max(share for _, share in series.level_shares)
    for level, share in series.level_shares:
        is_most = share == most
        role = TextRole.STRONG_LABEL if is_most else TextRole.LABEL
        token = "fg" if is_most else "fg2"
        canvas.text(QRectF(place.left(), place.top(), _NAME, _ROW), LEVEL_NAMES[level], role, token)
        left = place.left() + _NAME
        width = place.right() - left - _SHARE
        bar = QRectF(left, place.center().y() - _BAR / 2, width, _BAR)
        canvas.box(bar, canvas.colour("bg3"), radius=2)
        part = max(3.0, min(1.0, share) * width)
        canvas.block(QRectF(left, bar.top(), part, _BAR), canvas.colour(HUES[level]))
        canvas.text(place, percent(share), role, token, _RIGHT)
        line = series.bandwidth(level)
        moved = series.moved_at(level)
        selection = Selection(line=moved.line) if moved is not None and moved.line else None
        if canvas.is_lit(selection):
            canvas.outline(bar.adjusted(-2, -2, 2, 2))
        tip = f"{series.label}: {percent(share)} of {bandwidth_text(line)}, predicted"
        canvas.hit(place, tip, selection)
        place = place.translated(0, _ROW)
    return place.top()
