"""Runs as charts and comparisons are made of them, with figures that can be worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from workbench.core.comparison.tables import letter
from workbench.core.profiles import DeviceInfo, Latency, ProfileResult
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus
from workbench.core.targets.table import load_targets
from workbench.session.charts.subject import ChartRun, ChartSubject, Content

MEASURED, PREDICTED = MetricSource.MEASURED, MetricSource.PREDICTED
_UNITS = {"time_us": "us", "time_us.p10": "us", "time_us.p90": "us", "tflops": "TFLOP/s"}


def run(
    number: int,
    measured: Mapping[str, float] | None = None,
    predicted: Mapping[str, float] | None = None,
    **changes: Any,
) -> Run:
    """A run of a matmul on an H200; `predicted` figures stand behind their prefix."""
    metrics = {
        name: Metric(value, _UNITS.get(name, ""), MEASURED, "graph replay")
        for name, value in (measured or {}).items()
    }
    for name, value in (predicted or {}).items():
        unit = _UNITS.get(name, "")
        metrics[f"predicted.{name}"] = Metric(value, unit, PREDICTED, "model")
    fields: dict[str, Any] = {
        "kernel": "matmul",
        "target": "h200",
        "device": "NVIDIA H200" if measured else None,
        "args": {"M": 4096, "block_M": 128},
        "text_blob": "a" * 64,
        "kind": RunKind.PROFILE,
        "status": RunStatus.DONE,
        **changes,
    }
    created = datetime(2026, 11, 30, tzinfo=timezone.utc) + timedelta(minutes=number)
    return Run(id=f"run{number}", created=created, metrics=metrics, **fields)


def profile(samples_us: Sequence[float]) -> ProfileResult:
    """A profile with these samples."""
    ordered = sorted(samples_us)
    latency = Latency(
        ordered[len(ordered) // 2],
        ordered[len(ordered) // 10],
        ordered[len(ordered) * 9 // 10],
        tuple(samples_us),
        "graph replay",
        "cold",
    )
    return ProfileResult(None, device=DeviceInfo("NVIDIA H200", "sm_90"), latency=latency)


def samples(median: float, spread: float = 0.001) -> list[float]:
    """Fifty times around a median, in an order without a trend."""
    return [median * (1 + spread * ((n * 7) % 5 - 2)) for n in range(50)]


def subject(
    *runs: Run,
    places: Sequence[int] | None = None,
    contents: Mapping[int, Content] | None = None,
    base: int | None = 0,
) -> ChartSubject:
    """A subject of these runs, each in a column of its own unless `places` says another."""
    table, labels, made = load_targets(), {}, []
    for at, each in enumerate(runs):
        place = places[at] if places is not None else at
        mark = labels.setdefault(each.target, len(labels))
        target = table.resolve(each.target) if each.target else None
        content = (contents or {}).get(at, Content())
        made.append(ChartRun(each, place, letter(place), f"t{place}", target, mark, content))
    return ChartSubject(tuple(made), made[base] if base is not None else None)


def timed(number: int, median: float, **changes: Any) -> tuple[Run, Content]:
    """A run with samples around a median, and what it stores."""
    times = samples(median)
    figures = {"time_us": median, "time_us.p10": min(times), "time_us.p90": max(times)}
    return run(number, figures, **changes), Content(profile(times))
