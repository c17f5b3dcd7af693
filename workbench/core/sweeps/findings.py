"""What a sweep shows: the best so far, the trade-offs, the map over two arguments, the failures."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.sweeps.model import Outcome, PointRecord, Stage
from workbench.core.sweeps.space import Point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: What a time can be weighed against, of which more is better; of registers and memory, less.
_MORE_IS_BETTER = frozenset({"occupancy"})
TimeOf = Callable[[PointRecord], "float | None"]


def measured_time(record: PointRecord) -> float | None:
    """The measured time of a record."""
    return record.time_us


def running_least(times: Sequence[float]) -> tuple[float, ...]:
    """The least time so far, after each of some times in the order in which they were taken."""
    return tuple(itertools.accumulate(times, min))


def fastest(records: Sequence[PointRecord]) -> PointRecord | None:
    """The point with the least time: confirmed ones come before those measured shortly alone."""
    confirmed = [r for r in records if r.outcome is Outcome.CONFIRMED]
    known = confirmed or [r for r in records if r.time_us is not None]
    return min(known, key=lambda r: r.time_us or math.inf, default=None)


def best_predicted(records: Sequence[PointRecord]) -> PointRecord | None:
    """The point with the least estimated time among those that compile."""
    known = [r for r in records if r.estimate_us]
    return min(known, key=lambda r: r.estimate_us or math.inf, default=None)


Weighed = tuple[float, float, PointRecord]
"""A point with its time and its price."""


def weighed(
    records: Sequence[PointRecord], cost: str, time_of: TimeOf = measured_time
) -> list[Weighed]:
    """The points of which a time and a cost are known.

    `cost` is "shared_bytes", "registers" or "occupancy".
    """
    return [
        (time, price, record)
        for record in records
        if (time := time_of(record)) is not None
        and (price := getattr(record.facts, cost)) is not None
    ]


def pareto_front(known: Sequence[Weighed], cost: str) -> tuple[PointRecord, ...]:
    """The points that no other beats in both time and price, the fastest first."""
    sign = -1.0 if cost in _MORE_IS_BETTER else 1.0
    front: list[PointRecord] = []
    least = math.inf
    for _, price, record in sorted(known, key=lambda each: (each[0], sign * each[1])):
        if sign * price < least:
            front.append(record)
            least = sign * price
    return tuple(front)


@dataclass(frozen=True)
class Cell:
    """The best of the points that share two arguments; `measured` or `predicted` is None where
    unknown, in microseconds. `points` counts them, `out` those that failed or were ruled out."""

    measured: float | None
    predicted: float | None
    points: int
    out: int
    number: int | None


@dataclass(frozen=True)
class HeatMap:
    """`cells[row][column]` for the values of `y` (rows) and `x` (columns)."""

    x: str
    y: str
    x_values: tuple[Any, ...]
    y_values: tuple[Any, ...]
    cells: tuple[tuple[Cell, ...], ...]


def heat_map(points: Sequence[Point], records: Sequence[PointRecord], x: str, y: str) -> HeatMap:
    """The best time for each pair of values of two arguments, over all others."""
    x_values, y_values = (_values_of(points, name) for name in (x, y))
    groups: dict[tuple[str, str], list[PointRecord]] = {}
    for point, record in zip(points, records, strict=True):
        key = repr(point.args.get(x)), repr(point.args.get(y))
        groups.setdefault(key, []).append(record)
    cells = tuple(
        tuple(_cell(groups.get((repr(column), repr(row)), [])) for column in x_values)
        for row in y_values
    )
    return HeatMap(x, y, x_values, y_values, cells)


def _values_of(points: Sequence[Point], name: str) -> tuple[Any, ...]:
    found = {repr(p.args[name]): p.args[name] for p in points if name in p.args}
    try:
        return tuple(sorted(found.values()))
    except TypeError:  # values of several kinds have no order
        return tuple(found.values())


def _cell(records: Sequence[PointRecord]) -> Cell:
    best = fastest(records) or best_predicted(records)
    predicted = best_predicted(records)
    return Cell(
        measured=best.time_us if best is not None else None,
        predicted=predicted.facts.predicted_us if predicted is not None else None,
        points=len(records),
        out=sum(r.is_out for r in records),
        number=best.number if best is not None else None,
    )


@dataclass(frozen=True)
class Fate:
    """Points that ended for one reason: how it is called, one sentence, and their numbers."""

    stage: Stage
    outcome: Outcome
    code: str | None
    reason: str
    numbers: tuple[int, ...]


def fates(records: Sequence[PointRecord]) -> tuple[Fate, ...]:
    """The points that fell out, grouped by stage and reason, the largest groups first.

    Reasons of one rule are one group, as each names its own numbers: the first one stands for all.
    """
    groups: dict[tuple[Stage, Outcome, str], list[PointRecord]] = {}
    for record in records:
        if record.is_out:
            key = (record.stage, record.outcome, record.code or record.reason or "")
            groups.setdefault(key, []).append(record)
    found = [
        Fate(stage, outcome, each[0].code, each[0].reason or "", tuple(r.number for r in each))
        for (stage, outcome, _), each in groups.items()
    ]
    return tuple(sorted(found, key=lambda fate: -len(fate.numbers)))


@dataclass(frozen=True)
class Accuracy:
    """How the estimates stand to what was measured: median error, and the agreement of ranks.

    `rank` is Spearman's coefficient, None below three points; `points` are pairs of predicted and
    measured microseconds with the point's number.
    """

    points: tuple[tuple[float, float, int], ...]
    median_error: float | None
    rank: float | None


def accuracy(records: Sequence[PointRecord]) -> Accuracy:
    """Predicted against measured over all points that have both."""
    pairs = tuple(
        (r.facts.predicted_us, r.time_us, r.number)
        for r in records
        if r.facts.predicted_us is not None and r.time_us is not None
    )
    errors = [abs(predicted / measured - 1) for predicted, measured, _ in pairs]
    return Accuracy(pairs, statistics.median(errors) if errors else None, _spearman(pairs))


def _spearman(pairs: Sequence[tuple[float, float, int]]) -> float | None:
    if len(pairs) < 3:
        return None
    import numpy as np  # where nothing was measured nobody waits for it

    first, second = (_ranks(np.array([pair[at] for pair in pairs])) for at in (0, 1))
    if not (np.ptp(first) and np.ptp(second)):  # all are equal
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 0, equal values sharing the mean of theirs."""
    import numpy as np

    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    means = np.cumsum(count) - (count + 1) / 2
    return np.asarray(means[place], dtype=np.float64)


