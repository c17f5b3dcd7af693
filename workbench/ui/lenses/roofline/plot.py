"""Paints the log-log plot: ceilings, the kernel's place at each level of memory, its headroom."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from workbench.core.analysis.roofline import Bandwidth, MemoryLevel
from workbench.session.lenses.links import Selection
from workbench.session.lenses.roofline.picture import RooflinePicture
from workbench.session.lenses.roofline.series import LEVELS, Series
from workbench.session.lenses.roofline.words import (
    LEVEL_NAMES,
    bandwidth_text,
    bound_level,
    percent,
    point_tip,
    three,
)
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.roofline.levels import HUES
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS
from workbench.ui.widgets.painting import mark_path

_LEFT, _TOP, _BOTTOM = 46.0, 22.0, 34.0
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LABEL = 13.0  # px between labels of peaks
_MARK = 10.0
_RING = 1.7


class RooflinePlot:
    """One plot in `area`; `focus` is the series whose ceilings are all shown."""

    def __init__(
        self, canvas: Canvas, area: QRectF, picture: RooflinePicture, focus: Series
    ) -> None:
        self.canvas, self.picture, self.focus = canvas, picture, focus
        self.plot = area.adjusted(_LEFT, _TOP, 0, -_BOTTOM)
        self._labels: list[tuple[QRectF, str, str, TextRole]] = []

    def paint(self) -> None:
        """Grid, ceilings, and the kernel on top of them."""
        self._grid()
        self.canvas.hits.append(Hit(self.plot, resolve=partial(self._at)))
        painter = self.canvas.painter
        painter.save()
        painter.setClipRect(self.plot.adjusted(-1, -1, 1, 1))
        others = [each for each in self.picture.series if each is not self.focus]
        self._other_peaks()
        for series in others:
            self._roof(series, 1.3)
        self._slopes()
        self._roof(self.focus, 2.0, sloped=False)
        painter.restore()
        self._write_labels()
        for series in [*others, self.focus]:
            self._kernel(series)

    # -- places ------------------------------------------------------------------------------

    def _x(self, intensity: float) -> float:
        return self.plot.left() + self.picture.x.part(intensity) * self.plot.width()

    def _y(self, tflops: float) -> float:
        return self.plot.bottom() - self.picture.y.part(tflops) * self.plot.height()

    # -- the ground --------------------------------------------------------------------------

    def _grid(self) -> None:
        canvas, plot = self.canvas, self.plot
        head = QRectF(plot.left() - _LEFT, plot.top() - _TOP, 200, _TOP - 4)
        canvas.text(head, "TFLOP/s", TextRole.NOTE, "fg3")
        legend = QRectF(plot.left() + 40, head.top(), plot.width() - 40, head.height())
        method = f"hollow: predicted · all ceilings of {self.focus.label}"
        canvas.text(legend, method, TextRole.NOTE, "fg3", _RIGHT)
        for tick in self.picture.y.ticks:
            y = self._y(tick)
            canvas.line(QPointF(plot.left(), y), QPointF(plot.right(), y), "line")
            box = QRectF(plot.left() - _LEFT, y - 8, _LEFT - 6, 16)
            canvas.text(box, f"{tick:,g}", TextRole.NOTE, "fg3", _RIGHT, elide=False)
        for tick in self.picture.x.ticks:
            x = self._x(tick)
            canvas.line(QPointF(x, plot.top()), QPointF(x, plot.bottom()), "line")
            box = QRectF(x - 30, plot.bottom() + 2, 60, 15)
            canvas.text(box, f"{tick:,g}", TextRole.NOTE, "fg3", _CENTRE, elide=False)
        canvas.line(plot.bottomLeft(), plot.bottomRight(), "line2")
        below = QRectF(plot.left(), plot.bottom() + 16, plot.width(), 16)
        canvas.text(below, "operations a byte, flop/B", TextRole.NOTE, "fg3", _RIGHT)

    def _at(self, point: QPointF) -> Hit:
        """What DRAM and the peak in use allow at the pointer's intensity."""
        part = (point.x() - self.plot.left()) / self.plot.width()
        intensity = self.picture.x.value(part)
        lines = [f"At {three(intensity)} flop a byte of DRAM"]
        for series in self.picture.series:
            bandwidth = series.bandwidth(MemoryLevel.DRAM).gb_s
            if bandwidth is not None and series.peak is not None:
                rate = min(series.peak, intensity * bandwidth / 1e3)
                lines.append(f"{series.label}: up to {three(rate)} TFLOP/s")
        return Hit(self.plot, "\n".join(lines))

    # -- ceilings ----------------------------------------------------------------------------

    def _roof(self, series: Series, width: float, sloped: bool = True) -> None:
        """DRAM's slope and the peak in use, as far as they are known."""
        peak, ridge = series.peak, series.ridge
        if peak is None or ridge is None:
            return
        colour = self.canvas.target_colour(series.mark)
        y = self._y(peak)
        path = QPainterPath(QPointF(self._x(ridge), y))
        path.lineTo(self.plot.right(), y)
        if sloped:
            left = self.picture.x.value(0)
            path.moveTo(self.plot.left(), self._y(peak * left / ridge))
            path.lineTo(self._x(ridge), y)
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        dash = TARGET_MARKS[series.mark % len(TARGET_MARKS)].dash
        if dash:
            pen.setDashPattern([length * 1.6 / width for length in dash])
        self.canvas.painter.strokePath(path, pen)
        if series is self.focus:
            used = series.computed
            name = f"{used.name} {three(peak)}" if used is not None else three(peak)
            self._peak_label(y, name, "fg", TextRole.STRONG_LABEL)

    def _other_peaks(self) -> None:
        """The peaks of formats that the kernel does not use: thin, those of one rate together."""
        used = self.focus.peak
        taken = [self._y(used)] if used is not None else []
        for tflops, names, source in _by_rate(self.focus):
            y = self._y(tflops)
            if tflops == used or not self.plot.top() <= y <= self.plot.bottom():
                continue
            bandwidth = self.focus.bandwidth(MemoryLevel.DRAM).gb_s
            start = self._x(tflops * 1e3 / bandwidth) if bandwidth else self.plot.left()
            ends = QPointF(max(start, self.plot.left()), y), QPointF(self.plot.right(), y)
            self.canvas.line(*ends, "fg4", 0.8)
            self.canvas.hit(
                QRectF(ends[0], ends[1]).adjusted(0, -4, 0, 4),
                f"{self.focus.label}: {names}, {three(tflops)} TFLOP/s\n{source or ''}".strip(),
            )
            if all(abs(y - other) >= _LABEL for other in taken):
                taken.append(y)
                self._peak_label(y, f"{names} {three(tflops)}", "fg3", TextRole.NOTE)

    def _peak_label(self, y: float, text: str, token: str, role: TextRole) -> None:
        width = self.canvas.text_width(text, role)
        box = QRectF(self.plot.right() - width - 4, y - 15, width + 4, 14)
        self._labels.append((box, text, token, role))

    def _write_labels(self) -> None:
        """Names of peaks above all lines; one that a kernel's place would cover is left to its
        tip."""
        places = [
            QPointF(self._x(each.intensity), self._y(each.predicted.tera))
            for each in self.picture.series
            if each.predicted is not None and each.intensity is not None
        ]
        for box, text, token, role in self._labels:
            around = box.adjusted(-8, -8, 8, 8)
            if role is TextRole.NOTE and any(around.contains(place) for place in places):
                continue
            self._clear(box)
            self.canvas.text(box, text, role, token, _RIGHT, elide=False)

    def _clear(self, box: QRectF) -> None:
        """Lift what is written there off the lines below it."""
        self.canvas.painter.fillRect(box, self.canvas.colour("bg1", 0.85))

    def _slopes(self) -> None:
        """The focus's levels of memory, each in its hue up to the peak in use."""
        peak = self.focus.peak or self.picture.y.value(1)
        for level in LEVELS:
            line = self.focus.bandwidth(level)
            if line.gb_s is not None:
                self._slope(line, line.gb_s / 1e3, peak)

    def _slope(self, line: Bandwidth, tb_s: float, peak: float) -> None:
        left, low = self.picture.x.value(0), self.picture.y.value(0)
        first = max(left, low / tb_s)
        start = QPointF(self._x(first), self._y(first * tb_s))
        end = QPointF(self._x(peak / tb_s), self._y(peak))
        if end.x() <= start.x():
            return
        colour = self.canvas.colour(HUES[line.level])
        is_assumed = line.source is not None and line.source.startswith("assumed")
        style = Qt.PenStyle.DashLine if is_assumed else Qt.PenStyle.SolidLine
        self.canvas.painter.setPen(QPen(colour, 1.6, style))
        self.canvas.painter.drawLine(start, end)
        self._slope_label(line, start, end, colour)

    def _slope_label(self, line: Bandwidth, start: QPointF, end: QPointF, colour: QColor) -> None:
        text = bandwidth_text(line)
        width = self.canvas.text_width(text, TextRole.NOTE)
        angle = math.atan2(end.y() - start.y(), end.x() - start.x())
        if math.hypot(end.x() - start.x(), end.y() - start.y()) < width + 24:
            return
        painter = self.canvas.painter
        painter.save()
        painter.translate(start)
        painter.rotate(math.degrees(angle))
        painter.setFont(self.canvas.theme.fonts.role(TextRole.NOTE))
        painter.setPen(colour)
        painter.drawText(QPointF(14, -5), text)
        painter.restore()
        middle = start + (end - start) * 0.5
        self.canvas.hit(
            QRectF(middle.x() - 40, middle.y() - 10, 80, 20),
            f"{self.focus.label}: {text}\n{line.source or ''}".strip(),
        )

    # -- the kernel --------------------------------------------------------------------------

    def _kernel(self, series: Series) -> None:
        rate = series.predicted
        if series.computed is None or series.intensity is None:
            return
        if rate is None:
            self._unknown(series, series.intensity)
            return
        place = QPointF(self._x(series.intensity), self._y(rate.tera))
        if series is self.focus:
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
            place = QPointF(self._x(moved.intensity), self._y(tflops))
            if not self.plot.contains(place):
                continue
            if series.intensity is not None:
                own = QPointF(self._x(series.intensity), place.y())
                self.canvas.line(place, own, "fg4", 0.8)
            self._level(place, moved.level)
            name = LEVEL_NAMES[moved.level]
            text = f"{series.label}: {three(moved.intensity)} flop a byte of {name}, predicted"
            self.canvas.hit(QRectF(place.x() - 7, place.y() - 7, 14, 14), text)

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
        x = self._x(moved.intensity)
        top, low = self._y(allowed), self._y(tflops) - 7
        if low - top < 4:
            return
        self.canvas.line(QPointF(x, top), QPointF(x, low), "fg2", 1.0, Qt.PenStyle.DotLine)
        self.canvas.line(QPointF(x - 4, top), QPointF(x + 4, top), "fg", 1.5)
        text = percent(series.share)
        width = self.canvas.text_width(text, TextRole.STRONG_LABEL) + 4
        box = QRectF(x + 5, (top + low) / 2 - 8, width, 16)
        self._clear(box)
        self.canvas.text(box.adjusted(2, 0, 0, 0), text, TextRole.STRONG_LABEL, "fg", elide=False)

    def _unknown(self, series: Series, intensity: float) -> None:
        """An intensity without a rate: an upright, with the word."""
        x = self._x(intensity)
        base = self.plot.bottom()
        pen = QPen(self.canvas.target_colour(series.mark), 1.2, Qt.PenStyle.DotLine)
        self.canvas.painter.setPen(pen)
        self.canvas.painter.drawLine(QPointF(x, base), QPointF(x, base - 22))
        self.canvas.mark(QPointF(x, base - 27), series.mark, 7)
        box = QRectF(x + 7, base - 34, 140, 14)
        text = "no time predicted"
        if box.left() + self.canvas.text_width(text, TextRole.NOTE) > self.plot.right():
            box.moveRight(x - 7)
            self.canvas.text(box, text, TextRole.NOTE, "fg3", _RIGHT)
        else:
            self.canvas.text(box, text, TextRole.NOTE, "fg3")
        selection = Selection(line=series.line) if series.line is not None else None
        self.canvas.hit(QRectF(x - 7, base - 34, 14, 34), point_tip(series), selection)

    def _ghost(self, series: Series) -> None:
        """Where it stood with the case's own arguments."""
        if series.before is None:
            return
        place = QPointF(self._x(series.before[0]), self._y(series.before[1]))
        pen = QPen(self.canvas.target_colour(series.mark), 1.2, Qt.PenStyle.DotLine)
        self.canvas.painter.setPen(pen)
        self.canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.canvas.painter.drawEllipse(place, 5, 5)
        text = f"{series.label} with the case's own arguments: {three(series.before[1])} TFLOP/s"
        self.canvas.hit(QRectF(place.x() - 7, place.y() - 7, 14, 14), text)

    def _measured(self, series: Series, predicted: QPointF, tflops: float) -> None:
        """The measured twin, solid, and an arrow to it."""
        place = QPointF(predicted.x(), self._y(tflops))
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


def _by_rate(series: Series) -> Iterator[tuple[float, str, str | None]]:
    """Peaks of the unit in use with the names of the formats that have them, highest first."""
    found: dict[float, list[str]] = {}
    sources: dict[float, str | None] = {}
    for peak in series.peaks:
        if series.computed is None or peak.unit is series.computed.unit:
            found.setdefault(peak.tflops, []).append(peak.name)
            sources.setdefault(peak.tflops, peak.source)
    for tflops, names in found.items():
        yield tflops, ", ".join(names), sources[tflops]
