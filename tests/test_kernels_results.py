"""README, the patterns' measurements and the table of rows say what the kept results hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import kernel_results  # noqa: E402 - the path comes first
import kernel_rows  # noqa: E402
import kernel_texts  # noqa: E402

RESULTS: dict[str, Any] = json.loads(
    (ROOT / "benchmarks" / "results" / "h200.json").read_text(encoding="utf-8")
)


def named(row: dict[str, Any]) -> str:
    return f"{row['name']}, {row['shape']}"


def test_readme_holds_the_table_of_the_results() -> None:
    readme = kernel_texts.README.read_text(encoding="utf-8")
    assert kernel_texts.write_between(readme, kernel_texts.table(RESULTS)) == readme


def test_the_measurements_of_patterns_are_those_of_the_results() -> None:
    kept = kernel_texts.MEASURED.read_text(encoding="utf-8")
    assert kept == kernel_texts.measured_text(RESULTS)


def test_every_row_with_a_goal_was_measured() -> None:
    rows = {row.title for row in kernel_rows.load_rows() if row.goal is not None}
    assert rows <= {named(row) for row in RESULTS["rows"]}


def test_goals_and_floors_are_those_of_the_table() -> None:
    wanted = {row.title: (row.goal, row.floor) for row in kernel_rows.load_rows()}
    found = {named(row): (row["goal"], row["floor"]) for row in RESULTS["rows"]}
    assert {name: wanted[name] for name in found} == found


def test_every_row_is_at_its_floor() -> None:
    under = [row for row in RESULTS["rows"] if kernel_results.is_under(row, "floor")]
    assert [named(row) for row in under] == []


def test_readme_says_of_defects_that_they_are() -> None:
    row = next(row for row in RESULTS["rows"] if row["floor"] is not None and row["others"])
    other = {**row["others"][0], "name": "torch.compile", "ratio": 0.9, "at_least": 1.0}
    under = {**row, "ratio": row["floor"] - 0.01}
    table = kernel_texts.table({**RESULTS, "rows": [under, {**row, "others": [other]}]})
    assert ", under its floor |" in table
    assert ", slower than torch.compile |" in table


def test_what_was_not_timed_is_not_called_slower() -> None:
    other = {"name": "torch.compile", "ratio": None, "at_least": 1.0}
    row = {**RESULTS["rows"][0], "others": [other]}
    table = kernel_texts.table({**RESULTS, "rows": [row]})
    assert ", not measured beside torch.compile |" in table


@pytest.mark.parametrize("row", RESULTS["rows"], ids=named)
def test_a_ratio_is_the_baseline_over_the_kernel(row: dict[str, Any]) -> None:
    assert row["ratio"] == pytest.approx(row["baseline_us"] / row["time_us"])
