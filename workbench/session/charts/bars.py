"""Bars of one figure: a place for each column, beside each other its targets, measured first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.runs import MetricSource, RunStatus
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Bar,
    Gap,
    Place,
    Series,
)
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import listed

Value = Callable[[ChartRun, MetricSource], float | None]
Spread = Callable[[ChartRun, MetricSource], tuple[float, float] | None]
Tip = Callable[[ChartRun, MetricSource, float], str]
Reason = Callable[[ChartRun, MetricSource], tuple[str, str]]
_TARGETS = 5
_ROOM = 1.12  # of the longest bar, for the number above it
_NO_CODE = {"shared-memory-over-limit": "over limit", "registers-over-limit": "over limit"}


def why_unknown(run: ChartRun, source: MetricSource) -> tuple[str, str]:
    """A word for a gap, and the reason in words."""
    if run.run.status is not RunStatus.DONE:
        codes = {each.code for each in run.run.diagnostics}
        short = next((text for code, text in _NO_CODE.items() if code in codes), "failed")
        return short, run.run.error or f"the run was {run.run.status.value}"
    if source is MEASURED:
        return "unknown", "it was not measured"
    return "unknown", "it was not predicted"


@dataclass(frozen=True)
class Figures:
    """What the bars stand for: its value, its spread, what a bar says, and how it is written.

    `gap` says why there is none: a word, and a reason.
    """

    value: Value
    text: Callable[[float], str]
    tip: Tip
    spread: Spread = lambda run, source: None
    gap: Reason = why_unknown


@dataclass(frozen=True)
class Bars:
    """Series, bars and gaps of a chart of figures; `most` is the longest with its spread."""

    series: tuple[Series, ...]
    bars: tuple[Bar, ...]
    gaps: tuple[Gap, ...]
    missing: tuple[str, ...]
    most: float

    def axis(self, title: str, may_log: bool = True) -> Axis:
        """The axis from zero that holds them."""
        return Axis(title, 0.0, self.most * _ROOM or 1.0, may_log=may_log)


def tone_of(mark: int) -> str:
    """The token of the hue of the target with that mark."""
    return f"target{mark % _TARGETS + 1}"


def series_key(run: ChartRun, source: MetricSource) -> str:
    """The key of the series of a target and a source."""
    return f"{run.label}/{source.value}"


def target_series(subject: ChartSubject, value: Value) -> tuple[Series, ...]:
    """A series of each target and source from which any run has a value."""
    found: dict[str, Series] = {}
    for target in subject.targets:
        for source in (MEASURED, PREDICTED):
            runs = [run for run in subject.runs if run.label == target.label]
            if any(value(run, source) is not None for run in runs):
                key = series_key(target, source)
                label = f"{target.label} {source.value}"
                found[key] = Series(key, label, tone_of(target.mark), source, target.mark)
    return tuple(found.values())


def places(subject: ChartSubject) -> tuple[Place, ...]:
    """The columns by letter, with what tells them apart."""
    several = len(subject.targets) > 1
    own = len({run.label for run in subject.columns}) > 1
    return tuple(
        Place(run.letter, run.label if several and own and not run.title else run.title)
        for run in subject.columns
    )


def bars_of(subject: ChartSubject, figures: Figures) -> Bars:
    """The bars of these figures, and a gap where a run of the column does not tell one."""
    series = target_series(subject, figures.value)
    bars: list[Bar] = []
    gaps: list[Gap] = []
    missing: dict[str, list[str]] = {}
    place_of = {column.place: at for at, column in enumerate(subject.columns)}
    for each in series:
        for run in _runs_of(subject, each):
            value = figures.value(run, each.source)
            at = place_of[run.place]
            if value is not None:
                bars.append(_bar(run, each, at, value, figures))
            else:
                text, why = figures.gap(run, each.source)
                gaps.append(Gap(each.key, at, text, f"{run.head(each.source)}\n{why}"))
                missing.setdefault(f"{run.label}: {why}", []).append(run.letter)
    gaps += _of_columns(subject, figures, series, [*bars, *gaps], missing)
    tops = [max(bar.value, bar.high or 0.0) for bar in bars]
    said = tuple(f"{listed(who)} on {why}." for why, who in missing.items())
    return Bars(series, tuple(bars), tuple(gaps), said, max(tops, default=0.0))


def _of_columns(
    subject: ChartSubject,
    figures: Figures,
    series: Sequence[Series],
    marks: Sequence[Bar | Gap],
    missing: dict[str, list[str]],
) -> list[Gap]:
    """A gap for each column that no series knows anything of; `missing` is told why."""
    shown = {mark.place for mark in marks}
    found = []
    for at, run in enumerate(subject.columns if series else ()):
        if at not in shown:
            text, why = figures.gap(run, PREDICTED)
            found.append(Gap(series[0].key, at, text, f"{run.head(PREDICTED)}\n{why}"))
            missing.setdefault(f"{run.label}: {why}", []).append(run.letter)
    return found


def _runs_of(subject: ChartSubject, series: Series) -> Sequence[ChartRun]:
    """The runs of the target of a series, one a column: what was measured counts as measured."""
    found: dict[int, ChartRun] = {}
    for run in subject.runs:
        if series_key(run, series.source) != series.key:
            continue
        known = found.get(run.place)
        if known is None or (known.value("time_us", series.source) is None):
            found[run.place] = run
    return tuple(found.values())


def _bar(run: ChartRun, series: Series, at: int, value: float, figures: Figures) -> Bar:
    spread = figures.spread(run, series.source)
    low, high = spread if spread is not None else (None, None)
    tip = "\n".join((run.head(series.source), figures.tip(run, series.source, value)))
    return Bar(
        series.key,
        at,
        value,
        figures.text(value),
        tip,
        low=low,
        high=high,
        key=run.run.id,
        row=run.letter,
    )
