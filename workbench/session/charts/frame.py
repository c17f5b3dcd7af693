"""The frame of a chart in px: where its plot lies, its grid, its ticks and names of places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.session.charts.measuring import elided, text_width
from workbench.session.charts.model import Axis, Chart, Rail
from workbench.session.charts.scene import XY, Anchor, Rect, Shape, Stroke, Text
from workbench.session.charts.ticks import Scale, tick_text

NOTE, LABEL = 11, 12
RIGHT_ROOM = 14.0
_LEFT_ROOM, _TOP_ROOM = 10.0, 10.0
_PLACES, _VALUES = 34.0, 36.0  # below the plot: names of places in two lines, or ticks and a title
_BELOW_MAP = 42.0
_TICK_EVERY_X, _TICK_EVERY_Y = 90.0, 44.0
_ROW, _TURNED = 15.0, 20.0  # px of a name of a place, and of a turned title


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

    def toggled_log(self, chart: Chart, axis: str) -> View:
        """The view with an axis in the other scale; as it is where the axis has only one."""
        found = chart.x if axis == "x" else chart.y
        if not found.may_log or chart.stacked:
            return self
        if axis == "x":
            return replace(self, log_x=not self.is_log(chart, "x"), x=None)
        return replace(self, log_y=not self.is_log(chart, "y"), y=None)

    def is_log(self, chart: Chart, axis: str) -> bool:
        """Whether an axis is logarithmic."""
        chosen, own = (self.log_x, chart.x) if axis == "x" else (self.log_y, chart.y)
        return own.is_log if chosen is None else chosen


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
    x, y = scales_of(chart, view)
    top, below = top_room(chart), room_below(chart)
    height = area.height - top - below
    left = left_room(chart, y, height)
    width = area.width - left - RIGHT_ROOM
    plot = Rect(area.x + left, area.y + top, max(20.0, width), max(20.0, height))
    return Frame(chart, plot, x, y)


def scales_of(chart: Chart, view: View) -> tuple[Scale, Scale]:
    """The scales across and up."""
    return scale_of(chart.x, view.x, view.log_x), scale_of(chart.y, view.y, view.log_y)


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


def top_room(chart: Chart) -> float:
    """The px above the plot: half of a number, and the title of the axis up."""
    has_row = bool(chart.y.title) and not chart.y.places
    return _TOP_ROOM + (10 if has_row else 0)


def room_below(chart: Chart) -> float:
    """The px below the plot: names of places in two lines, or ticks and a title."""
    if chart.y.places:
        return _BELOW_MAP
    return _PLACES if chart.x.places else _VALUES


def left_room(chart: Chart, scale: Scale, height: float) -> float:
    """The px left of the plot: the longest tick, or the longest name of a place."""
    if chart.y.is_bare:
        return _LEFT_ROOM
    if chart.y.places:
        names = (place.name for place in chart.y.places)
        turned = _TURNED if chart.y.title else 0.0
        return max((text_width(name, LABEL) for name in names), default=0.0) + 14 + turned
    texts = [tick.text for tick in _y_ticks(chart, scale, height)]
    return max((text_width(text, NOTE) for text in texts), default=20.0) + _LEFT_ROOM


@dataclass(frozen=True)
class Tick:
    """A value of an axis, and how it is written; "" where a neighbour leaves it no room."""

    value: float
    text: str


def y_ticks(frame: Frame) -> tuple[Tick, ...]:
    """The ticks of the axis up."""
    return _y_ticks(frame.chart, frame.y, frame.plot.height)


def _y_ticks(chart: Chart, scale: Scale, height: float) -> tuple[Tick, ...]:
    axis = chart.y
    if axis.places or axis.is_bare:
        return ()
    found = scale.ticks(max(2, int(height / _TICK_EVERY_Y)), axis.log_base)
    kept = (value for value in found if not axis.is_whole or float(value).is_integer())
    return tuple(Tick(value, tick_text(value, axis.is_percent)) for value in kept)


def x_ticks(frame: Frame) -> tuple[Tick, ...]:
    """The ticks of the axis across."""
    axis, plot = frame.chart.x, frame.plot
    if axis.places or axis.is_bare:
        return ()
    last, found = float("-inf"), []
    for value in frame.x.ticks(max(2, int(plot.width / _TICK_EVERY_X)), axis.log_base):
        if axis.is_whole and not float(value).is_integer():
            continue
        x, text = frame.across(value), tick_text(value)
        half = text_width(text, NOTE) / 2
        has_room = x - half > last
        last = x + half + 6 if has_room else last
        found.append(Tick(value, text if has_room else ""))
    return tuple(found)


def grid(frame: Frame) -> Iterator[Shape]:
    """Lines across with their values, and below them the places or the values of the other axis."""
    plot = frame.plot
    for tick in y_ticks(frame):
        y = frame.down(tick.value)
        yield _line((plot.x, y), (plot.right, y), "line")
        yield Text(plot.x - 6, y, tick.text, anchor="end")
    for tick in x_ticks(frame):
        x = frame.across(tick.value)
        yield _line((x, plot.y), (x, plot.bottom), "line")
        if tick.text:
            yield Text(x, plot.bottom + 11, tick.text, anchor="middle")
    yield from rail_lines(frame)
    if has_floor(frame.chart):
        yield _line((plot.x, plot.bottom), (plot.right, plot.bottom), "line2")
    yield from axis_words(frame)


def has_floor(chart: Chart) -> bool:
    """Whether there is a line below the plot."""
    return not (chart.y.places or chart.y.is_bare)


def rail_lines(frame: Frame) -> Iterator[Stroke]:
    """The rails that are seen."""
    plot = frame.plot
    for rail in frame.chart.rails:
        x = frame.across(rail.place)
        if plot.x <= x <= plot.right:
            yield _line((x, plot.y), (x, plot.bottom), "line2")


def axis_words(frame: Frame) -> Iterator[Text]:
    """What stands beside the axes besides their ticks: titles, and the names of places."""
    plot, chart = frame.plot, frame.chart
    if chart.y.places:
        yield from _places_up(frame)
    elif chart.y.title:
        texts = [tick.text for tick in y_ticks(frame)]
        left = max((text_width(text, NOTE) for text in texts), default=0.0)
        yield Text(plot.x - 6 - left, plot.y - 13, chart.y.title)
    if chart.x.places:
        yield from _places(frame)
    elif chart.x.title:
        yield Text(plot.right, plot.bottom + 26, chart.x.title, anchor="end")
    for rail in chart.rails:
        yield from _rail_words(frame, rail)


def _places(frame: Frame) -> Iterator[Text]:
    """The names of places; what is told of them where all of it has room.

    Those of a map are values of a scale: its names are plain, and its title is bold.
    """
    plot, axis, is_scale = frame.plot, frame.chart.x, bool(frame.chart.y.places)
    step = plot.width / max(1e-9, frame.x.high - frame.x.low)
    every = _every([place.name for place in axis.places], step) if is_scale else 1
    for at, place in enumerate(axis.places):
        x = frame.across(at)
        if not plot.x - 0.5 <= x <= plot.right + 0.5 or at % every:
            continue
        name = elided(place.name, LABEL, step * every - 4)
        looks = ("fg2", 500) if is_scale else ("fg", 600)
        yield Text(x, plot.bottom + 12, name, looks[0], LABEL, looks[1], "middle")
        detail = elided(place.detail, NOTE, step - 8)
        if detail and len(detail) > min(4, len(place.detail) - 1):
            yield Text(x, plot.bottom + 27, detail, anchor="middle")
    if is_scale:
        middle = plot.x + plot.width / 2
        yield Text(middle, plot.bottom + 31, axis.title, "fg", LABEL, 600, "middle")


def _every(names: Sequence[str], step: float) -> int:
    """Of how many neighbouring names one has room."""
    widest = max((text_width(name, LABEL) for name in names), default=0.0) + 6
    return max(1, math.ceil(widest / max(step, 1e-9)))


def _places_up(frame: Frame) -> Iterator[Text]:
    """The names of places beside the plot, as many as have room."""
    plot, axis = frame.plot, frame.chart.y
    step = plot.height / max(1e-9, frame.y.high - frame.y.low)
    every = max(1, math.ceil(_ROW / step))
    for at, place in enumerate(axis.places):
        y = frame.down(at)
        if plot.y <= y <= plot.bottom and at % every == 0:
            yield Text(plot.x - 8, y, place.name, "fg2", LABEL, 500, "end")
    if axis.title:
        names = max((text_width(place.name, LABEL) for place in axis.places), default=0.0)
        x = plot.x - 8 - names - _TURNED / 2
        yield Text(x, plot.y + plot.height / 2, axis.title, "fg", LABEL, 600, "middle", -90)


def _rail_words(frame: Frame, rail: Rail) -> Iterator[Text]:
    """The values of a rail, left of it; of the last rail right of it."""
    plot, x = frame.plot, frame.across(rail.place)
    is_last = rail.place == len(frame.chart.x.places) - 1
    step = plot.width / max(1e-9, frame.x.high - frame.x.low)
    for value, text in rail.ticks:
        y = frame.down(value)
        if not (plot.y <= y <= plot.bottom and plot.x <= x <= plot.right):
            continue
        shown = elided(text, LABEL, step / 2 - 10)
        side: Anchor = "start" if is_last else "end"
        yield Text(
            x + (8 if is_last else -7), y, shown, "fg2", LABEL, 500, side, is_clear=not is_last
        )


def _line(start: XY, end: XY, tone: str) -> Stroke:
    return Stroke((start, end), tone, is_clipped=False)
