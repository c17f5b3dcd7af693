"""Makes the rows of a comparison: values of one metric, each beside the base's, and the best."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.core.comparison.metric_table import Better, MetricKind
from workbench.core.comparison.noise import PREDICTED_GRAIN, TimeDifference, Verdict
from workbench.core.runs import Metric, MetricSource

Key = tuple[str, MetricSource]
_FEWEST = 2  # values of which one can be best


class Mark(enum.Enum):
    """What a value is beside the base's."""

    BASE = "base"
    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    NOISE = "within noise"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Cell:
    """One value of one run. `change` is relative to the base's value, None where it has none.

    `value` is None where the run does not say. `note` says what chance explains of a time.
    """

    value: int | float | None
    method: str | None
    change: float | None
    mark: Mark
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One metric over all runs; `best` numbers the columns that no other beats.

    Times that noise does not tell from the best one's are best too, and so are rates of them.
    What was measured and what was predicted are two rows, also where they are of one name.
    """

    name: str
    source: MetricSource
    title: str
    unit: str
    better: Better
    cells: tuple[Cell, ...]
    best: tuple[int, ...] = ()


def near_least(row: Row) -> tuple[int, ...]:
    """The columns whose predicted time is nearer to the least than a prediction tells."""
    known = [(at, cell.value) for at, cell in enumerate(row.cells) if cell.value is not None]
    least = min(value for _, value in known)
    return tuple(at for at, value in known if value <= least * (1 + PREDICTED_GRAIN))


def row_of(
    kind: MetricKind,
    key: Key,
    metrics: Sequence[Metric | None],
    base: int,
    noises: Sequence[TimeDifference | None],
) -> Row:
    """The row of a metric of all runs; `noises` say what chance explains, None where unknown."""
    cells = tuple(
        _cell(kind.better, metric, metrics[base], position == base, noise)
        for position, (metric, noise) in enumerate(zip(metrics, noises, strict=True))
    )
    unit = next((metric.unit for metric in metrics if metric is not None), "")
    return Row(*key, kind.title, unit, kind.better, cells, _best(kind.better, cells))


def grained(row: Row, grain: float) -> Row:
    """The row where values that differ by no more than `grain` of the other are told as alike."""
    cells = tuple(
        replace(cell, mark=Mark.NOISE) if 0 < abs(cell.change or 0) <= grain else cell
        for cell in row.cells
    )
    return replace(row, cells=cells, best=_best_but(grain, row))


def _best_but(grain: float, row: Row) -> tuple[int, ...]:
    """The best columns with those that are told as alike; none where all are."""
    if not row.best:
        return ()
    known = {at: float(c.value) for at, c in enumerate(row.cells) if c.value is not None}
    top = known[row.best[0]]
    near = tuple(at for at, value in known.items() if abs(value - top) <= grain * abs(top))
    return near if len(near) < len(known) else ()


def _cell(
    better: Better,
    metric: Metric | None,
    base: Metric | None,
    is_base: bool,
    noise: TimeDifference | None,
) -> Cell:
    if metric is None or metric.value is None:
        return Cell(None, None, None, Mark.UNKNOWN)
    if is_base:
        return Cell(metric.value, metric.method, None, Mark.BASE)
    if base is None or base.value is None:
        return Cell(metric.value, metric.method, None, Mark.DIFFERS)
    moved = metric.value - base.value
    change = moved / abs(base.value) if base.value else None
    if noise is not None:
        mark = _mark_of_time(better, moved, noise)
        return Cell(metric.value, metric.method, change, mark, noise.sentence)
    return Cell(metric.value, metric.method, change, _mark(better, moved))


def _mark_of_time(better: Better, moved: float, noise: TimeDifference) -> Mark:
    if noise.verdict is Verdict.EQUAL:
        return Mark.NOISE
    return Mark.DIFFERS if noise.verdict is Verdict.UNKNOWN else _mark(better, moved)


def _mark(better: Better, moved: float) -> Mark:
    if moved == 0:
        return Mark.SAME
    if better is Better.NEITHER:
        return Mark.DIFFERS
    return Mark.BETTER if (moved < 0) is (better is Better.LOWER) else Mark.WORSE


def _best(better: Better, cells: Iterable[Cell]) -> tuple[int, ...]:
    """The columns with the best value, and those that noise does not tell from the base's best."""
    known = [(position, cell) for position, cell in enumerate(cells) if cell.value is not None]
    marks = {cell.mark for _, cell in known}
    if better is Better.NEITHER or len(known) < _FEWEST:
        return ()
    if not marks & {Mark.BETTER, Mark.WORSE}:
        return ()  # all the same: none is best
    if Mark.BETTER not in marks:
        return tuple(p for p, cell in known if cell.mark in (Mark.BASE, Mark.NOISE, Mark.SAME))
    choose = min if better is Better.LOWER else max
    best = choose(cell.value for _, cell in known if cell.value is not None)
    return tuple(position for position, cell in known if cell.value == best)


def unranked(row: Row) -> Row:
    """The row without a verdict: values that differ, none of them better or best."""
    cells = tuple(
        replace(cell, mark=Mark.DIFFERS) if cell.mark in (Mark.BETTER, Mark.WORSE) else cell
        for cell in row.cells
    )
    return replace(row, cells=cells, best=())
