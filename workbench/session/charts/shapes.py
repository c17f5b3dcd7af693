"""Charts of time and rate over the argument that varies, with the spread of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.runs import MetricSource
from workbench.session.charts.bars import tone_of
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Chart,
    Curve,
    Point,
    Series,
    empty_chart,
)
from workbench.session.charts.speed import time_spread
from workbench.session.charts.standing import TIME
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, measure

_NO_SHAPES = (
    "The runs do not differ in one argument alone: choose profiles of one kernel over several "
    "shapes."
)
_LOG_FROM = 8.0  # times from the smallest to the largest: sizes that grow by factors


@dataclass(frozen=True)
class _Line:
    """The runs of one kernel, target and source whose other arguments are the same."""

    title: str
    run: ChartRun
    source: MetricSource
    points: tuple[tuple[float, ChartRun], ...]


@dataclass(frozen=True)
class Varied:
    """The argument that a chart runs over, with those that change with it."""

    name: str
    together: tuple[str, ...]

    @property
    def title(self) -> str:
        """ "M = N = K"."""
        return " = ".join(self.together)


def latency_shapes(subject: ChartSubject) -> Chart:
    """The time of a launch over shapes."""
    spread = time_spread
    note = "µs, median; the band is from the 10th to the 90th percentile"
    return _chart("latency-shapes", "Latency over shapes", note, "µs", subject, TIME, spread)


def throughput_shapes(subject: ChartSubject) -> Chart:
    """The rate over shapes: operations a second, or bytes where no operations are known."""
    has_flops = any(run.value("tflops", MEASURED) is not None for run in subject.runs)
    name, unit = ("tflops", "TFLOP/s") if has_flops else ("gb_s", "GB/s")
    note = f"{unit}, over the median time"
    return _chart("throughput-shapes", "Throughput over shapes", note, unit, subject, name, None)


Spread = Callable[[ChartRun, MetricSource], "tuple[float, float] | None"]


def _chart(
    key: str,
    title: str,
    note: str,
    unit: str,
    subject: ChartSubject,
    metric: str,
    spread: Spread | None,
) -> Chart:
    varied = varied_argument(subject.runs)
    lines = _lines(subject, varied, metric) if varied is not None else ()
    if varied is None or not lines:
        return empty_chart(key, title, _NO_SHAPES)
    keyed = [(f"{at}", line) for at, line in enumerate(lines)]
    series = tuple(_series(name, line, lines) for name, line in keyed)
    curves = tuple(
        Curve(name, tuple(_point(x, run, line, metric, unit, spread) for x, run in line.points))
        for name, line in keyed
    )
    points = [point for curve in curves for point in curve.points]
    tops = [max(point.y, point.high or 0.0) for point in points]
    bottoms = [min(point.y, point.low or point.y) for point in points]
    return Chart(
        key,
        title,
        note,
        _sentence(lines[0], varied, metric, unit),
        _across(varied, [point.x for point in points]),
        _up(unit, min(bottoms), max(tops)),
        series,
        curves=curves,
        unit=unit,
    )


def varied_argument(runs: Sequence[ChartRun]) -> Varied | None:
    """The number among the arguments over which most runs form curves; None without one."""
    names = dict.fromkeys(name for run in runs for name in run.run.args)
    numeric = [name for name in names if _varies(runs, name)]
    scored = [(_reach(runs, found), found) for name in numeric if (found := _with(runs, name))]
    best = max(scored, key=lambda each: (each[0], len(each[1].together)), default=None)
    return best[1] if best is not None and best[0] > 1 else None


def _varies(runs: Sequence[ChartRun], name: str) -> bool:
    values = [run.run.args[name] for run in runs if name in run.run.args]
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    return numeric and len(set(values)) > 1


def _with(runs: Sequence[ChartRun], name: str) -> Varied:
    """The argument with those that have the same value in every run."""
    own = [run for run in runs if name in run.run.args]
    together = [
        other
        for other in dict.fromkeys(other for run in own for other in run.run.args)
        if all(run.run.args.get(other) == run.run.args[name] for run in own)
    ]
    return Varied(name, tuple(together))


def _reach(runs: Sequence[ChartRun], varied: Varied) -> int:
    """How many runs lie on curves of two points or more."""
    groups: dict[object, set[object]] = {}
    for run in runs:
        if varied.name in run.run.args:
            groups.setdefault(_identity(run, varied), set()).add(run.run.args[varied.name])
    return sum(len(values) for values in groups.values() if len(values) > 1)


def _identity(run: ChartRun, varied: Varied) -> tuple[object, ...]:
    """What the runs of one curve have in common."""
    return (run.run.kernel, run.run.text_blob, run.label, repr(_others(run.run.args, varied)))


def _others(arguments: Mapping[str, Any], varied: Varied) -> list[tuple[str, Any]]:
    return sorted((n, v) for n, v in arguments.items() if n not in varied.together)


def _lines(subject: ChartSubject, varied: Varied, metric: str) -> tuple[_Line, ...]:
    found: list[_Line] = []
    groups: dict[tuple[object, ...], list[ChartRun]] = {}
    for run in subject.runs:
        if varied.name in run.run.args:
            groups.setdefault(_identity(run, varied), []).append(run)
    for runs in groups.values():
        for source in (MEASURED, PREDICTED):
            known = {
                float(run.run.args[varied.name]): run
                for run in reversed(runs)
                if run.value(metric, source) is not None
            }
            if len(known) > 1:
                points = tuple(sorted(known.items(), key=lambda each: each[0]))
                found.append(_Line(_title(runs[0], list(groups)), runs[0], source, points))
    return tuple(found)


def _title(run: ChartRun, identities: Sequence[tuple[object, ...]]) -> str:
    """The kernel where several have a curve, else nothing."""
    return f"{run.run.kernel} " if len({each[0] for each in identities}) > 1 else ""


def _series(name: str, line: _Line, lines: Sequence[_Line]) -> Series:
    label = f"{line.title}{line.run.label} {line.source.value}"
    return Series(name, label, tone_of(line.run.mark), line.source, line.run.mark)


def _point(
    x: float, run: ChartRun, line: _Line, metric: str, unit: str, spread: Spread | None
) -> Point:
    value = run.value(metric, line.source)
    assert value is not None
    limits = spread(run, line.source) if spread is not None else None
    said = measure(value, "us") if unit == "µs" else f"{amount(value)} {unit}"
    lines = [f"{run.head(line.source)}", f"{amount(x)}: {said}"]
    if limits is not None:
        lines.append(f"p10 to p90: {measure(limits[0], 'us')} to {measure(limits[1], 'us')}")
    low, high = limits if limits is not None else (None, None)
    return Point(x, value, "", "\n".join(lines), low, high, run.run.id)


def _across(varied: Varied, values: Sequence[float]) -> Axis:
    low, high = min(values), max(values)
    is_log = low > 0 and high / low >= _LOG_FROM
    if is_log:
        return Axis(varied.title, low / 1.15, high * 1.15, True, True, log_base=2)
    room = (high - low) * 0.06
    return Axis(varied.title, low - room, high + room, may_log=low - room > 0, log_base=2)


def _up(unit: str, low: float, high: float) -> Axis:
    is_log = unit == "µs" and low > 0 and high / low >= _LOG_FROM
    return Axis(
        unit, low / 1.25 if is_log else 0.0, high * (1.25 if is_log else 1.12), is_log, True
    )


def _sentence(line: _Line, varied: Varied, metric: str, unit: str) -> str:
    (x0, first), (x1, last) = line.points[0], line.points[-1]
    values = [run.value(metric, line.source) or 0.0 for run in (first, last)]
    text = [measure(v, "us") if unit == "µs" else f"{amount(v)} {unit}" for v in values]
    return (
        f"From {text[0]} at {varied.title} = {amount(x0)} to {text[1]} at {amount(x1)} "
        f"on {line.run.label}, {line.source.value}."
    )
