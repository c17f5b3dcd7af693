"""`runs compare`: the table, the gate, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.plain import to_plain
from workbench.core.profiles import Latency, ProfileResult
from workbench.core.runs import Artifact, Metric, MetricSource, Run, RunKind, RunStatus
from workbench.session.recording import open_history
from workbench.session.recording.profiles import PROFILE

Add = Callable[..., str]


@pytest.fixture
def add_profile(tmp_path: Path) -> Add:
    """Adds a run of a profile with steady samples around a median, in µs; returns its id."""

    def add(number: int, median: float, **args: int) -> str:
        samples = tuple(median * (1 + 0.002 * (n % 5 - 2)) for n in range(50))
        latency = Latency(median, samples[0], samples[4], samples, "cuda events", "cold")
        content = _json(ProfileResult(None, latency=latency))
        metric = Metric(median, "us", MetricSource.MEASURED, "cuda events")
        run = Run(
            id=f"run{number}",
            created=datetime(2026, 11, 30, tzinfo=timezone.utc) + timedelta(minutes=number),
            kind=RunKind.PROFILE,
            status=RunStatus.DONE,
            kernel="matmul",
            args=dict(args),
            target="h200",
            device="NVIDIA H200",
            metrics={"time_us": metric},
            artifacts=(Artifact.of(PROFILE, "application/json", content),),
        )
        with open_history(tmp_path) as history:
            history.add(run, [content])
        return run.id

    return add


def _json(result: ProfileResult) -> bytes:
    return json.dumps(to_plain(result)).encode()


def test_a_slower_run_is_told_with_what_chance_explains(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0, block_M=64)
    add_profile(1, 55.0, block_M=128)
    done = cli("runs", "compare", "run0", "run1")
    assert done.status == 0
    assert "55 µs  +10.0%  worse" in done.stdout
    assert "A 64" in done.stdout.splitlines()[0]
    assert "B 128" in done.stdout.splitlines()[0]
    assert "argument block_M" in done.stdout
    assert "B beside A: 10.0 % slower (chance explains" in done.stdout


def test_equal_runs_are_within_noise(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 50.4)
    row = cli("runs", "compare", "run0", "run1", "--json").json["groups"][0]["rows"][0]
    assert row["cells"][1]["mark"] == "within noise"


def test_the_gate_ends_with_status_1_where_a_condition_fails(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 55.0)
    failed = cli("runs", "compare", "run0", "run1", "--fail-if", "time:+5%", "--json")
    assert failed.status == 1
    assert [g["failed"] for g in failed.json["gate"]] == [True]
    held = cli("runs", "compare", "run1", "run0", "--fail-if", "time:+5%")
    assert held.status == 0
    assert "time:+5% holds for B" in held.stdout


def test_a_metric_that_no_run_has_fails_the_gate(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 50.0)
    done = cli("runs", "compare", "run0", "run1", "--fail-if", "registers:+0")
    assert done.status == 1
    assert "no run has a metric 'registers'" in done.stdout


@pytest.mark.parametrize(
    ("metric", "hint"), [("tme_us", "did you mean `time_us`?"), ("foo", "these runs have time_us")]
)
def test_a_gate_on_no_metric_is_refused(cli: Any, add_profile: Add, metric: str, hint: str) -> None:
    add_profile(0, 50.0)
    add_profile(1, 50.0)
    done = cli("runs", "compare", "run0", "run1", "--fail-if", f"{metric}:+1%")
    assert done.status == 2
    assert f"there is no metric `{metric}`; {hint}" in done.stderr


def test_a_list_says_how_many_there_are(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 50.0)
    assert "the newest 1 of 2" in cli("runs", "list", "--limit", "1").stdout
    assert "newest" not in cli("runs", "list").stdout
    assert cli("runs", "list", "--limit", "1", "--json").json["total"] == 2


def test_the_base_may_be_named_apart(cli: Any, add_profile: Add) -> None:
    for number, median in enumerate((50.0, 55.0)):
        add_profile(number, median)
    found = cli("runs", "compare", "run0", "--base", "run1", "--json").json
    assert found["base"] == "run1"
    assert [run["id"] for run in found["runs"]] == ["run1", "run0"]


def test_csv_holds_the_numbers_as_they_are(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 55.0)
    done = cli("runs", "compare", "run0", "run1", "--csv")
    header, row = csv.reader(io.StringIO(done.stdout))
    assert header[:4] == ["metric", "source", "unit", "A run0"]
    assert row == ["time_us", "measured", "us", "50.0", "55.0", "base", "worse"]


def test_markdown_has_one_row_a_metric(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0)
    add_profile(1, 55.0)
    lines = cli("runs", "compare", "run0", "run1", "--markdown").stdout.splitlines()
    assert lines[1] == "| --- | --- | --- | --- |"
    assert lines[2].startswith("| asked for | run | run0 | run1 |")
    assert lines[3].startswith("| Speed | Time, median (measured) | 50 µs |")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run0",), "2 to 8 runs"),
        (("run0", "run0"), "itself"),
        (("run0", "none"), "none"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    cli: Any, add_profile: Add, words: tuple[str, ...], message: str
) -> None:
    add_profile(0, 50.0)
    done = cli("runs", "compare", *words, "--json")
    assert done.status == 2
    assert message in done.json["error"]["message"]


def test_a_condition_without_form_is_refused_with_the_form(cli: Any) -> None:
    done = cli("runs", "compare", "a", "b", "--fail-if", "time>5")
    assert done.status == 2
    assert "METRIC:+AMOUNT" in done.stderr


def test_a_saved_comparison_is_compared_by_name_with_the_newest_runs(
    cli: Any, add_profile: Add
) -> None:
    add_profile(0, 50.0, block_M=64)
    add_profile(1, 51.0, block_M=128)
    assert cli("runs", "compare", "run0", "run1", "--save", "tiles").status == 0
    add_profile(2, 60.0, block_M=128)
    done = cli("runs", "compare", "--saved", "tiles", "--fail-if", "time:+5%", "--json")
    found = done.json
    assert [run["id"] for run in found["runs"]] == ["run0", "run2"]
    assert (found["base"], done.status) == ("run0", 1)


def test_a_comparison_that_was_not_saved_names_those_that_were(cli: Any, add_profile: Add) -> None:
    add_profile(0, 50.0), add_profile(1, 51.0, M=2)
    cli("runs", "compare", "run0", "run1", "--save", "tiles")
    done = cli("runs", "compare", "--saved", "shapes")
    assert done.status == 2
    assert "saved are: tiles" in done.stderr
