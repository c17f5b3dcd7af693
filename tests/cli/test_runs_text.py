"""Runs as rows of a list."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from workbench.cli import runs_text
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus

TIMED = {"time_us": Metric(52.0, "us", MetricSource.MEASURED, "cuda events")}


def result_of(**fields: Any) -> str:
    created = datetime(2026, 11, 30, tzinfo=timezone.utc)
    return runs_text.row(Run("run0", created, RunKind.PROFILE, RunStatus.FAILED, **fields))[-1]


def test_a_time_of_a_wrong_result_is_told_as_that() -> None:
    assert result_of(metrics=TIMED) == "wrong result, 52.0 µs"


def test_a_long_error_ends_with_a_word_and_a_sign_that_there_is_more() -> None:
    shown = result_of(error="the memory of the device is full " * 4)
    assert shown == "the memory of the device is full the memory of the device is full the memory …"
    assert result_of(error="/" + "x" * 100) == "/" + "x" * 77 + " …"


def test_a_short_error_is_told_whole() -> None:
    assert result_of(error="full\nmore") == "full"
