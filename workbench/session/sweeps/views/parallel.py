"""A sweep as lines across the axes of its arguments, each ending at the point's time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.session.charts.measuring import elided
from workbench.session.charts.scene import XY, Rect, Scene, Shape, Spot, Stroke, Text
from workbench.session.charts.words import measure
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.views.curves import tip_of
from workbench.session.sweeps.views.heat import varied

MOST_LINES = 300
_TOP, _BELOW, _SIDE, _TIME_ROOM = 34.0, 22.0, 46.0, 84.0
_SPREAD = 9.0  # px by which lines through one value are spread
_GOOD_SHARE = 0.95


@dataclass(frozen=True)
class _Line:
    number: int
    time: float
    is_measured: bool
    args: dict[str, Any]


def parallel_scene(shown: Shown, width: float, height: float, current: int | None = None) -> Scene:
    """The fastest points as lines: those within 5 % of the best in colour, the others faint."""
    known = varied(shown)
    names = [name for name in shown.sweep.plan.space.names if name in known]
    lines = _lines(shown)
    plot = Rect(_SIDE, _TOP, max(1.0, width - _SIDE - _TIME_ROOM), max(1.0, height - _TOP - _BELOW))
    if not lines or not names:
        why = "No time is known yet." if not lines else "Nothing is varied."
        text = Text(width / 2, height / 2, why, "fg2", 12, anchor="middle")
        return Scene(width, height, plot, (text,), title="Parallel coordinates", description=why)
    frame = _Frame(shown, names, lines, plot)
    best = lines[0].time
    shapes: list[Shape] = []
    for line in reversed(lines):
        is_good = best / line.time >= _GOOD_SHARE
        is_current = line.number == current
        tone = "accent" if is_good or is_current else "fg3"
        dash = () if line.is_measured else (4.0, 3.0)
        width_of = 2.4 if is_current else 1.6 if is_good else 1.0
        alpha = 1.0 if is_current else 0.8 if is_good else 0.3
        shapes.append(Stroke(frame.path(line), tone, width_of, dash, alpha))
    shapes += frame.axes()
    spots = tuple(
        Spot(Rect(x - 10, y - 4, 20, 8), tip_of(shown, line.number), str(line.number))
        for line in reversed(lines)
        for x, y in (frame.path(line)[-1],)
    )
    return Scene(
        width, height, plot, tuple(shapes), spots, (), "Parallel coordinates", _said(shown, lines)
    )


def _lines(shown: Shown) -> list[_Line]:
    """The points with a time, the fastest first: measured ones alone where there are any."""
    records = shown.sweep.records
    is_measured = any(record.time_us is not None for record in records)
    found = [
        _Line(record.number, time, is_measured, dict(point.args))
        for point, record in zip(shown.points, records, strict=True)
        if (time := record.time_us if is_measured else record.estimate_us) is not None
    ]
    return sorted(found, key=lambda line: line.time)[:MOST_LINES]


def _said(shown: Shown, lines: Sequence[_Line]) -> str:
    good = sum(lines[0].time / line.time >= _GOOD_SHARE for line in lines)
    how = "measured" if lines[0].is_measured else "predicted"
    text = f"{good} of {len(lines)} {how} points are within 5 % of the fastest."
    if len(lines) == MOST_LINES:
        text += f" The fastest {MOST_LINES} are drawn."
    return text


class _Frame:
    """Where each value of each axis lies in px."""

    def __init__(
        self, shown: Shown, names: Sequence[str], lines: Sequence[_Line], plot: Rect
    ) -> None:
        self._names, self._plot = names, plot
        self._values = {
            name: _ordered({repr(p.args.get(name)): p.args.get(name) for p in shown.points})
            for name in names
        }
        times = [line.time for line in lines]
        self._low, self._high = min(times), max(times)
        self._is_measured = lines[0].is_measured
        self._ranks = {line.number: at / max(1, len(lines) - 1) for at, line in enumerate(lines)}

    def across(self, at: int) -> float:
        """The px of an axis; the last one is the time's."""
        return self._plot.x + at * self._plot.width / len(self._names)

    def path(self, line: _Line) -> tuple[XY, ...]:
        """A point as a line; lines through one value are spread by their rank."""
        spread = (self._ranks[line.number] - 0.5) * 2 * _SPREAD
        points = [
            (self.across(at), self._down(name, line.args.get(name)) + spread)
            for at, name in enumerate(self._names)
        ]
        return (*points, (self.across(len(self._names)), self.time_down(line.time)))

    def _down(self, name: str, value: Any) -> float:
        return self._level(name, repr(value))

    def _level(self, name: str, key: str) -> float:
        values = self._values[name]
        step = self._plot.height / max(1, len(values))
        return self._plot.bottom - (values.index(key) + 0.5) * step

    def time_down(self, time: float) -> float:
        """The px of a time: the fastest above, on a logarithmic scale."""
        part = math.log(time / self._low) / (math.log(self._high / self._low) or 1.0)
        return self._plot.y + part * self._plot.height

    def axes(self) -> Iterator[Shape]:
        """Axes with their names and values."""
        plot = self._plot
        room = plot.width / len(self._names) - 10
        for at, name in enumerate(self._names):
            x = self.across(at)
            yield Stroke(((x, plot.y), (x, plot.bottom)), "line2", 1.0, is_clipped=False)
            yield Text(x, plot.y - 18, elided(name, 12, room), "fg", 12, 600, "middle")
            for key in self._values[name]:
                y = self._level(name, key)
                text = elided(key, 12, room / 2)
                yield Text(x - 7, y, text, "fg2", 12, 500, "end", is_clear=True)
        x = self.across(len(self._names))
        word = "measured" if self._is_measured else "predicted"
        yield Stroke(((x, plot.y), (x, plot.bottom)), "line2", 1.0, is_clipped=False)
        yield Text(x, plot.y - 18, f"time, {word}", "fg", 12, 600, "middle")
        for time in (self._low, self._high):
            yield Text(x + 8, self.time_down(time), measure(time, "us"), "fg2", 12, 500)


def _ordered(values: dict[str, Any]) -> list[str]:
    try:
        return sorted(values, key=lambda key: values[key])
    except TypeError:  # values of several kinds have no order
        return list(values)
