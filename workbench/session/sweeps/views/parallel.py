"""A sweep as lines across the axes of its arguments, each ending at the point's time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.runs import MetricSource
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Bundle,
    Chart,
    Line,
    Place,
    Rail,
    Series,
    empty_chart,
)
from workbench.session.charts.words import measure
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.views.curves import tip_of
from workbench.session.sweeps.views.heat import varied

_SPREAD = 0.018  # of the height, by which lines through one value are spread
_EDGE = 0.03  # of the height, above and below
_GOOD_SHARE = 0.95
_KEY, _TITLE = "sweep-lines", "Parallel coordinates"


@dataclass(frozen=True)
class _Timed:
    """A point with a time."""

    number: int
    time: float


def parallel_chart(shown: Shown) -> Chart:
    """Every point with a time as a line: those within 5 % of the best in colour, others faint."""
    known = varied(shown)
    names = [name for name in shown.sweep.plan.space.names if name in known]
    is_measured = any(record.time_us is not None for record in shown.sweep.records)
    timed = _timed(shown, is_measured)
    if not timed or not names:
        why = "No time is known yet." if not timed else "Nothing is varied."
        return empty_chart(_KEY, _TITLE, why)
    good = sum(timed[0].time / each.time >= _GOOD_SHARE for each in timed)
    source = MEASURED if is_measured else PREDICTED
    heights = _Heights(shown, names, timed)
    lines = heights.lines()
    word = source.value
    return Chart(
        _KEY,
        _TITLE,
        f"one line a point, from its arguments to its time, {word}",
        f"{good:,} of {len(timed):,} {word} points are within 5 % of the fastest.",
        Axis("", places=(*map(Place, names), Place(f"time, {word}"))),
        Axis("", -_EDGE, 1 + _EDGE, is_bare=True),
        _series(source),
        bundles=(Bundle("others", tuple(lines[good:])), Bundle("good", tuple(lines[:good]))),
        rails=heights.rails,
        unit="µs",
        tell=lambda key: tip_of(shown, int(key)),
    )


def _series(source: MetricSource) -> tuple[Series, Series]:
    return (
        Series("good", "within 5 % of the fastest", "accent", source, alpha=0.8),
        Series("others", "slower", "fg3", source, alpha=0.3),
    )


def _timed(shown: Shown, is_measured: bool) -> list[_Timed]:
    """The points with a time, the fastest first: measured ones alone where there are any."""
    found = [
        _Timed(record.number, time)
        for record in shown.sweep.records
        if (time := record.time_us if is_measured else record.estimate_us) is not None
    ]
    return sorted(found, key=lambda each: each.time)


class _Heights:
    """How high each value of each axis lies, from 0 to 1."""

    def __init__(self, shown: Shown, names: Sequence[str], timed: Sequence[_Timed]) -> None:
        self._names, self._points, self._timed = names, shown.points, timed
        self._levels = [_levels([point.args.get(name) for point in shown.points]) for name in names]
        self._low, self._high = timed[0].time, timed[-1].time
        self._decades = math.log(self._high / self._low) or 1.0

    @property
    def rails(self) -> tuple[Rail, ...]:
        """The axes with their values; the last one is the time's."""
        rails = [
            Rail(at, tuple((height, str(key)) for key, height in levels.items()))
            for at, levels in enumerate(self._levels)
        ]
        ends = dict.fromkeys((self._low, self._high))
        times = tuple((self._of_time(time), measure(time, "us")) for time in ends)
        return (*rails, Rail(len(rails), times))

    def lines(self) -> list[Line]:
        """The points as lines; those through one value are spread by their rank, best above."""
        rooms = [min(_SPREAD, 0.3 / len(levels)) for levels in self._levels]
        last = max(1, len(self._timed) - 1)
        found = []
        for rank, each in enumerate(self._timed):
            args, spread = self._points[each.number].args, 1 - 2 * rank / last
            heights = [
                levels[repr(args.get(name))] + spread * room
                for name, levels, room in zip(self._names, self._levels, rooms, strict=True)
            ]
            heights.append(self._of_time(each.time))
            found.append(Line(tuple(heights), each.time, str(each.number)))
        return found

    def _of_time(self, time: float) -> float:
        """The fastest above, on a logarithmic scale."""
        return 1 - math.log(time / self._low) / self._decades


def _levels(values: Sequence[Any]) -> dict[str, float]:
    """The height of each value by how it is written, the least below."""
    found = {repr(value): value for value in values}
    try:
        ordered = sorted(found, key=lambda key: found[key])
    except TypeError:  # values of several kinds have no order
        ordered = list(found)
    return {key: (at + 0.5) / len(ordered) for at, key in enumerate(ordered)}
