"""What a chart shows, without a size: axes, bars, points, lines, and what is unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from workbench.core.runs import MetricSource

MEASURED, PREDICTED = MetricSource.MEASURED, MetricSource.PREDICTED


@dataclass(frozen=True)
class Place:
    """One place of an axis of names: its short name, and what is told of it where room is left."""

    name: str
    detail: str = ""


@dataclass(frozen=True)
class Axis:
    """From `low` to `high` in the values of its unit.

    With `places` the values are their numbers from 0, each place one wide. An axis that `is_whole`
    counts: it has no ticks between whole numbers. One that `is_bare` has none at all. `may_log`
    says whether the scale can be changed by the person.
    """

    title: str
    low: float = 0.0
    high: float = 1.0
    is_log: bool = False
    may_log: bool = False
    places: tuple[Place, ...] = ()
    is_percent: bool = False
    log_base: int = 10
    is_whole: bool = False
    is_bare: bool = False


@dataclass(frozen=True)
class Series:
    """What a legend names. `tone` is the token of its colour.

    `mark` is the place of a target among the targets of the chart, from 0: its hue and shape, and
    its dash; None where the series is not a target's. Predicted ones are hatched or hollow.
    `alpha` is how strongly its lines are drawn.
    """

    key: str
    label: str
    tone: str
    source: MetricSource = MEASURED
    mark: int | None = None
    alpha: float = 1.0

    @property
    def is_predicted(self) -> bool:
        """Whether it was predicted."""
        return self.source is PREDICTED


@dataclass(frozen=True)
class Bar:
    """A bar over a place, from `start` to `value`.

    `text` stands at its end. `low` and `high` are the spread of what was measured. A bar that
    `goes_on` is longer than the axis. `is_marked` is the one that a chart is about.
    """

    series: str
    place: int
    value: float
    text: str = ""
    tip: str = ""
    start: float = 0.0
    low: float | None = None
    high: float | None = None
    goes_on: bool = False
    is_marked: bool = False
    key: str = ""
    row: str = ""


class Point(NamedTuple):
    """A point of a curve or alone, with its spread in y; `label` stands beside it.

    A sweep has thousands of them.
    """

    x: float
    y: float
    label: str = ""
    tip: str = ""
    low: float | None = None
    high: float | None = None
    key: str = ""


@dataclass(frozen=True)
class Curve:
    """The points of a series. They are joined where `is_joined`; their spread is a band then."""

    series: str
    points: tuple[Point, ...]
    is_joined: bool = True


class Line(NamedTuple):
    """What has a height at each place of the axis across; it answers at its right end.

    `value` is what it stands for in the chart's unit; the first line of its tip names it.
    """

    heights: tuple[float, ...]
    value: float = 0.0
    key: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Bundle:
    """Very many lines of a series, drawn as one."""

    series: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Rail:
    """An axis of its own at a place across: its values, named beside it."""

    place: int
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Cell:
    """What stands where a place across and one up meet.

    `share` is how near its `value` comes to the best of its kind, from 0 to 1; None where nothing
    is known, and `text` says so then. `note` stands below it where there is room.
    """

    series: str
    x: int
    y: int
    share: float | None
    text: str
    note: str = ""
    tip: str = ""
    key: str = ""
    is_best: bool = False
    value: float | None = None


@dataclass(frozen=True)
class Guide:
    """A line that values are held against: a baseline, a limit, a ceiling; named in place.

    `is_named_late` puts a slope's name near its end, where the values gather at its beginning.
    """

    points: tuple[tuple[float, float], ...]
    label: str
    tone: str = "fg3"
    width: float = 1.3
    dash: tuple[float, ...] = ()
    tip: str = ""
    is_named_late: bool = False


@dataclass(frozen=True)
class Link:
    """From one mark to its twin: an arrow from a prediction to what was measured, or dots."""

    start: tuple[float, float]
    end: tuple[float, float]
    tone: str = "fg3"
    is_arrow: bool = True


@dataclass(frozen=True)
class Gap:
    """Where a mark would be that is unknown: in the place of that number, a word for it."""

    series: str
    place: int
    text: str
    tip: str = ""


@dataclass(frozen=True)
class Chart:
    """One chart. `conclusion` is its sentence, `missing` are sentences on what is not in it.

    Where it has nothing to show, `empty` says why and what would fill it. `tell` gives the tip of
    a mark by its key, for charts of so many marks that nobody asks for most of their tips.
    """

    key: str
    title: str
    note: str
    conclusion: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    bars: tuple[Bar, ...] = ()
    curves: tuple[Curve, ...] = ()
    guides: tuple[Guide, ...] = ()
    links: tuple[Link, ...] = ()
    gaps: tuple[Gap, ...] = ()
    missing: tuple[str, ...] = ()
    empty: str = ""
    stacked: bool = False
    unit: str = ""
    cells: tuple[Cell, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    rails: tuple[Rail, ...] = ()
    tell: Callable[[str], str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no mark in it."""
        has_points = any(curve.points for curve in self.curves)
        return not (self.bars or has_points or self.cells or self.bundles)

    @property
    def has_legend(self) -> bool:
        """Whether it needs one: a single series that was measured needs none."""
        return len(self.series) > 1 or any(each.is_predicted for each in self.series)

    def tip_of(self, mark: Bar | Point | Line | Cell) -> str:
        """What hovering says of a mark."""
        return mark.tip if mark.tip or self.tell is None else self.tell(mark.key)


def empty_chart(key: str, title: str, why: str, missing: tuple[str, ...] = ()) -> Chart:
    """A chart without a mark, which says why."""
    return Chart(key, title, "", why, Axis(""), Axis(""), missing=missing, empty=why)
