"""Lays curves, points, guides and links of a chart into its frame."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from workbench.session.charts.frame import LABEL, NOTE, Frame
from workbench.session.charts.measuring import text_width
from workbench.session.charts.model import Chart, Curve, Guide, Link, Series
from workbench.session.charts.scene import XY, Mark, Rect, Shape, Spot, Stroke, Text

#: The dash of the target with that mark, as in every view; a predicted curve is dotted thinly.
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (2, 2), (5, 2, 1, 2), (8, 2))
_MARK = 9.0
_NEAR, _BESIDE = 11.0, 26.0  # px down and across between labels that are written together


def curve_shapes(
    chart: Chart, frame: Frame, shown: Sequence[Series]
) -> tuple[list[Shape], list[Spot]]:
    """Bands, then lines, then marks with their labels, and where each mark answers."""
    series = {each.key: each for each in shown}
    curves = [curve for curve in chart.curves if curve.series in series]
    shapes: list[Shape] = []
    for curve in curves:
        if curve.is_joined:
            shapes += _line(curve, frame, series[curve.series])
    spots: list[Spot] = []
    for curve in sorted(curves, key=lambda each: not series[each.series].is_predicted):
        own = series[curve.series]
        for point in curve.points:
            x, y = frame.at(point.x, point.y)
            shapes.append(Mark(x, y, own.mark or 0, own.tone, _MARK, own.is_predicted))
            if frame.plot.holds(x, y):
                area = Rect(x - 7, y - 7, 14, 14)
                spots.append(Spot(area, point.tip, point.key, curve.series))
    return [*shapes, *_labels(curves, frame)], sorted(spots, key=lambda spot: spot.area.x)


def _line(curve: Curve, frame: Frame, series: Series) -> Iterator[Shape]:
    points = curve.points
    spread = [(p.low, p.high) for p in points if p.low is not None and p.high is not None]
    if len(spread) == len(points) > 1:
        above = [frame.at(p.x, p.high or p.y) for p in points]
        below = [frame.at(p.x, p.low or p.y) for p in reversed(points)]
        yield Stroke((*above, *below), series.tone, alpha=0.22, fill=True)
    dash = _DASHES[(series.mark or 0) % len(_DASHES)] if not series.is_predicted else (3.0, 3.0)
    width = 1.3 if series.is_predicted else 1.8
    yield Stroke(tuple(frame.at(p.x, p.y) for p in points), series.tone, width, dash)


def _labels(curves: Sequence[Curve], frame: Frame) -> Iterator[Shape]:
    """The labels beside points, those of one place in one."""
    groups: list[tuple[float, float, list[str]]] = []
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
        yield Text(x + 10, y, ", ".join(sorted(set(names))), "fg", LABEL, 600)


def guide_shapes(chart: Chart, frame: Frame) -> tuple[list[Shape], list[Spot]]:
    """Guides with their names along them or at their ends, and where each answers."""
    shapes: list[Shape] = []
    spots: list[Spot] = []
    texts: list[Shape] = []
    for guide in chart.guides:
        points = tuple(frame.at(*point) for point in guide.points)
        shapes.append(Stroke(points, guide.tone, guide.width, guide.dash))
        texts += (
            _guide_above(guide, frame.plot)
            if chart.bars
            else _guide_name(guide, points, frame.plot)
        )
        if guide.tip:
            spots += [Spot(area, guide.tip) for area in _along(points, frame.plot)]
    return [*shapes, *texts], spots


def _guide_above(guide: Guide, plot: Rect) -> Iterator[Shape]:
    """The name of what bars are held against, above them at the right, with a piece of its line."""
    y, wide = plot.y - 13, text_width(guide.label, NOTE, 500)
    x = plot.right - wide - 8
    points = ((x - 18, y), (x, y))
    yield Stroke(points, guide.tone, guide.width, guide.dash, is_clipped=False)
    yield Text(plot.right - 2, y, guide.label, "fg2", NOTE, 500, "end")


def _guide_name(guide: Guide, points: Sequence[XY], plot: Rect) -> Iterator[Shape]:
    """Flat ones are named above their right end, slopes along themselves near their beginning."""
    if not guide.label:
        return
    (x0, y0), (x1, y1) = points[0], points[-1]
    wide = text_width(guide.label, NOTE, 500)
    if abs(y1 - y0) < 1:
        y = y0 - 8 if y0 - 16 > plot.y - 12 else y0 + 9
        yield Text(plot.right - 2, y, guide.label, "fg2", NOTE, 500, "end", is_clear=True)
        return
    length = math.hypot(x1 - x0, y1 - y0)
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    if length < wide + 30:
        yield Text(x1 + 5, y1 - 9, guide.label, guide.tone, NOTE, 500)
        return
    share = 16.0 / length
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    yield Text(x + dy * 9, y - dx * 9, guide.label, guide.tone, NOTE, 500, "start", angle)


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
