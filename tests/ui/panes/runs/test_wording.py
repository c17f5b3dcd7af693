from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest

from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus
from workbench.ui.panes.runs.wording import arguments_text, conclusion, headline, when

MakeRun = Callable[..., Run]
TODAY = date(2026, 11, 29)


def measured(value: float | None, unit: str = "") -> Metric:
    return Metric(value, unit, MetricSource.MEASURED, "on simulator")


def test_a_compile_stands_for_its_registers(runs: tuple[Run, ...]) -> None:
    best = headline(runs[0])
    assert best is not None
    assert (str(best.figure), best.origin) == ("136 registers", "predicted · ptxas 13.0.88")


def test_a_verification_stands_for_its_worst_output(make_run: MakeRun) -> None:
    metrics = {"C.rel_fro": measured(1e-4), "D.rel_fro": measured(0.25)}
    best = headline(make_run(RunKind.VERIFY, metrics=metrics))
    assert best is not None
    assert str(best.figure) == "0.250 relative error"


def test_an_unknown_figure_does_not_stand_for_a_run(make_run: MakeRun) -> None:
    run = make_run(metrics={"registers": measured(None), "shared_dynamic_bytes": measured(0, "B")})
    best = headline(run)
    assert best is not None
    assert best.label == "shared memory"


def test_a_run_without_figures_has_no_headline(make_run: MakeRun) -> None:
    assert headline(make_run()) is None


def test_a_measured_time_says_so(make_run: MakeRun) -> None:
    run = make_run(RunKind.PROFILE, metrics={"latency.median_us": measured(358.7, "µs")})
    assert conclusion(run) == "Takes 359 µs, measured · on simulator."


def test_a_slower_baseline_does_not_stand_for_a_profile(make_run: MakeRun) -> None:
    times = {"time_us": 90.3, "baseline.time_us": 826.0, "predicted.time_us": 100.0}
    run = make_run(
        RunKind.PROFILE, metrics={name: measured(time, "us") for name, time in times.items()}
    )
    assert conclusion(run) == "Takes 90.3 µs, measured · on simulator."


@pytest.mark.parametrize(
    ("kind", "status", "error", "text"),
    [
        (RunKind.COMPILE, RunStatus.DONE, None, "Compiles for h100 in 1.43 s."),
        (RunKind.COMPILE, RunStatus.FAILED, "Bad.\nMore", "Does not compile for h100: Bad."),
        (RunKind.VERIFY, RunStatus.DONE, None, "Matches its reference."),
        (RunKind.VERIFY, RunStatus.FAILED, None, "Does not match its reference."),
        (RunKind.VERIFY, RunStatus.FAILED, "No reference", "Failed: No reference"),
        (RunKind.PROFILE, RunStatus.CANCELLED, None, "Cancelled before it ended."),
        (
            RunKind.PROFILE,
            RunStatus.LOST,
            None,
            "Lost: the worker went away before the job ended.",
        ),
        (RunKind.PREDICT, RunStatus.DONE, None, "Done."),
    ],
)
def test_a_run_concludes(
    make_run: MakeRun, kind: RunKind, status: RunStatus, error: str | None, text: str
) -> None:
    assert conclusion(make_run(kind, status, error=error)) == text


@pytest.mark.parametrize(
    ("back", "text"),
    [
        (timedelta(), "14:04"),
        (timedelta(days=1), "yesterday 14:04"),
        (timedelta(days=26), "3 Nov 14:04"),
        (timedelta(days=391), "3 Nov 2025"),
    ],
)
def test_a_time_is_told_as_people_do(back: timedelta, text: str) -> None:
    local = datetime(2026, 11, 29, 14, 4).astimezone()
    assert when(local - back, TODAY) == text


def test_arguments_are_told_in_a_line(runs: tuple[Run, ...]) -> None:
    assert arguments_text(runs[0]) == "M = 1024, dtype = 'float16'"


def test_a_profile_that_failed_by_its_result_says_so(make_run: MakeRun) -> None:
    run = make_run(RunKind.PROFILE, RunStatus.FAILED, metrics={"time_us": measured(52.0, "us")})
    assert conclusion(run) == "Its result is wrong; it takes 52.0 µs."
