"""Paints times over shapes: a line with its spread, the baseline's, and TFLOP/s beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainterPath, QPen

from workbench.session.profile.series import SeriesPicture, SeriesPoint
from workbench.session.profile.words import three
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS
from workbench.ui.widgets.painting import mark_path, with_alpha

_INSET, _GAP, _TITLE, _LEFT, _AXIS = 16.0, 28.0, 20.0, 48.0, 34.0
_WIDE = 560.0
_MARK = 8.0
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Scale = Callable[[float], float]


class SeriesPainting:
    """Latency on a logarithmic axis, TFLOP/s on one from zero; both over the varied argument."""

    def __init__(self, series: SeriesPicture, mark: int) -> None:
        self._series, self._mark = series, mark

    def height(self, width: float) -> float:
        """What it gets."""
        return 0.0

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint both charts side by side, or the latency alone where there is little room."""
        area = QRectF(_INSET, 4, size.width() - 2 * _INSET, size.height() - 12)
        has_rate = all(point.tflops is not None for point in self._series.points)
        if not has_rate or area.width() < _WIDE:
            self._latency(canvas, area)
            return
        each = (area.width() - _GAP) / 2
        self._latency(canvas, QRectF(area.left(), area.top(), each, area.height()))
        right = QRectF(area.left() + each + _GAP, area.top(), each, area.height())
        self._rate(canvas, right)

    def _latency(self, canvas: Canvas, area: QRectF) -> None:
        points = self._series.points
        plot = self._frame(canvas, area, "Time of a launch, µs, p10 to p90")
        baseline = [point.baseline_us for point in points if point.baseline_us]
        values = [v for p in points for v in (p.p10_us, p.p90_us)] + baseline
        low, high = _decades(values)
        y = _log(low, high, plot)
        self._ticks(canvas, plot, _log_ticks(low, high), y)
        x = self._across(canvas, plot)
        self._band(canvas, points, x, y)
        if len(baseline) == len(points):
            self._line(canvas, [QPointF(x(p), y(p.baseline_us or 1)) for p in points], None)
            last = points[-1]
            at = QPointF(x(last), y(last.baseline_us or 1))
            is_below = at.y() > y(last.median_us)
            at += QPointF(0, 6 if is_below else -20)
            self._label(canvas, plot, at, self._series.baseline or "baseline")
        self._line(canvas, [QPointF(x(p), y(p.median_us)) for p in points], self._mark)
        self._marks(canvas, [(p, QPointF(x(p), y(p.median_us))) for p in points])

    def _rate(self, canvas: Canvas, area: QRectF) -> None:
        points = self._series.points
        plot = self._frame(canvas, area, "TFLOP/s")
        most = max(point.tflops or 0.0 for point in points) * 1.12

        def y(value: float) -> float:
            return plot.bottom() - value / most * plot.height()

        step = _step(most)
        ticks = [step * n for n in range(int(most / step) + 1)]
        self._ticks(canvas, plot, ticks, y)
        x = self._across(canvas, plot)
        self._line(canvas, [QPointF(x(p), y(p.tflops or 0)) for p in points], self._mark)
        self._marks(canvas, [(p, QPointF(x(p), y(p.tflops or 0))) for p in points])

    def _frame(self, canvas: Canvas, area: QRectF, title: str) -> QRectF:
        head = QRectF(area.left(), area.top(), area.width(), _TITLE)
        canvas.text(head, title, TextRole.STRONG_LABEL, "fg2")
        return area.adjusted(_LEFT, _TITLE + 4, -14, -_AXIS)

    def _ticks(self, canvas: Canvas, plot: QRectF, ticks: Sequence[float], y: Scale) -> None:
        for tick in ticks:
            canvas.line(QPointF(plot.left(), y(tick)), QPointF(plot.right(), y(tick)), "line")
            box = QRectF(plot.left() - _LEFT - 4, y(tick) - 8, _LEFT - 4, 16)
            text = three(tick) if tick < 1000 else f"{tick:,.0f}"
            canvas.text(box, text, TextRole.NOTE, "fg3", _RIGHT)
        base = plot.bottom()
        canvas.line(QPointF(plot.left(), base), QPointF(plot.right(), base), "line2")

    def _across(self, canvas: Canvas, plot: QRectF) -> Callable[[SeriesPoint], float]:
        """The places of the shapes, labelled; sizes that grow by factors stand evenly."""
        points = self._series.points
        values = [point.x for point in points]
        is_log = self._series.is_numeric and min(values) > 0 and max(values) / min(values) >= 8
        shown = [math.log(value) for value in values] if is_log else values
        low, span = shown[0], (shown[-1] - shown[0]) or 1.0

        def x(point: SeriesPoint) -> float:
            value = math.log(point.x) if is_log else point.x
            return plot.left() + 8 + (value - low) / span * (plot.width() - 16)

        last = -math.inf
        for point in points:
            width = canvas.text_width(point.label, TextRole.NOTE) + 6
            middle = x(point)
            if middle - width / 2 > last:
                box = QRectF(middle - width / 2, plot.bottom() + 3, width, 14)
                canvas.text(box, point.label, TextRole.NOTE, "fg3", _CENTRE, elide=False)
                last = middle + width / 2
        foot = QRectF(plot.left(), plot.bottom() + 17, plot.width(), 14)
        canvas.text(foot, self._series.varied, TextRole.NOTE, "fg3", _CENTRE)
        return x

    def _band(
        self,
        canvas: Canvas,
        points: Sequence[SeriesPoint],
        x: Callable[[SeriesPoint], float],
        y: Scale,
    ) -> None:
        path = QPainterPath(QPointF(x(points[0]), y(points[0].p90_us)))
        for point in points[1:]:
            path.lineTo(QPointF(x(point), y(point.p90_us)))
        for point in reversed(points):
            path.lineTo(QPointF(x(point), y(point.p10_us)))
        path.closeSubpath()
        canvas.painter.fillPath(path, with_alpha(canvas.target_colour(self._mark), 0.22))

    def _line(self, canvas: Canvas, places: Sequence[QPointF], mark: int | None) -> None:
        colour = canvas.colour("fg3") if mark is None else canvas.target_colour(mark)
        pen = QPen(colour, 1.3 if mark is None else 1.8)
        if mark is None:
            pen.setStyle(Qt.PenStyle.DashLine)
        canvas.painter.setPen(pen)
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        canvas.painter.drawPolyline(list(places))

    def _marks(self, canvas: Canvas, places: Sequence[tuple[SeriesPoint, QPointF]]) -> None:
        shape = TARGET_MARKS[self._mark % len(TARGET_MARKS)].shape
        for point, place in places:
            box = QRectF(place.x() - _MARK / 2, place.y() - _MARK / 2, _MARK, _MARK)
            colour = canvas.target_colour(self._mark)
            canvas.painter.fillPath(
                mark_path(shape, box), with_alpha(colour, 0.4 if point.stale else 1)
            )
            canvas.hit(box.adjusted(-4, -4, 4, 4), point.tip)

    def _label(self, canvas: Canvas, plot: QRectF, at: QPointF, text: str) -> None:
        width = canvas.text_width(text, TextRole.NOTE) + 4
        box = QRectF(plot.right() - width, at.y(), width, 14)
        canvas.text(box, text, TextRole.NOTE, "fg3", _RIGHT, elide=False)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    low, high = math.log10(min(values) / 1.25), math.log10(max(values) * 1.25)
    return low, max(high, low + 0.3)


def _log(low: float, high: float, plot: QRectF) -> Scale:
    def y(value: float) -> float:
        return plot.bottom() - (math.log10(value) - low) / (high - low) * plot.height()

    return y


def _log_ticks(low: float, high: float) -> list[float]:
    steps = (1,) if high - low > 2.5 else (1, 2, 5)
    powers = range(math.floor(low), math.ceil(high) + 1)
    values = [step * 10.0**power for power in powers for step in steps]
    return [value for value in values if low <= math.log10(value) <= high]


def _step(most: float, wanted: int = 4) -> float:
    raw = most / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    return float(next(f * power for f in (1, 2, 5, 10) if f * power >= raw * 0.999))
