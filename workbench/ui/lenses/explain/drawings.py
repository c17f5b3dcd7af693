"""The small pictures of the page: the path of the data, and bars of shares."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPolygonF

from workbench.session.lenses.explain.model import Bar, Bars, Drawing, Link, Path
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

_PATH = 74.0
_BOX_HEIGHT = 34.0
_ARROW = 5.0
_BAR = 20.0
_HEADING = 22.0
_AFTER = 12.0
_NAME = 118.0
_TEXT = 138.0
_CENTRE = Qt.AlignmentFlag.AlignCenter


def drawing_height(drawing: Drawing) -> float:
    """The px that a drawing needs, with the gap after it."""
    if isinstance(drawing, Path):
        return _PATH + _AFTER
    return _HEADING + _BAR * len(drawing.bars) + _AFTER


def paint_path(canvas: Canvas, path: Path, area: QRectF) -> None:
    """Paint levels as boxes in their hues; what moves between them stands at arrows."""
    links = len(path.links)
    width = min(area.width(), 640.0)
    box = width * 0.52 / len(path.levels)
    gap = width * 0.48 / links
    middle = area.top() + _PATH / 2
    for place, level in enumerate(path.levels):
        left = area.left() + place * (box + gap)
        at = QRectF(left, middle - _BOX_HEIGHT / 2, box, _BOX_HEIGHT)
        canvas.box(at, canvas.colour(level.hue, 0.16), canvas.colour(level.hue))
        canvas.text(at.adjusted(3, 0, -3, 0), level.name, TextRole.LABEL, "fg", _CENTRE)
        if place < links:
            _paint_link(canvas, path.links[place], QRectF(left + box, area.top(), gap, _PATH))


def paint_bars(canvas: Canvas, bars: Bars, area: QRectF) -> None:
    """Paint predicted shares as hatched bars on a track; an unknown one is a gap that says so."""
    heading = QRectF(area.left(), area.top(), area.width(), 18)
    canvas.text(heading, bars.heading, TextRole.LABEL, "fg3")
    for place, bar in enumerate(bars.bars):
        top = area.top() + _HEADING + place * _BAR
        _paint_bar(canvas, bar, QRectF(area.left(), top, area.width(), _BAR))


def _paint_link(canvas: Canvas, link: Link, area: QRectF) -> None:
    middle = area.center().y()
    has_both = bool(link.inward and link.outward)
    above = middle - 6 if has_both else middle
    if link.inward:
        _arrow(canvas, area, above, forward=True)
        text = QRectF(area.left(), above - 19, area.width(), 16)
        canvas.text(text, link.inward, TextRole.NOTE, "fg2", _CENTRE)
    if link.outward:
        below = middle + 6 if link.inward else middle
        _arrow(canvas, area, below, forward=False)
        text = QRectF(area.left(), below + 3, area.width(), 16)
        canvas.text(text, link.outward, TextRole.NOTE, "fg2", _CENTRE)
    if link.unit:
        text = QRectF(area.left(), middle + 3, area.width(), 16)
        canvas.text(text, link.unit, TextRole.NOTE, "fg3", _CENTRE)


def _arrow(canvas: Canvas, area: QRectF, height: float, forward: bool) -> None:
    left, right = area.left() + 6, area.right() - 6
    canvas.line(QPointF(left, height), QPointF(right, height), "fg3", 1.2)
    tip, back = (right, -_ARROW) if forward else (left, _ARROW)
    points = [(tip, height), (tip + back, height - 3), (tip + back, height + 3)]
    canvas.painter.setBrush(canvas.colour("fg3"))
    canvas.painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_bar(canvas: Canvas, bar: Bar, area: QRectF) -> None:
    name = QRectF(area.left(), area.top(), _NAME, area.height())
    role = TextRole.STRONG_LABEL if bar.is_limit else TextRole.LABEL
    canvas.text(name, bar.name, role, "fg" if bar.is_limit else "fg2")
    width = min(area.width(), 640.0) - _NAME - _TEXT
    track = QRectF(area.left() + _NAME, area.top() + 4, width, area.height() - 8)
    text = QRectF(track.right() + 8, area.top(), _TEXT - 8, area.height())
    if bar.share is None:
        canvas.text(track, bar.text, TextRole.NOTE, "fg3")
        return
    canvas.box(track, canvas.colour("bg3"), None, 2)
    filled = QRectF(track)
    filled.setWidth(max(2.0, track.width() * min(1.0, bar.share)))
    canvas.block(filled, canvas.colour(bar.hue))
    told = f"{bar.text} · the limit" if bar.is_limit else bar.text
    canvas.text(text, told, role, "fg" if bar.is_limit else "fg2")
