"""The kernels' benchmark: its rows, what it makes of profiles, and what is written from them."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from profiles import CEILINGS, latency, profile

from workbench.cli import profile_json
from workbench.cli.profile_items import Point
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.profiles import Baseline, CounterReport, DeviceInfo, KernelCounters
from workbench.core.targets.table import load_targets
from workbench.session.profile_batch import Measured
from workbench.session.requests import Item
from workbench.wire.events import Ended

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import kernel_profiles  # noqa: E402 - the path comes first
import kernel_results  # noqa: E402
import kernel_rows  # noqa: E402
import kernel_run  # noqa: E402
import kernel_texts  # noqa: E402

ROWS = kernel_rows.load_rows()
ROW = kernel_rows.Row(
    "Attention", "B8", "kernels/flash_attention.py", "b8-h16-s4096-d128", baseline="cuDNN"
)
GOALS = dataclasses.replace(ROW, goal=1.0, floor=0.9)


def profiled(row: kernel_rows.Row = ROW, **changes: Any) -> kernel_profiles.Profiled:
    """A profile as the command tells it: 100 µs beside a baseline of 90."""
    document = read_document(ROOT / row.file)
    (selection,) = select(document, None, row.case, {})
    other = Baseline("torch_attention", latency(90.0), 0.9)
    usual: dict[str, Any] = {"baseline": other, "flops": 5e10, "bytes_moved": 300_000_000}
    result = profile(100.0, **{**usual, **changes})
    item = Item(document, selection, load_targets().resolve("h200"))
    measured = Measured(item, Ended("", "done"), result)
    told = profile_json.result(Point(item), measured, None, "this machine", DeviceInfo("H200"))
    task = kernel_profiles.Task(row)
    return kernel_profiles.Profiled(task, json.loads(json.dumps(told.plain)))


def row_of(row: kernel_rows.Row, **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = kernel_results.row_of(row, profiled(row, **changes))
    return found


def test_every_row_has_its_document_and_its_case() -> None:
    assert [(row.title, why) for row in ROWS if (why := kernel_rows.missing_of(row, ROOT))] == []


def test_titles_tell_rows_apart() -> None:
    assert len({row.title for row in ROWS}) == len(ROWS)


def test_a_row_that_is_not_there_is_told() -> None:
    absent = dataclasses.replace(ROW, file="kernels/absent.py")
    other = dataclasses.replace(ROW, case="b9")
    assert kernel_rows.missing_of(absent, ROOT) == "kernels/absent.py is missing"
    assert "no case 'b9'; it has tails, " in str(kernel_rows.missing_of(other, ROOT))


def test_rows_are_chosen_by_patterns() -> None:
    titles = [row.title for row in kernel_rows.chosen(ROWS, ["flash_attention*"])]
    assert titles
    assert all(title.startswith("Attention") for title in titles)
    with pytest.raises(kernel_rows.RowsError, match="no row is called so"):
        kernel_rows.chosen(ROWS, ["nothing of the kind"])


def test_a_ratio_is_the_baseline_over_the_kernel() -> None:
    row = row_of(ROW)
    assert row["ratio"] == pytest.approx(row["baseline_us"] / row["time_us"], rel=1e-3)
    assert row["ratio"] == pytest.approx(0.9)
    assert row["baseline"] == "cuDNN (`torch_attention`)"
    assert row["others"] == []


def test_a_bandwidth_is_held_against_the_copy_of_the_run() -> None:
    row = row_of(dataclasses.replace(ROW, kind=kernel_rows.Kind.BANDWIDTH))
    assert CEILINGS.copy_gb_s is not None
    assert row["ratio"] == pytest.approx(row["gbps"] / CEILINGS.copy_gb_s)
    assert row["ratio"] == pytest.approx(row["baseline_us"] / row["time_us"])
    assert row["baseline"] == "copy at 4,021 GB/s"
    assert [each["ratio"] for each in row["others"]] == [0.9]  # the document's own baseline


def test_a_rate_is_held_against_the_one_that_the_row_names() -> None:
    row = row_of(dataclasses.replace(ROW, kind=kernel_rows.Kind.RATE, ceiling=550.0))
    assert row["ratio"] == pytest.approx(row["tflops"] / 550.0)
    assert row["ratio"] == pytest.approx(row["baseline_us"] / row["time_us"])


def test_without_a_baseline_there_is_no_ratio_and_no_goal_is_reached() -> None:
    row = row_of(GOALS, baseline=None)
    assert row["ratio"] is None
    assert kernel_results.is_under(row, "goal")
    assert kernel_results.is_under(row, "floor")


def test_under_goal_is_not_under_floor() -> None:
    row = row_of(GOALS)
    assert kernel_results.is_under(row, "goal")
    assert not kernel_results.is_under(row, "floor")


def test_one_more_baseline_has_to_be_reached_too() -> None:
    further = kernel_rows.Further("flash", "torch_flash", "", at_least=1.0)
    task = kernel_profiles.Task(ROW, further=further)
    found = dataclasses.replace(profiled(), task=task)
    row = {**row_of(ROW), "others": [kernel_results.other_of(found)]}
    assert row["others"] == [
        {"name": "flash", "time_us": pytest.approx(90, rel=1e-2)} | {"ratio": 0.9, "at_least": 1.0}
    ]
    assert kernel_results.is_under(row, "floor")


def test_a_further_baseline_that_does_not_run_says_why() -> None:
    further = kernel_rows.Further("torch.compile", "torch_compiled", "")
    found = dataclasses.replace(
        profiled(baseline=None, missing={"baseline": "no compiler"}),
        task=kernel_profiles.Task(ROW, further=further),
    )
    assert kernel_results.other_of(found)["missing"] == "no compiler"


def test_further_baselines_stand_behind_a_copy(tmp_path: Path) -> None:
    further = {each.function: each for row in ROWS for each in row.further}["torch_flash"]
    path = kernel_profiles._document(kernel_profiles.Task(ROW, further=further), tmp_path)
    copy, own = read_document(path), read_document(ROOT / ROW.file)
    assert copy.diagnostics == ()
    assert copy.functions == (*own.functions, "torch_flash")


def test_further_baselines_use_no_name_that_their_document_lacks(tmp_path: Path) -> None:
    tasks = [(row, each) for row in ROWS for each in row.further]
    for at, (row, each) in enumerate(tasks):
        folder = tmp_path / str(at)
        folder.mkdir()
        kernel_profiles._document(kernel_profiles.Task(row, further=each), folder)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821"]
    done = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout


def test_the_bound_comes_from_counters() -> None:
    values = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 91.0}
    report = CounterReport("ncu", (KernelCounters("main_kernel", values),))
    assert kernel_results.bound_of(profiled(counters=report)) == "DRAM, 91 % in use"
    assert kernel_results.bound_of(profiled()) is None


def test_what_is_the_pattern_s_own_is_a_measurement_of_it() -> None:
    found = row_of(ROW)["pattern"]
    assert (found["id"], found["targets"]) == ("flash-attention", ["h200"])
    assert found["values"]["seq_len"] == 4096


def test_other_sizes_are_other_values_of_the_same_kernel() -> None:
    rows = dataclasses.replace(ROW, file="kernels/softmax_rows.py", case="16384x8192")
    fewer = row_of(dataclasses.replace(rows, args={"M": 8192}))["pattern"]
    assert (fewer["id"], fewer["values"]["M"]) == ("softmax", 8192)
    other = row_of(dataclasses.replace(rows, args={"threads": 256}))["pattern"]
    assert other["values"]["threads"] == 256
    illegal = dataclasses.replace(rows, args={"block_N": 8192 * 64})
    assert row_of(illegal)["pattern"] is None


def results(*rows: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = kernel_results.results_of(rows, profiled().plain)
    return found


def test_rows_of_the_same_device_and_versions_are_kept() -> None:
    first, second = ROWS[:2]
    kept = {**row_of(ROW), "name": first.name, "shape": first.shape}
    new = {**row_of(ROW), "name": second.name, "shape": second.shape}
    merged = kernel_results.merged(results(kept), results(new), ROWS)
    assert [row["name"] for row in merged["rows"]] == [first.name, second.name]
    other = {**results(kept), "versions": {"tilelang": "0.1"}}
    assert kernel_results.merged(other, results(new), ROWS)["rows"] == [new]


def test_a_table_says_what_bounds_what_is_under_its_goal() -> None:
    row = {**row_of(GOALS), "bound": "DRAM, 91 % in use"}
    text = kernel_texts.table(results(row))
    assert "| 0.900 × cuDNN (`torch_attention`) | 1.00 / 0.90 |" in text
    assert "- Attention, B8: DRAM, 91 % in use." in text
    good = row_of(dataclasses.replace(GOALS, goal=0.9))
    assert "What bounds" not in kernel_texts.table(results(good))
    assert "**0.900 × cuDNN (`torch_attention`)**" in kernel_texts.table(results(good))


def test_a_wrong_result_is_no_measurement() -> None:
    wrong = results(row_of(ROW, verified=False))
    assert "[[measurement]]" not in kernel_texts.measured_text(wrong)
    assert "[[measurement]]" in kernel_texts.measured_text(results(row_of(ROW)))


def test_text_between_the_markers_is_replaced() -> None:
    text = f"a\n{kernel_texts.BEGIN}\nold\n{kernel_texts.END}\nb\n"
    once = kernel_texts.write_between(text, "new")
    assert once == f"a\n{kernel_texts.BEGIN}\nnew\n{kernel_texts.END}\nb\n"
    assert kernel_texts.write_between(once, "new") == once
    with pytest.raises(ValueError, match="markers"):
        kernel_texts.write_between("a", "new")


class Bench:
    """Answers tasks at once: rows take 100 µs beside a baseline of 90, some fail."""

    def __init__(self, patch: pytest.MonkeyPatch, *failing: str) -> None:
        self.asked: list[kernel_profiles.Task] = []
        self._failing = failing
        patch.setattr(kernel_run, "run_tasks", self._run)

    def _run(self, tasks: Any, *_: Any) -> Any:
        for task in tasks:
            self.asked.append(task)
            found = profiled(dataclasses.replace(task.row, file=ROW.file, case=ROW.case))
            plain = {**found.plain, "bound": "DRAM, 91 % in use" if task.counters else None}
            problem = "it broke" if task.label in self._failing else None
            yield kernel_profiles.Profiled(task, plain, problem)


FURTHER = kernel_rows.Further("flash", "torch_flash", "", 1.0)
COMPILED = dataclasses.replace(FURTHER, name="torch.compile", is_compiled=True)
TWO = (
    dataclasses.replace(ROW, name="Rest"),
    dataclasses.replace(GOALS, further=(COMPILED, FURTHER), args={"threads": 128}),
)


def run(**way: Any) -> Any:
    clock = kernel_profiles.Clock(None)
    found = kernel_run.Run(TWO, kernel_run.Way("local", 2, clock, **way), lambda: None)
    found.measure()
    return found


def test_rows_with_a_goal_come_first_and_then_what_bounds_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(monkeypatch)
    found = run(counters=True)

    assert [task.label for task in bench.asked] == [
        "Attention, B8",
        "Attention, B8 beside flash",
        "Attention, B8 (counters)",
        "Attention, B8 beside torch.compile",
        "Rest, B8",
    ]
    assert bench.asked[0].ceilings
    rest, goal = found.assembled()
    assert (rest["name"], goal["name"]) == ("Rest", "Attention")
    assert goal["bound"] == "DRAM, 91 % in use"
    assert [each["name"] for each in goal["others"]] == ["flash", "torch.compile"]


def test_a_second_gpu_tells_more_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    run(counters=True, devices=2)

    timed = [task for task in bench.asked if task.device == 0]
    assert [task.label for task in timed] == ["Attention, B8", "Rest, B8"]
    assert {task.label for task in bench.asked if task.device == 1} == {
        "Attention, B8 beside flash",
        "Attention, B8 beside torch.compile",
        "Attention, B8 (counters)",
    }


def test_what_fails_is_told_and_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    Bench(monkeypatch, "Attention, B8 beside flash", "Rest, B8")
    found = run()

    assert found.problems == ["Attention, B8 beside flash: it broke", "Rest, B8: it broke"]
    (goal,) = found.assembled()
    assert [each["name"] for each in goal["others"]] == ["torch.compile"]