@dataclass(frozen=True)
class Tally:
    """How many points stand how."""

    total: int
    open: int
    ruled_out: int
    failed: int
    predicted: int
    measured: int
    confirmed: int

    @property
    def text(self) -> str:
        """One line, what is 0 left out."""
        return self.text_of("")

    def text_of(self, product: str) -> str:
        """The line with what makes so many points, such as `12 configurations × 2 targets`."""
        parts = {
            "confirmed": self.confirmed,
            "measured": self.measured,
            "predicted": self.predicted,
            "to do": self.open,
            "ruled out": self.ruled_out,
            "failed": self.failed,
        }
        told = [f"{count:,} {word}" for word, count in parts.items() if count]
        points = "1 point" if self.total == 1 else f"{self.total:,} points"
        points += f" ({product})" if product else ""
        return f"{points}: {', '.join(told)}" if told else points


def tally(records: Sequence[PointRecord]) -> Tally:
    """The count of each outcome."""
    outcomes = [record.outcome for record in records]
    count = {outcome: outcomes.count(outcome) for outcome in Outcome}
    return Tally(
        total=len(records),
        open=count[Outcome.OPEN],
        ruled_out=count[Outcome.RULED_OUT],
        failed=count[Outcome.FAILED],
        predicted=count[Outcome.PREDICTED],
        measured=count[Outcome.MEASURED],
        confirmed=count[Outcome.CONFIRMED],
    )
