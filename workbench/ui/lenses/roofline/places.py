"""Paints the kernel's places on a roofline: predicted hollow, measured solid, and the headroom."""

from __future__ import annotations

import itertools
import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen, QPolygonF

from workbench.core.analysis.roofline import MemoryLevel
from workbench.session.lenses.links import Selection
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import (
    LEVEL_NAMES,
    bound_level,
    percent,
    point_tip,
    three,
)
from workbench.ui.lenses.roofline.levels import HUES
from workbench.ui.lenses.roofline.plot import Frame
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS
from workbench.ui.widgets.painting import mark_path

_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MARK = 10.0
_RING = 1.7
_STEP = 13.0  # px between marks that would meet


class KernelPlaces:
    """The kernel on each target; of the one in focus also by the bytes of the other levels."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.canvas = frame, frame.canvas

    def paint(self) -> None:
        """Paint the focus last, above the others."""
        for series in self.frame.picture.series:
            if series is not self.frame.focus:
                self._kernel(series)
        self._kernel(self.frame.focus)

    def _kernel(self, series: Series) -> None:
        rate = series.predicted
        if series.computed is None or series.intensity is None:
            return
        if rate is None:
            if series.measured is not None:
                x, y = series.intensity, series.measured.tera
                self._measured(series, self._place(x, y), y)
            else:
                self._unknown(series, series.intensity)
            return
        place = self._place(series.intensity, rate.tera) + QPointF(self._shift(series), 0)
        if series is self.frame.focus:
            self._levels(series, rate.tera)
            self._headroom(series, rate.tera)
        self._ghost(series)
        if series.measured is not None:
            self._measured(series, place, series.measured.tera)
        self._mark(place, series, hollow=True)
        box = QRectF(place.x() - 8, place.y() - 8, 16, 16)
        selection = Selection(line=series.line) if series.line is not None else None
        if self.canvas.is_lit(selection):
            self.canvas.outline(box.adjusted(-1, -1, 1, 1))
        self.canvas.hit(box, point_tip(series), selection)

    def _place(self, intensity: float, tflops: float) -> QPointF:
        return QPointF(self.frame.x(intensity), self.frame.y(tflops))

    def _shift(self, series: Series) -> float:
        """The px that a mark gives way to those before it, which would lie under it."""
        own = self._place(*series.places[0])
        before = itertools.takewhile(lambda each: each is not series, self.frame.picture.series)
        places = [self._place(*each.places[0]) for each in before if each.predicted and each.places]
        return _STEP * sum((place - own).manhattanLength() < _STEP for place in places)

    def _mark(self, place: QPointF, series: Series, hollow: bool) -> None:
        """A target's shape: hollow where it was predicted, filled where it was measured."""
        shape = TARGET_MARKS[series.mark % len(TARGET_MARKS)].shape
        half = _MARK / 2
        path = mark_path(shape, QRectF(place.x() - half, place.y() - half, _MARK, _MARK))
        colour = self.canvas.target_colour(series.mark)
        painter = self.canvas.painter
        painter.fillPath(path, self.canvas.colour("bg1") if hollow else colour)
        painter.strokePath(path, QPen(colour, _RING))

    def _levels(self, series: Series, tflops: float) -> None:
        """The same rate by the bytes of each other level, in the level's hue."""
        for moved in series.moved:
            if moved.level is MemoryLevel.DRAM or moved.intensity is None:
                continue
            place = QPointF(self.frame.x(moved.intensity), self.frame.y(tflops))
            if not self.frame.plot.contains(place):
                continue
            if series.intensity is not None:
                own = QPointF(self.frame.x(series.intensity), place.y())
                self.canvas.line(place, own, "fg4", 0.8)
            self._level(place, moved.level)
            name = LEVEL_NAMES[moved.level]
            text = f"{series.label}: {three(moved.intensity)} flop a byte of {name}, predicted"
            selection = Selection(line=moved.line) if moved.line is not None else None
            self.canvas.hit(QRectF(place.x() - 7, place.y() - 7, 14, 14), text, selection)

    def _level(self, place: QPointF, level: MemoryLevel) -> None:
        painter, hue = self.canvas.painter, self.canvas.colour(HUES[level])
        painter.setPen(QPen(hue, _RING))
        painter.setBrush(self.canvas.colour("bg1"))
        painter.drawEllipse(place, 3.6, 3.6)
        box = QRectF(place.x() - 50, place.y() + 5, 100, 14)
        short = LEVEL_NAMES[level].removesuffix(" memory")
        self.canvas.text(box, short, TextRole.NOTE, HUES[level], _CENTRE)

    def _headroom(self, series: Series, tflops: float) -> None:
        """A dotted line from the place at what bounds up to its ceiling, with the part reached."""
        allowed = series.allowed.most_tflops if series.allowed is not None else None
        moved = series.moved_at(bound_level(series) or MemoryLevel.DRAM)
        if allowed is None or moved is None or moved.intensity is None or series.share is None:
            return
        x = self.frame.x(moved.intensity)
        top, low = self.frame.y(allowed), self.frame.y(tflops) - 7
        if low - top < 4:
            return
        self.canvas.line(QPointF(x, top), QPointF(x, low), "fg2", 1.0, Qt.PenStyle.DotLine)
        self.canvas.line(QPointF(x - 4, top), QPointF(x + 4, top), "fg", 1.5)
        text = percent(series.share)
        width = self.canvas.text_width(text, TextRole.STRONG_LABEL) + 4
        box = QRectF(x + 5, (top + low) / 2 - 8, width, 16)
        self.frame.clear(box)
        self.canvas.text(box.adjusted(2, 0, 0, 0), text, TextRole.STRONG_LABEL, "fg", elide=False)

    def _unknown(self, series: Series, intensity: float) -> None:
        """An intensity without a rate: an upright, with the word."""
        x = self.frame.x(intensity)
        unknown = [each for each in self.frame.picture.series if each.predicted is None]
        base = self.frame.plot.bottom()
        high = 22.0 + _STEP * unknown.index(series)
        pen = QPen(self.canvas.target_colour(series.mark), 1.2, Qt.PenStyle.DotLine)
        self.canvas.painter.setPen(pen)
        self.canvas.painter.drawLine(QPointF(x, base), QPointF(x, base - high))
        self.canvas.mark(QPointF(x, base - high - 5), series.mark, 7)
        box = QRectF(x + 7, base - high - 12, 140, 14)
        text = "no time predicted"
        if box.left() + self.canvas.text_width(text, TextRole.NOTE) > self.frame.plot.right():
            box.moveRight(x - 7)
            self.canvas.text(box, text, TextRole.NOTE, "fg3", _RIGHT)
        else:
            self.canvas.text(box, text, TextRole.NOTE, "fg3")
        selection = Selection(line=series.line) if series.line is not None else None
        self.canvas.hit(QRectF(x - 7, base - high - 12, 14, 14), point_tip(series), selection)

    def _ghost(self, series: Series) -> None:
        """Where it stood with the case's own arguments."""
        if series.before is None:
            return
        place = QPointF(self.frame.x(series.before[0]), self.frame.y(series.before[1]))
        pen = QPen(self.canvas.target_colour(series.mark), 1.2, Qt.PenStyle.DotLine)
        self.canvas.painter.setPen(pen)
        self.canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.canvas.painter.drawEllipse(place, 5, 5)
        text = f"{series.label} with the case's own arguments: {three(series.before[1])} TFLOP/s"
        self.canvas.hit(QRectF(place.x() - 7, place.y() - 7, 14, 14), text)

    def _measured(self, series: Series, predicted: QPointF, tflops: float) -> None:
        """The measured twin, solid, and an arrow to it."""
        place = QPointF(predicted.x(), self.frame.y(tflops))
        way = place.y() - predicted.y()
        if abs(way) > 16:
            tip = QPointF(place.x(), place.y() - math.copysign(7, way))
            self.canvas.line(predicted, tip, "fg2", 1.2)
            back = -math.copysign(5, way)
            head = [tip, tip + QPointF(-3, back), tip + QPointF(3, back)]
            path = QPainterPath()
            path.addPolygon(QPolygonF(head))
            self.canvas.painter.fillPath(path, self.canvas.colour("fg2"))
        self._mark(place, series, hollow=False)
        box = QRectF(place.x() - 8, place.y() - 8, 16, 16)
        self.canvas.hit(box, f"{series.label}, measured: {three(tflops)} TFLOP/s")
