"""The frame of a chart in px: where its plot lies, its grid, its ticks and names of places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.session.charts.measuring import elided, text_width
from workbench.session.charts.model import Axis, Chart
from workbench.session.charts.scene import XY, Rect, Shape, Stroke, Text
from workbench.session.charts.ticks import Scale, tick_text

NOTE, LABEL = 11, 12
_LEFT_ROOM, _TOP_ROOM, _RIGHT_ROOM = 10.0, 10.0, 14.0
_PLACES, _VALUES = 34.0, 36.0  # below the plot: names of places in two lines, or ticks and a title
_TICK_EVERY_X, _TICK_EVERY_Y = 90.0, 44.0


@dataclass(frozen=True)
class View:
    """What the person has changed: ranges, scales, and series that are hidden.

    None is as the chart has it.
    """

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    log_x: bool | None = None
    log_y: bool | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def is_zoomed(self) -> bool:
        """Whether a range is not the chart's own."""
        return self.x is not None or self.y is not None


@dataclass(frozen=True)
class Frame:
    """A plot in px with its scales."""

    chart: Chart
    plot: Rect
    x: Scale
    y: Scale

    def across(self, value: float) -> float:
        """The px of a value across."""
        return self.plot.x + self.x.part(value) * self.plot.width

    def down(self, value: float) -> float:
        """The px of a value down."""
        return self.plot.bottom - self.y.part(value) * self.plot.height

    def at(self, x: float, y: float) -> XY:
        """A place of the chart in px."""
        return self.across(x), self.down(y)

    @property
    def floor(self) -> float:
        """Where bars begin that begin at nothing."""
        return self.plot.bottom if self.y.is_log else self.down(max(0.0, self.y.low))


def frame_of(chart: Chart, area: Rect, view: View) -> Frame:
    """The frame within an area that has room for the labels around the plot."""
    x = scale_of(chart.x, view.x, view.log_x)
    y = scale_of(chart.y, view.y, view.log_y)
    ticks = y.ticks(_wanted(area.height - 50, _TICK_EVERY_Y), chart.y.log_base)
    texts = [tick_text(tick, chart.y.is_percent) for tick in ticks]
    left = max((text_width(text, NOTE) for text in texts), default=20.0) + _LEFT_ROOM
    below = _PLACES if chart.x.places else _VALUES
    top = _TOP_ROOM + (10 if chart.y.title else 0)
    width, height = area.width - left - _RIGHT_ROOM, area.height - top - below
    plot = Rect(area.x + left, area.y + top, max(20.0, width), max(20.0, height))
    return Frame(chart, plot, x, y)


def scale_of(axis: Axis, given: tuple[float, float] | None, log: bool | None) -> Scale:
    """The scale of an axis, of a range that was given, else its own."""
    if axis.places:
        low, high = given or (-0.5, len(axis.places) - 0.5)
        return Scale(low, high)
    low, high = given or (axis.low, axis.high)
    is_log = axis.is_log if log is None else log
    if is_log and low <= 0:
        low = high / 1e3
    return Scale(low, high, is_log)


def _wanted(room: float, every: float) -> int:
    return max(2, int(room / every))


def grid(frame: Frame) -> Iterator[Shape]:
    """Lines across with their values, and below them the places or the values of the other axis."""
    yield from _y_grid(frame)
    yield from _places(frame) if frame.chart.x.places else _x_grid(frame)
    plot = frame.plot
    yield _line((plot.x, plot.bottom), (plot.right, plot.bottom), "line2")


def _y_grid(frame: Frame) -> Iterator[Shape]:
    plot, axis = frame.plot, frame.chart.y
    ticks = frame.y.ticks(_wanted(plot.height, _TICK_EVERY_Y), axis.log_base)
    ticks = tuple(tick for tick in ticks if not axis.is_whole or float(tick).is_integer())
    texts = [tick_text(tick, axis.is_percent) for tick in ticks]
    for tick, text in zip(ticks, texts, strict=True):
        y = frame.down(tick)
        yield _line((plot.x, y), (plot.right, y), "line")
        yield Text(plot.x - 6, y, text, anchor="end")
    if axis.title:
        left = max((text_width(text, NOTE) for text in texts), default=0.0)
        yield Text(plot.x - 6 - left, plot.y - 13, axis.title)


def _x_grid(frame: Frame) -> Iterator[Shape]:
    plot, axis = frame.plot, frame.chart.x
    last = float("-inf")
    for tick in frame.x.ticks(_wanted(plot.width, _TICK_EVERY_X), axis.log_base):
        x = frame.across(tick)
        yield _line((x, plot.y), (x, plot.bottom), "line")
        text = tick_text(tick)
        half = text_width(text, NOTE) / 2
        if x - half > last:
            yield Text(x, plot.bottom + 11, text, anchor="middle")
            last = x + half + 6
    yield Text(plot.right, plot.bottom + 26, axis.title, anchor="end")


def _places(frame: Frame) -> Iterator[Shape]:
    """The names of places; what is told of them where all of it has room."""
    plot, places = frame.plot, frame.chart.x.places
    step = plot.width / max(1e-9, frame.x.high - frame.x.low)
    shown = [at for at in range(len(places)) if frame.x.low <= at <= frame.x.high]
    for at in shown:
        x, place = frame.across(at), places[at]
        name = elided(place.name, LABEL, step - 4)
        yield Text(x, plot.bottom + 12, name, "fg", LABEL, 600, "middle")
        detail = elided(place.detail, NOTE, step - 8)
        if detail and len(detail) > min(4, len(place.detail) - 1):
            yield Text(x, plot.bottom + 27, detail, anchor="middle")


def _line(start: XY, end: XY, tone: str) -> Stroke:
    return Stroke((start, end), tone, is_clipped=False)
