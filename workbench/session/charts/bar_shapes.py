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
        name = "" if self.frame.chart.stacked else series
        names = self.of_place[place]
        whole = len(names) * self.width + (len(names) - 1) * _BETWEEN
        first = self.frame.across(place) - whole / 2
        return first + names.index(name) * (self.width + _BETWEEN)

    def area(self, bar: Bar) -> Rect:
        """Where a bar lies."""
        frame = self.frame
        left, top = self.left(bar.place, bar.series), frame.down(bar.value)
        bottom = frame.down(bar.start) if bar.start else frame.floor
        return Rect(left, min(top, bottom), self.width, abs(bottom - top))


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


def shown_bars(chart: Chart, shown: Sequence[Series]) -> list[Bar]:
    """The bars of the series that are shown, in the order of their places."""
    keys = {series.key for series in shown}
    return sorted((bar for bar in chart.bars if bar.series in keys), key=lambda bar: bar.place)


def bar_shapes(chart: Chart, slots: Slots, shown: Sequence[Series]) -> Iterator[Shape]:
    """The bars with their whiskers."""
    series = {each.key: each for each in shown}
    for bar in shown_bars(chart, shown):
        own, area = series[bar.series], slots.area(bar)
        yield Box(area, own.tone, own.is_predicted)
        yield from _whisker(bar, area, slots.frame)


def bar_notes(chart: Chart, slots: Slots, shown: Sequence[Series]) -> Iterator[Shape]:
    """What is said of bars, above all of them: breaks, limits, numbers, and what is unknown."""
    for bar in shown_bars(chart, shown):
        area = slots.area(bar)
        yield from _extras(bar, area)
        yield from _number(bar, area, slots.frame, chart.stacked)
    keys = {series.key for series in shown}
    for gap in chart.gaps:
        if gap.series in keys:
            yield from _gap(gap, slots)


def bar_spots(chart: Chart, slots: Slots, shown: Sequence[Series]) -> Iterator[Spot]:
    """Where each bar and each gap answers."""
    plot = slots.frame.plot
    for bar in shown_bars(chart, shown):
        yield Spot(_spot(slots.area(bar), plot), chart.tip_of(bar), bar.key, bar.series)
    keys = {series.key for series in shown}
    for gap in chart.gaps:
        if gap.series in keys:
            left = slots.left(gap.place, gap.series)
            area = Rect(left, plot.bottom - 40, slots.width, 40)
            yield Spot(area, gap.tip, "", gap.series)


def _spot(area: Rect, plot: Rect) -> Rect:
    """Where a bar answers: never less than can be pointed at, and within the plot."""
    grown = max(0.0, _LEAST_SPOT - area.height)
    top = max(plot.y, area.y - grown)
    bottom = min(plot.bottom, area.bottom)
    return Rect(area.x, top, area.width, max(0.0, bottom - top))


def _whisker(bar: Bar, area: Rect, frame: Frame) -> Iterator[Shape]:
    if bar.low is None or bar.high is None:
        return
    middle = area.x + area.width / 2
    low, high = frame.down(bar.low), frame.down(bar.high)
    half = beam(area.width) / 2
    yield Stroke(((middle, low), (middle, high)), "fg", 1.2)
    for y in (low, high):
        yield Stroke(((middle - half, y), (middle + half, y)), "fg", 1.2)


def beam(width: float) -> float:
    """The width of the ends of a whisker over a bar of that width, in px."""
    return 2 * min(5.0, width / 3)


def _extras(bar: Bar, area: Rect) -> Iterator[Shape]:
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
        y = area.y + area.height / 2
        is_seen = frame.plot.y <= y <= frame.plot.bottom
        if area.height >= _TEXT_ROOM and wide <= area.width - 4 and is_seen:
            yield Text(middle, y, bar.text, "fg", NOTE, 500, "middle", is_clear=True)
        return
    top = area.y if bar.high is None else min(area.y, frame.down(bar.high))
    if wide <= area.width + 1 and frame.plot.y - 14 <= top <= frame.plot.bottom:
        tone = "error" if bar.is_marked else "fg"
        yield Text(middle, _clear_of_guides(top, frame) - 8, bar.text, tone, NOTE, 600, "middle")


def _clear_of_guides(top: float, frame: Frame) -> float:
    """Where a number stands upon that no line across goes through: upon the line, or `top`."""
    for guide in frame.chart.guides:
        heights = {frame.down(y) for _, y in guide.points}
        y = heights.pop()
        if not heights and 0 < top - y < _TEXT_ROOM:
            top = y
    return top


def _gap(gap: Gap, slots: Slots) -> Iterator[Shape]:
    """A dotted foot, and the word for what is unknown above it, turned where it is narrow."""
    plot, width = slots.frame.plot, slots.width
    left, bottom = slots.left(gap.place, gap.series), plot.bottom
    middle, wide = left + width / 2, text_width(gap.text, NOTE)
    if not plot.x <= middle <= plot.right:
        return
    yield Stroke(((left, bottom - 2), (left + width, bottom - 2)), "fg3", 1.4, (2, 2))
    words = gap.text.split(" ", 1)
    if wide <= width + 8:
        yield Text(middle, bottom - 12, gap.text, anchor="middle")
    elif len(words) == 2 and max(text_width(word, NOTE) for word in words) <= width + 8:
        yield Text(middle, bottom - 26, words[0], anchor="middle")
        yield Text(middle, bottom - 12, words[1], anchor="middle")
    else:
        yield Text(middle, bottom - 8, gap.text, angle=-90.0)
