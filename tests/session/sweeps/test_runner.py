"""A sweep's stages with a backend whose answers are made here; see test_lanes.py for real ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.sweep_backend import (
    MadeBackend,
    a_plan,
    predicted_us,
    profile,
    stages,
    swept,
    usual,
)
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import Failure
from workbench.core.plain import to_plain
from workbench.core.profiles import ProfileResult
from workbench.core.sweeps import journal
from workbench.core.sweeps.model import Budget, Outcome, Stage
from workbench.core.sweeps.space import parse_axis
from workbench.session.sweeps.tasks import Task
from workbench.wire.events import Ended


def test_cheap_stages_come_first_and_a_quarter_is_measured(tmp_path: Path) -> None:
    backend = MadeBackend()
    sweep = swept(tmp_path, backend, a_plan(tmp_path, budget=Budget(points=2)))
    assert stages(backend)[:16].count(Stage.LOWER) == 8
    assert Stage.MEASURE not in stages(backend)[:16]
    assert stages(backend).count(Stage.MEASURE) == 2
    best = min((r for r in sweep.records if r.time_us is not None), key=lambda r: r.time_us or 0)
    assert best.outcome is Outcome.CONFIRMED
    assert best.confirmed is not None
    assert best.confirmed.verified is True
    assert best.confirmed.run is not None
    points = list(sweep.plan.space.points())
    assert points[best.number].args == {"block_M": 128, "num_stages": 1}
    assert sweep.ended == "done"


def test_an_exhaustive_sweep_measures_every_point(tmp_path: Path) -> None:
    backend = MadeBackend()
    sweep = swept(tmp_path, backend, a_plan(tmp_path, exhaustive=True))
    assert stages(backend).count(Stage.MEASURE) == 8
    assert all(r.measured is not None for r in sweep.records)


def test_without_a_gpu_points_end_predicted(tmp_path: Path) -> None:
    backend = MadeBackend(gpus=0)
    sweep = swept(tmp_path, backend, a_plan(tmp_path, places=()))
    assert {r.outcome for r in sweep.records} == {Outcome.PREDICTED}
    assert sweep.ended == "done"


def test_conditions_and_rules_say_why_a_point_is_out(tmp_path: Path) -> None:
    axes = (parse_axis("block_M=64,128,24"), parse_axis("num_stages=2"))
    plan = a_plan(tmp_path, axes=axes, conditions=("block_M != 64",))
    backend = MadeBackend(gpus=0)
    sweep = swept(tmp_path, backend, plan)
    first, second, third = sweep.records
    assert (first.code, first.reason) == ("condition", "left out by: block_M != 64")
    assert second.outcome is Outcome.PREDICTED
    assert (third.outcome, third.code) == (Outcome.RULED_OUT, "tensor-core-shape-illegal")
    assert third.line is not None
    assert len(backend.done) == 2


def failing(task: Task) -> Ended:
    """Two stages fail in three ways: the compiler, the launch, and a worker's memory."""
    stage_count = task.request.kernel.args["num_stages"]  # type: ignore[union-attr]
    if task.stage is Stage.LOWER and stage_count == 1:
        result = AnalyzeResult(Failure("kernel", "it does not lower", line=7))
        return Ended("", "done", to_plain(result))
    if task.stage is Stage.COMPILE and stage_count == 2:
        return Ended("", "failed", failure=Failure("memory", "the job took over 8 GiB"))
    if task.stage is Stage.MEASURE and stage_count == 3:
        return Ended("", "done", to_plain(ProfileResult(Failure("kernel", "illegal address"))))
    return usual(task)


def test_each_failure_keeps_its_stage_and_reason(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, axes=(parse_axis("num_stages=1..4"),), exhaustive=True)
    sweep = swept(tmp_path, MadeBackend(failing), plan)
    one, two, three, _ = sweep.records
    assert (one.stage, one.outcome, one.line) == (Stage.LOWER, Outcome.FAILED, 7)
    # what is too large to be analyzed is measured all the same
    assert two.outcome is Outcome.CONFIRMED
    assert two.facts.predicted_us is None
    assert (three.stage, three.reason) == (Stage.MEASURE, "illegal address")


def test_a_wrong_result_is_no_best(tmp_path: Path) -> None:
    def answer(task: Task) -> Ended:
        if task.stage is Stage.CONFIRM and predicted_us(task) < 100:
            return profile(task, 50.0, verified=False)
        return usual(task)

    plan = a_plan(tmp_path, exhaustive=True)
    sweep = swept(tmp_path, MadeBackend(answer), plan)
    wrong = [r for r in sweep.records if r.code == "mismatch"]
    assert wrong
    assert all(r.outcome is Outcome.FAILED and r.time_us is None for r in wrong)
    assert any(r.outcome is Outcome.CONFIRMED for r in sweep.records)


@pytest.mark.parametrize("times", [1, 2])
def test_a_lost_point_is_tried_once_more(tmp_path: Path, times: int) -> None:
    lost: list[int] = []

    def answer(task: Task) -> Ended:
        if task.stage is Stage.COMPILE and task.number == 3 and len(lost) < times:
            lost.append(task.number)
            return Ended("", "lost", failure=Failure("environment", "the worker went away"))
        return usual(task)

    sweep = swept(tmp_path, MadeBackend(answer), a_plan(tmp_path, exhaustive=True))
    record = sweep.records[3]
    assert record.attempts == times
    assert record.outcome is (Outcome.FAILED if times == 2 else record.outcome)
    assert (record.measured is None) is (times == 2)


@pytest.mark.parametrize("after", [3, 11, 18])
def test_a_paused_sweep_goes_on_where_it_was(tmp_path: Path, after: int) -> None:
    plan = a_plan(tmp_path, exhaustive=True)
    first = MadeBackend()
    assert swept(tmp_path, first, plan, stop_after=after).ended is None
    second = MadeBackend()
    sweep = swept(tmp_path, second, plan)
    assert sweep.ended == "done"
    tasks = [(task.number, task.stage) for task in (*first.done, *second.done)]
    assert len(tasks) == len(set(tasks)), "a stage that had ended was done again"
    assert all(r.measured is not None for r in sweep.records)


def test_out_of_time_nothing_new_begins(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, budget=Budget(minutes=1e-9))
    backend = MadeBackend()
    sweep = swept(tmp_path, backend, plan)
    assert sweep.ended == "budget"
    assert backend.done == []


def test_the_journal_is_plain_lines(tmp_path: Path) -> None:
    swept(tmp_path, MadeBackend(), a_plan(tmp_path))
    lines = (tmp_path / "0abc" / journal.JOURNAL).read_text("utf-8").splitlines()
    assert all(isinstance(json.loads(line), dict) for line in lines)
