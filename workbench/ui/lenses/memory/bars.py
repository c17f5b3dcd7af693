"""Paints how full a level is for each target: the bar, its limit, the next step and the ghost."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen

from workbench.session.lenses.memory.model import Fill
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.memory.layout import FILL_NOTE, Layout, fill_height
from workbench.ui.theme.fonts import TextRole

_MARK = 9.0
_LEFT = 15.0  # of the bar, after the mark
_BAR = 8.0
_TEXT = 14.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def paint_fills(canvas: Canvas, layout: Layout) -> None:
    """The bars of all lanes."""
    for placed in layout.lanes:
        for fill, top in placed.fills:
            _paint(canvas, fill, QRectF(layout.bars, top, layout.bars_width, fill_height(fill)))


def tip_of(fill: Fill) -> str:
    """A bar in words."""
    name = f"{fill.label} {fill.name}".strip()
    if fill.used is None or fill.capacity is None:
        known = f"{fill.text}; " if fill.text else ""
        return f"{name}: {known}unknown: {fill.why}"
    parts = [f"{name}: {fill.text} of {fill.limit} ({fill.used / fill.capacity:.1%})"]
    parts += [text for text in (fill.told, fill.step_text) if text]
    if fill.was_text:
        parts.append(f"before the arguments were changed: {fill.was_text}")
    return "\n".join(parts)


def _paint(canvas: Canvas, fill: Fill, area: QRectF) -> None:
    canvas.mark(QPointF(area.left() + _MARK / 2, area.top() + _BAR / 2 + 1), fill.mark, _MARK)
    line = QRectF(area.left() + _LEFT, area.top() + _BAR + 3, area.width() - _LEFT, _TEXT)
    if fill.used is None or fill.capacity is None:
        text = " ".join(part for part in (fill.name, fill.text) if part)
        place = QRectF(line.left(), area.top() - 2, line.width(), _TEXT)
        if text:
            canvas.text(place, text, TextRole.NOTE, "fg2")
            place = place.translated(0, _TEXT)
        why = f"unknown: {fill.why}"
        fits = canvas.text_width(why, TextRole.NOTE) <= place.width()
        canvas.text(place, why if fits else "unknown", TextRole.NOTE, "fg3")
    else:
        _paint_bar(canvas, fill, QRectF(line.left(), area.top() + 1, line.width(), _BAR))
        _paint_texts(canvas, fill, line)
    canvas.hit(area, tip_of(fill))


def _paint_bar(canvas: Canvas, fill: Fill, bar: QRectF) -> None:
    used, capacity = fill.used or 0.0, fill.capacity or 1.0
    most = max(used, capacity, fill.was or 0.0)
    scale = bar.width() / most
    canvas.box(bar, canvas.colour("bg3"), canvas.colour("line"), 2)
    colour = canvas.colour("error") if fill.is_over else canvas.target_colour(fill.mark)
    taken = QRectF(bar.left(), bar.top(), max(2.0, used * scale), bar.height())
    canvas.block(taken, colour, predicted=True)
    if fill.was is not None:
        _paint_ghost(canvas, QRectF(bar.left(), bar.top() - 2, fill.was * scale, _BAR + 4))
    limit = bar.left() + capacity * scale - 1
    canvas.line(QPointF(limit, bar.top() - 3), QPointF(limit, bar.bottom() + 2), "error", 2.0)
    if fill.step is not None:
        at = bar.left() + fill.step * scale
        canvas.line(QPointF(at, bar.top() - 3), QPointF(at, bar.bottom() + 2), "fg", 1.6)


def _paint_ghost(canvas: Canvas, area: QRectF) -> None:
    """A dashed outline of how far the bar went before."""
    path = QPainterPath()
    path.addRoundedRect(area, 2, 2)
    canvas.painter.strokePath(path, QPen(canvas.colour("fg3"), 1, Qt.PenStyle.DashLine))


def _paint_texts(canvas: Canvas, fill: Fill, line: QRectF) -> None:
    token = {"error": "error", "warn": "warn"}.get(fill.severity, "fg2")
    text = " ".join(part for part in (fill.name, fill.text) if part)
    canvas.text(line, text, TextRole.NOTE, token)
    room = line.width() - canvas.text_width(text, TextRole.NOTE) - 6
    if canvas.text_width(fill.limit, TextRole.NOTE) <= room:
        canvas.text(line, fill.limit, TextRole.NOTE, "fg3", _RIGHT)
    under = line.translated(0, FILL_NOTE)
    if fill.severity:
        word = "Over the limit: " if fill.is_over else ""
        canvas.text(under, f"{word}{fill.told}", TextRole.NOTE, token)
    elif fill.step_text:
        at = QPointF(under.left() + 1, under.center().y())
        canvas.line(at - QPointF(0, 5), at + QPointF(0, 5), "fg", 1.6)
        canvas.text(under.adjusted(6, 0, 0, 0), fill.step_text, TextRole.NOTE, "fg2")
