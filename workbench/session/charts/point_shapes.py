"""Lays curves, points, guides and links of a chart into its frame."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from workbench.session.charts.frame import LABEL, NOTE, Frame
from workbench.session.charts.measuring import text_width
from workbench.session.charts.model import Chart, Curve, Guide, Link, Point, Series
from workbench.session.charts.scene import XY, Mark, Rect, Shape, Spot, Stroke, Text

_MARK, _SMALL = 9.0, 5.0  # px
#: The dash of the target with that mark, as in every view; a predicted curve is dotted thinly.
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (2, 2), (5, 2, 1, 2), (8, 2))
_NEAR, _BESIDE = 11.0, 26.0  # px down and across between labels that are written together
_RIGHT = 12.0  # px right of the plot into which a label may reach
_MOST_MARKS = 400
_CELL = 5.0  # px: of very many marks those that lie nearer are drawn once, they hide each other


def shown_curves(chart: Chart, shown: Sequence[Series]) -> list[tuple[Curve, Series]]:
    """The curves of the series that are shown, predicted ones first: measured lie above them."""
    series = {each.key: each for each in shown}
    found = [(curve, series[curve.series]) for curve in chart.curves if curve.series in series]
    return sorted(found, key=lambda each: not each[1].is_predicted)


def curve_shapes(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Shape]:
    """Bands, then lines, then marks with their labels."""
    curves = shown_curves(chart, shown)
    for curve, own in curves:
        if curve.is_joined:
            yield from _line(curve, frame, own)
    for curve, own in curves:
        for point in _apart(curve.points, frame):
            x, y = frame.at(point.x, point.y)
            yield Mark(x, y, own.mark or 0, own.tone, mark_size(curve), own.is_predicted)
    yield from point_labels(chart, frame, shown)


def point_spots(chart: Chart, frame: Frame, shown: Sequence[Series]) -> list[Spot]:
    """Where each mark within the plot answers, from left to right."""
    spots = []
    for curve, own in shown_curves(chart, shown):
        for point in _apart(curve.points, frame):
            x, y = frame.at(point.x, point.y)
            if frame.plot.holds(x, y):
                area = Rect(x - 7, y - 7, 14, 14)
                spots.append(Spot(area, chart.tip_of(point), point.key, own.key))
    return sorted(spots, key=lambda spot: spot.area.x)


def _apart(points: Sequence[Point], frame: Frame) -> Iterable[Point]:
    """The points; of very many those that lie apart."""
    if len(points) <= _MOST_MARKS:
        return points
    kept: dict[tuple[int, int], Point] = {}
    for point in points:
        x, y = frame.at(point.x, point.y)
        kept.setdefault((int(x / _CELL), int(y / _CELL)), point)
    return kept.values()


def has_band(curve: Curve) -> bool:
    """Whether the spread of every point is known."""
    known = [p for p in curve.points if p.low is not None and p.high is not None]
    return curve.is_joined and len(known) == len(curve.points) > 1


def mark_size(curve: Curve) -> float:
    """The px of a mark: small ones where very many would hide each other."""
    return _MARK if len(curve.points) <= _MOST_MARKS else _SMALL


def curve_look(series: Series) -> tuple[float, tuple[float, ...]]:
    """The width and the dash in px of the line of a series."""
    if series.is_predicted:
        return 1.3, (3.0, 3.0)
    return 1.8, _DASHES[(series.mark or 0) % len(_DASHES)]


def _line(curve: Curve, frame: Frame, series: Series) -> Iterator[Shape]:
    points = curve.points
    if has_band(curve):
        above = [frame.at(p.x, p.high or p.y) for p in points]
        below = [frame.at(p.x, p.low or p.y) for p in reversed(points)]
        yield Stroke((*above, *below), series.tone, alpha=BAND, fill=True)
    width, dash = curve_look(series)
    yield Stroke(tuple(frame.at(p.x, p.y) for p in points), series.tone, width, dash)


BAND = 0.22
"""The opacity of a spread."""


def point_labels(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Text]:
    """The labels beside points, those of one place in one."""
    groups: list[tuple[float, float, list[str]]] = []
    curves = [curve for curve, _ in shown_curves(chart, shown)]
    for point in (point for curve in curves for point in curve.points if point.label):
        x, y = frame.at(point.x, point.y)
        if not frame.plot.holds(x, y):
            continue
        near = next((g for g in groups if abs(g[0] - x) < _BESIDE and abs(g[1] - y) < _NEAR), None)
        if near is None:
            groups.append((x, y, [point.label]))
        else:
            near[2].append(point.label)
            groups[groups.index(near)] = (max(x, near[0]), near[1], near[2])
    for x, y, names in groups:
        text = ", ".join(sorted(set(names)))
        if x + 10 + text_width(text, LABEL, 600) <= frame.plot.right + _RIGHT:
            yield Text(x + 10, y, text, "fg", LABEL, 600)
        else:
            yield Text(x - 10, y, text, "fg", LABEL, 600, "end")


def guide_shapes(chart: Chart, frame: Frame) -> Iterator[Shape]:
    """Guides with their names along them or at their ends."""
    for guide in chart.guides:
        yield Stroke(_placed(guide, frame), guide.tone, guide.width, guide.dash)
    yield from guide_names(chart, frame)


def guide_names(chart: Chart, frame: Frame) -> Iterator[Shape]:
    """The names of guides: of what bars are held against above the plot."""
    for guide in chart.guides:
        if chart.bars:
            yield from _guide_above(guide, frame.plot)
        else:
            yield from _guide_name(guide, _placed(guide, frame), frame.plot)


def guide_spots(chart: Chart, frame: Frame) -> Iterator[Spot]:
    """Small places along guides that answer."""
    for guide in chart.guides:
        if guide.tip:
            yield from (Spot(area, guide.tip) for area in _along(_placed(guide, frame), frame.plot))


def _placed(guide: Guide, frame: Frame) -> tuple[XY, ...]:
    return tuple(frame.at(*point) for point in guide.points)


def _guide_above(guide: Guide, plot: Rect) -> Iterator[Shape]:
    """The name of what bars are held against, above them at the right, with a piece of its line."""
    y, wide = plot.y - 13, text_width(guide.label, NOTE, 500)
    x = plot.right - wide - 8
    points = ((x - 18, y), (x, y))
    yield Stroke(points, guide.tone, guide.width, guide.dash, is_clipped=False)
    yield Text(plot.right - 2, y, guide.label, "fg2", NOTE, 500, "end")


def _guide_name(guide: Guide, points: Sequence[XY], plot: Rect) -> Iterator[Shape]:
    """Flat ones are named above their right end, slopes along themselves near one of their ends."""
    if not guide.label:
        return
    (x0, y0), (x1, y1) = points[0], points[-1]
    wide = text_width(guide.label, NOTE, 500)
    if abs(y1 - y0) < 1:
        y = y0 - 8 if y0 - 16 > plot.y - 12 else y0 + 9
        if plot.y - 12 <= y <= plot.bottom:
            yield Text(plot.right - 2, y, guide.label, "fg2", NOTE, 500, "end", is_clear=True)
        return
    seen = _within((x0, y0), (x1, y1), plot)
    if seen is None:
        return
    (x0, y0), (x1, y1) = seen
    length = math.hypot(x1 - x0, y1 - y0)
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    if length < wide + 30:
        yield Text(x1 + 5, y1 - 9, guide.label, guide.tone, NOTE, 500)
        return
    share = (length - wide - 16.0 if guide.is_named_late else 16.0) / length
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    yield Text(x + dy * 9, y - dx * 9, guide.label, guide.tone, NOTE, 500, "start", angle)


def _within(start: XY, end: XY, plot: Rect) -> tuple[XY, XY] | None:
    """The part of a line that lies in the plot; None where none does (Liang and Barsky, 1984)."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    low, high = 0.0, 1.0
    for way, room in (
        (-dx, start[0] - plot.x),
        (dx, plot.right - start[0]),
        (-dy, start[1] - plot.y),
        (dy, plot.bottom - start[1]),
    ):
        if way == 0:
            if room < 0:
                return None
        elif way < 0:
            low = max(low, room / way)
        else:
            high = min(high, room / way)
    if low >= high:
        return None
    return (start[0] + dx * low, start[1] + dy * low), (start[0] + dx * high, start[1] + dy * high)


def _along(points: Sequence[XY], plot: Rect) -> Iterator[Rect]:
    """Small places along a line that answer."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / 24))
        for step in range(steps + 1):
            x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
            if plot.holds(x, y):
                yield Rect(x - 10, y - 6, 20, 12)


def link_shapes(links: Sequence[Link], frame: Frame) -> Iterator[Shape]:
    """Dots between the levels of a run, and arrows from predictions to what was measured."""
    for link in links:
        start, end = frame.at(*link.start), frame.at(*link.end)
        if link.is_arrow:
            yield from _arrow(start, end, link.tone)
        else:
            yield Stroke((start, end), link.tone, 1.0, (1.0, 3.0))


def _arrow(start: XY, end: XY, tone: str) -> Iterator[Shape]:
    """Between the edges of two marks; none where they touch."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    if length < 14:
        return
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tail = (start[0] + dx * 6, start[1] + dy * 6)
    tip = (end[0] - dx * 6, end[1] - dy * 6)
    yield Stroke((tail, tip), tone, 1.2)
    for side in (1, -1):
        wing = (tip[0] - dx * 4 + side * dy * 3, tip[1] - dy * 4 - side * dx * 3)
        yield Stroke((wing, tip), tone, 1.2)
