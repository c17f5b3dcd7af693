"""Paints the ceilings of a roofline: slopes of memory levels and flat peaks, named in place."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from workbench.core.analysis.roofline import Bandwidth, MemoryLevel
from workbench.session.lenses.roofline.facts import LEVELS
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import bandwidth_text, three
from workbench.ui.lenses.roofline.levels import HUES
from workbench.ui.lenses.roofline.plot import Frame
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LABEL = 13.0  # px between labels of peaks
_LEAST_LINE = 60.0  # px of a peak that begins beyond the plot


class Ceilings:
    """All ceilings of the series in focus, and the roofs of the others."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.canvas = frame, frame.canvas
        self._labels: list[tuple[QRectF, str, str, TextRole]] = []

    def paint(self) -> None:
        """Paint the others' roofs below the focus's ceilings, and names above all lines."""
        painter = self.canvas.painter
        painter.save()
        painter.setClipRect(self.frame.plot.adjusted(-1, -1, 1, 1))
        self._other_peaks()
        for series in self.frame.picture.series:
            if series is not self.frame.focus:
                self._roof(series, 1.3)
        self._slopes()
        self._roof(self.frame.focus, 2.0, sloped=False)
        painter.restore()
        self._write_labels()

    def _roof(self, series: Series, width: float, sloped: bool = True) -> None:
        """DRAM's slope and the peak in use, as far as they are known."""
        peak, ridge = series.peak, series.ridge
        if peak is None or ridge is None:
            return
        colour = self.canvas.target_colour(series.mark)
        y = self.frame.y(peak)
        path = QPainterPath(QPointF(self.frame.x(ridge), y))
        path.lineTo(self.frame.plot.right(), y)
        if sloped:
            left = self.frame.picture.x.value(0)
            path.moveTo(self.frame.plot.left(), self.frame.y(peak * left / ridge))
            path.lineTo(self.frame.x(ridge), y)
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        dash = TARGET_MARKS[series.mark % len(TARGET_MARKS)].dash
        if dash:
            pen.setDashPattern([length * 1.6 / width for length in dash])
        self.canvas.painter.strokePath(path, pen)
        if series is self.frame.focus:
            used = series.computed
            name = f"{used.name} {three(peak)}" if used is not None else three(peak)
            self._peak_label(y, name, "fg", TextRole.STRONG_LABEL)

    def _other_peaks(self) -> None:
        """The peaks of formats that the kernel does not use: thin, those of one rate together."""
        used = self.frame.focus.peak
        taken = [self.frame.y(used)] if used is not None else []
        for tflops, names, source in _by_rate(self.frame.focus):
            y = self.frame.y(tflops)
            if tflops == used or not self.frame.plot.top() <= y <= self.frame.plot.bottom():
                continue
            bandwidth = self.frame.focus.bandwidth(MemoryLevel.DRAM).gb_s
            start = self.frame.x(tflops * 1e3 / bandwidth) if bandwidth else self.frame.plot.left()
            start = min(start, self.frame.plot.right() - _LEAST_LINE)
            ends = (
                QPointF(max(start, self.frame.plot.left()), y),
                QPointF(self.frame.plot.right(), y),
            )
            self.canvas.line(*ends, "fg4", 0.8)
            tip = f"{self.frame.focus.label}: {names}, {three(tflops)} TFLOP/s\n{source or ''}"
            self.canvas.hit(QRectF(*ends).adjusted(0, -4, 0, 4), tip.strip())
            if all(abs(y - other) >= _LABEL for other in taken):
                taken.append(y)
                self._peak_label(y, f"{names} {three(tflops)}", "fg3", TextRole.NOTE)

    def _peak_label(self, y: float, text: str, token: str, role: TextRole) -> None:
        width = self.canvas.text_width(text, role)
        box = QRectF(self.frame.plot.right() - width - 4, y - 15, width + 4, 14)
        self._labels.append((box, text, token, role))

    def _write_labels(self) -> None:
        """Names of peaks above all lines; one that a kernel's place would cover is left to its
        tip."""
        places = [
            QPointF(self.frame.x(intensity), self.frame.y(rate))
            for each in self.frame.picture.series
            for intensity, rate in each.places
        ]
        for box, text, token, role in self._labels:
            around = box.adjusted(-8, -8, 8, 8)
            if role is TextRole.NOTE and any(around.contains(place) for place in places):
                continue
            self.frame.clear(box)
            self.canvas.text(box, text, role, token, _RIGHT, elide=False)

    def _slopes(self) -> None:
        """The focus's levels of memory, each in its hue up to the peak in use."""
        peak = self.frame.focus.peak or self.frame.picture.y.value(1)
        for level in LEVELS:
            line = self.frame.focus.bandwidth(level)
            if line.gb_s is not None:
                self._slope(line, line.gb_s / 1e3, peak)

    def _slope(self, line: Bandwidth, tb_s: float, peak: float) -> None:
        left, low = self.frame.picture.x.value(0), self.frame.picture.y.value(0)
        first = max(left, low / tb_s)
        start = QPointF(self.frame.x(first), self.frame.y(first * tb_s))
        end = QPointF(self.frame.x(peak / tb_s), self.frame.y(peak))
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
            self._name_behind(text, end, colour)
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
            f"{self.frame.focus.label}: {text}\n{line.source or ''}".strip(),
        )

    def _name_behind(self, text: str, end: QPointF, colour: QColor) -> None:
        """Name a slope that is too short for its name behind its end, above the peak in use."""
        painter = self.canvas.painter
        painter.setFont(self.canvas.theme.fonts.role(TextRole.NOTE))
        painter.setPen(colour)
        painter.drawText(end + QPointF(5, -4), text)


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
