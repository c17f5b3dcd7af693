"""Puts runs beside each other: what was asked of each, and each metric with its difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.comparison.metric_table import MetricGroup, kind_of
from workbench.core.comparison.noise import (
    BETWEEN_RUNS,
    COUNTER_GRAIN,
    TimeDifference,
    Verdict,
    compare_times,
)
from workbench.core.comparison.rows import Key, Row, grained, near_least, row_of, unranked
from workbench.core.comparison.work import does_different_work
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus

FEWEST, MOST = 2, 8
TIME = "time_us"
PREDICTED_PREFIX = "predicted."
_BLOCKS = ("occupancy", "occupancy_limit.")  # the blocks of an SM, and the part of its warps
#: What moves with the measured time alone, so that its noise is the time's.
_TIMED = (TIME, f"{TIME}.p10", f"{TIME}.p90", "tflops", "gb_s", "share.matmul", "share.copy")
FROM_TIME = frozenset((name, MetricSource.MEASURED) for name in _TIMED)
_EXACT = (MetricGroup.RESOURCES, MetricGroup.CORRECTNESS)


class ComparisonError(ValueError):
    """These runs cannot be put beside each other; the message says why."""


@dataclass(frozen=True)
class Group:
    """The rows of one kind of metric."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Setting:
    """One thing that was asked for, by run: an argument, the target, a version."""

    name: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class RunComparison:
    """Runs beside each other, `base` the number of the one that the others are held against.

    `differing` are the settings that are not the same in all; `alike` the names of those that are.
    """

    runs: tuple[Run, ...]
    base: int
    differing: tuple[Setting, ...]
    alike: tuple[str, ...]
    groups: tuple[Group, ...]
    times: tuple[TimeDifference | None, ...]

    def row(self, name: str) -> Row | None:
        """The row of a metric, the measured one where there are two; None where no run has it."""
        rows = [row for group in self.groups for row in group.rows if row.name == name]
        return min(rows, key=lambda row: row.source is not MetricSource.MEASURED, default=None)


Samples = Mapping[str, Sequence[float]]


def compare_runs(
    runs: Sequence[Run], samples: Samples | None = None, base: int = 0
) -> RunComparison:
    """Put 2 to 8 runs beside each other; raises ComparisonError.

    `samples` are the measured times of launches by the id of a run, in the order taken: with them a
    time is called different only where it is more than noise. Of runs that do different work no
    value is better than another.
    """
    if not FEWEST <= len(runs) <= MOST:
        raise ComparisonError(f"{FEWEST} to {MOST} runs can be compared, not {len(runs)}")
    if len({run.id for run in runs}) < len(runs):
        raise ComparisonError("a run cannot be compared with itself: name each once")
    times = _times(runs, samples or {}, base)
    differing, alike = _settings(runs)
    groups = _groups(runs, base, times, _Alike(runs, samples or {}))
    return RunComparison(tuple(runs), base, differing, alike, groups, times)


class _Alike:
    """Which of the runs' times noise does not tell apart."""

    def __init__(self, runs: Sequence[Run], samples: Samples) -> None:
        self._samples = [samples.get(run.id) for run in runs]

    def to(self, position: int) -> tuple[int, ...]:
        """The runs whose time is that of the run at a position, itself among them."""
        own = self._samples[position]
        if own is None:
            return (position,)
        return tuple(
            at
            for at, other in enumerate(self._samples)
            if at == position
            or (other is not None and compare_times(own, other).verdict is Verdict.EQUAL)
        )


def _times(runs: Sequence[Run], samples: Samples, base: int) -> tuple[TimeDifference | None, ...]:
    """Each run's time against the base's, None for the base and where nothing was sampled."""
    first = samples.get(runs[base].id)
    return tuple(
        None
        if position == base or first is None or run.id not in samples
        else compare_times(first, samples[run.id])
        for position, run in enumerate(runs)
    )


def _settings(runs: Sequence[Run]) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    found = [_plain_settings(run) for run in runs]
    names = dict.fromkeys(name for each in found for name in each)
    rows = [Setting(name, tuple(each.get(name) for each in found)) for name in names]
    differing = tuple(row for row in rows if len(set(row.values)) > 1)
    return differing, tuple(row.name for row in rows if len(set(row.values)) == 1)


def _plain_settings(run: Run) -> dict[str, str | None]:
    named: dict[str, Any] = {
        "kind": run.kind.value,
        "document": run.document,
        "text": run.text_blob and run.text_blob[:12],
        "kernel": run.kernel,
        "case": run.case,
        **{f"argument {name}": value for name, value in run.args.items()},
        "target": run.target,
        "host": run.host,
        "device": run.device,
        **{f"version of {name}": value for name, value in run.versions.items()},
    }
    return {name: None if value is None else str(value) for name, value in named.items()}


def _groups(
    runs: Sequence[Run], base: int, times: Sequence[TimeDifference | None], alike: _Alike
) -> tuple[Group, ...]:
    figures = [_figures(run) for run in runs]
    is_fair = not does_different_work(runs)
    by_group: dict[MetricGroup, list[Row]] = {}
    for key in dict.fromkeys(key for each in figures for key in each):
        kind = kind_of(key[0])
        metrics = [each.get(key) for each in figures]
        noises = times if key in FROM_TIME else [None] * len(runs)
        row = row_of(kind, key, metrics, base, noises)
        row = grained(row, grain_of(key, kind.group))
        if row.best and key in FROM_TIME:
            row = replace(row, best=tuple(sorted({p for b in row.best for p in alike.to(b)})))
        elif row.best and key == (TIME, MetricSource.PREDICTED):
            row = replace(row, best=near_least(row))
        row = row if is_fair else unranked(row)
        by_group.setdefault(kind.group, []).append(row)
    return tuple(
        Group(group.value, tuple(by_group[group])) for group in MetricGroup if group in by_group
    )


def grain_of(key: Key, group: MetricGroup) -> float:
    """The relative difference up to which two values are told as alike, beside a time's own noise.

    Ratios of times and single times differ by what two sessions do; what a compiler gives not at
    all.
    """
    if key[1] is not MetricSource.MEASURED or key in FROM_TIME or group in _EXACT:
        return 0.0
    return BETWEEN_RUNS if group is MetricGroup.SPEED else COUNTER_GRAIN


def _figures(run: Run) -> dict[Key, Metric]:
    """The run's metrics, a prediction under the name of the figure that it was made for.

    A prediction that failed is of a kernel that cannot be launched, which takes no time. That no
    block of it fits is not believed of one that was timed, whoever says it.
    """
    is_refused = run.kind is RunKind.PREDICT and run.status is not RunStatus.DONE
    timed = run.metrics.get(TIME)
    has_run = timed is not None and timed.source is MetricSource.MEASURED
    figures = {
        (name.removeprefix(PREDICTED_PREFIX), metric.source): metric
        for name, metric in run.metrics.items()
        if not (is_refused and name == TIME)
    }
    return {
        key: metric
        for key, metric in figures.items()
        if not (has_run and metric.value == 0 and key[0].startswith(_BLOCKS))
    }
