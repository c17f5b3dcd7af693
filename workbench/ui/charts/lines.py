"""Curves, points, guides and bundles of lines of a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.session.charts.cell_shapes import line_dash, line_width
from workbench.session.charts.frame import Frame
from workbench.session.charts.model import Bundle, Chart, Curve, Guide, Line, Point, Series
from workbench.session.charts.point_shapes import (
    BAND,
    curve_look,
    has_band,
    mark_size,
    shown_curves,
)
from workbench.session.charts.scene import Rect, Spot
from workbench.ui.charts.curves import PicturedLines, SharpCurve, pen_of, ratio_of, widened
from workbench.ui.charts.units import to_plot
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import TARGET_MARKS, MarkShape
from workbench.ui.widgets.painting import mark_path, with_alpha

_RING = 1.6
_MOST_SMOOTH = 400  # marks or lines that are each drawn with care; more are drawn fast
_UNIT = QRectF(-0.5, -0.5, 1.0, 1.0)
_REACH = 7.0  # px around a point, and above and below a line, that answer
_CURRENT = 2.4
_FINE = 96.0  # parts of the height: pieces of very many lines that lie nearer are one


class Marks(pg.ScatterPlotItem):  # type: ignore[misc]  # no types are shipped
    """A scatter plot whose marks all look alike: one look is made ready instead of thousands."""

    _ratio = 1.0

    def paint(self, p: QPainter, option: Any, widget: QWidget | None) -> None:
        ratio, pen = ratio_of(p), self.opts["pen"]
        if ratio != self._ratio:
            self.opts["pen"] = widened(pen, ratio / self._ratio)
            self._ratio = ratio
            self.updateSpots()
        super().paint(p, option, widget)

    def updateSpots(self, dataSet: Any = None) -> None:  # noqa: N802, N803 - its names
        marks = self.data if dataSet is None else dataSet
        if not self.opts["useCache"] or not len(marks):
            super().updateSpots(dataSet)
            return
        look = tuple(self.opts[name] for name in ("symbol", "size", "pen", "brush"))
        marks["sourceRect"] = self.fragmentAtlas[[look]][0]
        self._updateMaxSpotSizes(data=marks)
        self.invalidate()


class CurveLayer:
    """The curves of a chart: bands, lines, and marks above all of them."""

    def __init__(self, theme: Theme, chart: Chart, frame: Frame, shown: Sequence[Series]) -> None:
        self._theme, self._chart = theme, chart
        self._marks: list[tuple[Curve, Series, Marks]] = []
        items: list[Any] = []
        curves = shown_curves(chart, shown)
        for curve, own in curves:
            items += self._line(curve, own, frame) if curve.is_joined else ()
        for curve, own in curves:
            marks = self._scatter(curve, own, frame)
            self._marks.append((curve, own, marks))
            items.append(marks)
        self.items = tuple(items)

    def spot_at(self, place: QPointF, frame: Frame) -> Spot | None:
        """The mark at px of the frame; of several that which is drawn last."""
        for curve, own, marks in reversed(self._marks):
            x, y = marks.getData()
            far = np.hypot(_px_across(frame, x) - place.x(), _px_down(frame, y) - place.y())
            near = np.flatnonzero(far <= _REACH)
            if near.size:
                at = near[np.argmin(far[near])]
                return self._spot(curve.points[at], own, frame)
        return None

    def spots(self, frame: Frame) -> list[Spot]:
        """All marks within the plot, from left to right."""
        found = [
            self._spot(point, own, frame)
            for curve, own, _ in self._marks
            for point in curve.points
            if frame.plot.holds(*frame.at(point.x, point.y))
        ]
        return sorted(found, key=lambda spot: spot.area.x)

    def smooth(self, is_smooth: bool) -> None:
        """Draw each mark anew, for a picture of more pixels, or all from one of each kind."""
        for _, _, marks in self._marks:
            marks.opts["useCache"] = not is_smooth

    def _spot(self, point: Point, own: Series, frame: Frame) -> Spot:
        x, y = frame.at(point.x, point.y)
        area = Rect(x - _REACH, y - _REACH, 2 * _REACH, 2 * _REACH)
        return Spot(area, self._chart.tip_of(point), point.key, own.key)

    def _line(self, curve: Curve, own: Series, frame: Frame) -> tuple[Any, ...]:
        points, colour = curve.points, self._theme.colour(own.tone)
        x = to_plot(frame.x, [point.x for point in points])
        width, dash = curve_look(own)
        line = SharpCurve(
            x,
            to_plot(frame.y, [point.y for point in points]),
            pen=pen_of(colour, width, dash),
            antialias=True,
        )
        if not has_band(curve):
            return (line,)
        ends = ([p.low or p.y for p in points], [p.high or p.y for p in points])
        low, high = (pg.PlotCurveItem(x, to_plot(frame.y, values)) for values in ends)
        return pg.FillBetweenItem(low, high, brush=pg.mkBrush(with_alpha(colour, BAND))), line

    def _scatter(self, curve: Curve, own: Series, frame: Frame) -> Marks:
        shape = TARGET_MARKS[(own.mark or 0) % len(TARGET_MARKS)].shape
        is_hollow = own.is_predicted or shape is MarkShape.RING
        colour, size = self._theme.colour(own.tone), mark_size(curve)
        ring = min(_RING, size / 4)
        return Marks(
            to_plot(frame.x, [point.x for point in curve.points]),
            to_plot(frame.y, [point.y for point in curve.points]),
            symbol=mark_path(shape, _UNIT),
            size=size - ring if is_hollow else size,
            pen=pg.mkPen(colour, width=ring) if is_hollow else pg.mkPen(None),
            brush=pg.mkBrush(self._theme.colour("bg1") if is_hollow else colour),
            useCache=len(curve.points) > _MOST_SMOOTH,
            antialias=True,
        )


def _px_across(frame: Frame, units: Any) -> Any:
    low, high = to_plot(frame.x, (frame.x.low, frame.x.high))
    return frame.plot.x + (units - low) / (high - low) * frame.plot.width


def _px_down(frame: Frame, units: Any) -> Any:
    low, high = to_plot(frame.y, (frame.y.low, frame.y.high))
    return frame.plot.bottom - (units - low) / (high - low) * frame.plot.height


class GuideLayer:
    """The lines that values are held against."""

    def __init__(self, theme: Theme, chart: Chart, frame: Frame) -> None:
        self._guides: list[tuple[Guide, Any]] = []
        for guide in chart.guides:
            x = to_plot(frame.x, [point[0] for point in guide.points])
            y = to_plot(frame.y, [point[1] for point in guide.points])
            pen = pen_of(theme.colour(guide.tone), guide.width, guide.dash)
            item = SharpCurve(x, y, pen=pen, antialias=True)
            self._guides.append((guide, item))
        self.items = tuple(item for _, item in self._guides)

    def spot_at(self, place: QPointF, units: QPointF) -> Spot | None:
        """The guide at a place in px, which are those units of the plot."""
        for guide, item in reversed(self._guides):
            if guide.tip and item.mouseShape().contains(units):
                return Spot(Rect(place.x() - 10, place.y() - 6, 20, 12), guide.tip)
        return None


class BundleLayer:
    """Bundles of lines, each bundle one curve; the current line stands out."""

    def __init__(self, theme: Theme, chart: Chart, frame: Frame, shown: Sequence[Series]) -> None:
        self._theme, self._chart = theme, chart
        series = {each.key: each for each in shown}
        filled = [b for b in chart.bundles if b.lines and b.series in series]
        self._bundles = [(b, series[b.series]) for b in filled]
        self._values = [_values_of(bundle) for bundle, _ in self._bundles]
        self._current = SharpCurve(antialias=True)
        self._current.setPen(pen_of(theme.colour("accent"), _CURRENT))
        self.items = (*map(self._curve, self._values, self._bundles), self._current)

    def smooth(self, is_smooth: bool) -> None:
        """Draw all lines anew, for a picture of more pixels, or keep them as one."""
        for item in self.items:
            if isinstance(item, PicturedLines):
                item.is_kept = not is_smooth

    def _curve(self, values: Any, bundle: tuple[Bundle, Series]) -> Any:
        _, own = bundle
        colour = with_alpha(self._theme.colour(own.tone), own.alpha)
        is_few = len(values) <= _MOST_SMOOTH
        pen = pen_of(colour, line_width(own), line_dash(own) if is_few else ())
        x, y = _lines(values) if is_few else _pieces(values)
        return PicturedLines(
            x, y, pen=pen, connect="finite" if is_few else "pairs", antialias=is_few
        )

    def spot_at(self, place: QPointF, frame: Frame) -> Spot | None:
        """The line at px of the frame, anywhere along it."""
        at = frame.x.value((place.x() - frame.plot.x) / frame.plot.width)
        for (bundle, own), values in zip(
            reversed(self._bundles), reversed(self._values), strict=True
        ):
            last = values.shape[1] - 1
            if not (len(values) and 0 <= at <= last + 0.2):
                continue
            left = min(int(at), last - 1)
            part = min(at - left, 1.0)
            heights = values[:, left] * (1 - part) + values[:, left + 1] * part
            far = np.abs(_px_down(frame, heights) - place.y())
            nearest = int(np.argmin(far))
            if far[nearest] <= _REACH:
                return self._spot(bundle.lines[nearest], own, frame)
        return None

    def spots(self, frame: Frame) -> list[Spot]:
        """All lines, those of one bundle after those of another, each by its right end."""
        return [
            self._spot(line, own, frame)
            for bundle, own in reversed(self._bundles)
            for line in bundle.lines
        ]

    def show_current(self, spot: Spot | None) -> None:
        """Let the line of a spot stand out."""
        lines = (line for bundle, _ in self._bundles for line in bundle.lines)
        key = spot.key if spot is not None else ""
        found = next((line for line in lines if line.key == key), None) if key else None
        values = found.heights if found is not None else ()
        self._current.setData(np.arange(len(values), dtype=np.float64), np.asarray(values))

    def _spot(self, line: Line, own: Series, frame: Frame) -> Spot:
        x, y = frame.at(len(line.heights) - 1, line.heights[-1])
        return Spot(Rect(x - 10, y - 4, 20, 8), self._chart.tip_of(line), line.key, own.key)


def _lines(values: Any) -> tuple[Any, Any]:
    """Lines one after another, with gaps between."""
    count, places = values.shape
    gaps = np.full((count, 1), np.nan)
    x = np.tile(np.append(np.arange(places, dtype=np.float64), np.nan), count)
    return x, np.hstack((values, gaps)).ravel()


def _pieces(values: Any) -> tuple[Any, Any]:
    """The pieces of lines between two places, each once where several lie upon each other."""
    across, up = [], []
    for at in range(values.shape[1] - 1):
        ends = np.unique(np.round(values[:, at : at + 2] * _FINE), axis=0) / _FINE
        across.append(np.tile((float(at), at + 1.0), len(ends)))
        up.append(ends.ravel())
    return np.concatenate(across), np.concatenate(up)


def _values_of(bundle: Bundle) -> Any:
    values = np.asarray([line.heights for line in bundle.lines], dtype=np.float64)
    return values.reshape(len(bundle.lines), -1)
