"""Lays the bars of a chart into its frame: beside or upon each other, with whiskers and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.session.charts.frame import NOTE, Frame
from workbench.session.charts.measuring import text_width
from workbench.session.charts.model import Bar, Chart, Gap, Series
from workbench.session.charts.scene import Box, Rect, Shape, Spot, Stroke, Text

_SHARE = 0.78  # of a place that its bars take
_WIDEST, _BETWEEN = 44.0, 3.0
_LEAST_SPOT = 10.0  # px: a bar of nothing can still be pointed at
_TEXT_ROOM = 15.0


@dataclass(frozen=True)
class Slots:
    """Where the bars of each place stand: those series that have one there, in their order."""

    frame: Frame
    of_place: dict[int, tuple[str, ...]]
    width: float

    def left(self, place: int, series: str) -> float:
        """The left side of a bar in px."""
        names = self.of_place[place]
        whole = len(names) * self.width + (len(names) - 1) * _BETWEEN
        first = self.frame.across(place) - whole / 2
        return first + names.index(series) * (self.width + _BETWEEN)


def slots_of(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Slots:
    """The slots for the series that are shown."""
    keys = [series.key for series in shown]
    found: dict[int, set[str]] = {}
    marks: tuple[Bar | Gap, ...] = (*chart.bars, *chart.gaps)
    for mark in marks:
        if mark.series in keys:
            found.setdefault(mark.place, set()).add("" if chart.stacked else mark.series)
    ordered = {
        place: tuple(key for key in ("", *keys) if key in names) for place, names in found.items()
    }
    step = frame.plot.width / max(1e-9, frame.x.high - frame.x.low)
    most = max((len(names) for names in ordered.values()), default=1)
    width = (step * _SHARE - _BETWEEN * (most - 1)) / most
    return Slots(frame, ordered, max(2.0, min(_WIDEST, width)))


def bar_shapes(
    chart: Chart, frame: Frame, shown: Sequence[Series]
) -> tuple[list[Shape], list[Spot]]:
    """The bars, then the numbers above all of them, and where each answers."""
    slots, series = slots_of(chart, frame, shown), {each.key: each for each in shown}
    shapes: list[Shape] = []
    texts: list[Shape] = []
    spots: list[Spot] = []
    for bar in sorted(chart.bars, key=lambda bar: bar.place):
        if bar.series not in series:
            continue
        area = _area(bar, slots, chart.stacked)
        own = series[bar.series]
        shapes.append(Box(area, own.tone, own.is_predicted))
        shapes += _extras(bar, area, frame)
        texts += _number(bar, area, frame, chart.stacked)
        spots.append(Spot(_spot(area, frame.plot), bar.tip, bar.key, bar.series))
    for gap in chart.gaps:
        if gap.series in series:
            made, spot = _gap(gap, slots, chart.stacked)
            texts += made
            spots.append(spot)
    return [*shapes, *texts], spots


def _area(bar: Bar, slots: Slots, stacked: bool) -> Rect:
    frame = slots.frame
    left = slots.left(bar.place, "" if stacked else bar.series)
    top = frame.down(bar.value)
    bottom = frame.down(bar.start) if bar.start else frame.floor
    return Rect(left, min(top, bottom), slots.width, abs(bottom - top))


def _spot(area: Rect, plot: Rect) -> Rect:
    """Where a bar answers: never less than can be pointed at, and within the plot."""
    grown = max(0.0, _LEAST_SPOT - area.height)
    top = max(plot.y, area.y - grown)
    bottom = min(plot.bottom, area.bottom)
    return Rect(area.x, top, area.width, max(0.0, bottom - top))


def _extras(bar: Bar, area: Rect, frame: Frame) -> Iterator[Shape]:
    middle = area.x + area.width / 2
    if bar.low is not None and bar.high is not None:
        low, high = frame.down(bar.low), frame.down(bar.high)
        half = min(5.0, area.width / 3)
        yield Stroke(((middle, low), (middle, high)), "fg", 1.2)
        for y in (low, high):
            yield Stroke(((middle - half, y), (middle + half, y)), "fg", 1.2)
    if bar.goes_on:
        for offset in (5.0, 9.0):
            y = area.y + offset
            yield Stroke(((area.x - 1, y + 3), (area.right + 1, y - 1)), "bg1", 2.0)
    if bar.is_marked:
        yield Stroke(((area.x - 2, area.y), (area.right + 2, area.y)), "error", 2.0)


def _number(bar: Bar, area: Rect, frame: Frame, stacked: bool) -> Iterator[Shape]:
    """The number of a bar where it has room: above it, or within where bars are stacked."""
    if not bar.text or not frame.x.low - 0.01 <= bar.place <= frame.x.high + 0.01:
        return
    wide = text_width(bar.text, NOTE, 500)
    middle = area.x + area.width / 2
    if stacked:
        if area.height >= _TEXT_ROOM and wide <= area.width - 4:
            y = area.y + area.height / 2
            yield Text(middle, y, bar.text, "fg", NOTE, 500, "middle", is_clear=True)
        return
    top = area.y if bar.high is None else min(area.y, frame.down(bar.high))
    if wide <= area.width + 1 and frame.plot.y - 14 <= top <= frame.plot.bottom:
        tone = "error" if bar.is_marked else "fg"
        yield Text(middle, top - 8, bar.text, tone, NOTE, 600, "middle")


def _gap(gap: Gap, slots: Slots, stacked: bool) -> tuple[list[Shape], Spot]:
    """A dotted foot, and the word for what is unknown above it, turned where it is narrow."""
    left = slots.left(gap.place, "" if stacked else gap.series)
    bottom, width = slots.frame.plot.bottom, slots.width
    foot = Stroke(((left, bottom - 2), (left + width, bottom - 2)), "fg3", 1.4, (2, 2))
    middle, wide = left + width / 2, text_width(gap.text, NOTE)
    words = gap.text.split(" ", 1)
    texts: list[Shape]
    if wide <= width + 8:
        texts = [Text(middle, bottom - 12, gap.text, anchor="middle")]
    elif len(words) == 2 and max(text_width(word, NOTE) for word in words) <= width + 8:
        texts = [
            Text(middle, bottom - 26, words[0], anchor="middle"),
            Text(middle, bottom - 12, words[1], anchor="middle"),
        ]
    else:
        texts = [Text(middle, bottom - 8, gap.text, angle=-90.0)]
    spot = Spot(Rect(left, bottom - 40, width, 40), gap.tip, "", gap.series)
    return [foot, *texts], spot
