"""A sweep's stages with a backend whose answers are made here; see test_lanes.py for real ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import Failure
from workbench.core.plain import to_plain
from workbench.core.profiles import DeviceInfo, Latency, ProfileResult
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import Budget, Outcome, Stage, Sweep, SweepPlan
from workbench.core.sweeps.space import parse_axis
from workbench.core.targets.model import Target
from workbench.session.requests import Item
from workbench.session.sweeps.runner import SweepRunner
from workbench.session.sweeps.sifting import Sifter
from workbench.session.sweeps.tasks import Finished, Task
from workbench.wire.events import Ended

KERNELS = Path(__file__).parents[3] / "kernels"
Answer = Callable[[Task], Ended]


def a_plan(folder: Path, **changes: object) -> SweepPlan:
    text = (KERNELS / "gemm.py").read_text("utf-8")
    plan = SweepPlan(
        id="0abc",
        created="2026-11-30T05:00:00+00:00",
        workspace=str(folder),
        document=str(folder / "gemm.py"),
        text=text,
        kernel="matmul",
        axes=(parse_axis("block_M=64,128"), parse_axis("num_stages=1..4")),
        cases=("square",),
        targets=("h200",),
        places=("local",),
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def predicted_us(task: Task) -> float:
    args = task.request.kernel.args  # type: ignore[union-attr]
    return 100.0 + args["num_stages"] * 10 - args["block_M"] / 10


def analysis(task: Task) -> Ended:
    time = Estimate(predicted_us(task), "tensor", "model", 1, None, 1, 1.0, (), None)
    known = None if task.stage is Stage.LOWER else time
    kernel = KernelAnalysis("main", (1, 1, 1), (128, 1, 1), 4096, estimate=known)
    return Ended("", "done", to_plain(AnalyzeResult(None, (kernel,))))


def profile(task: Task, time_us: float, verified: bool | None = None) -> Ended:
    latency = Latency(time_us, time_us, time_us, (time_us,) * 20, "cuda events", "cold")
    device = DeviceInfo("NVIDIA H200", "sm_90")
    return Ended("", "done", to_plain(ProfileResult(None, device, latency, verified=verified)))


def usual(task: Task) -> Ended:
    if task.needs_gpu:
        return profile(
            task, predicted_us(task) * 1.1, True if task.stage is Stage.CONFIRM else None
        )
    return analysis(task)


class MadeBackend:
    """Answers each task in the order of submission, one a wait."""

    title = "made"

    def __init__(self, answer: Answer = usual, cpus: int = 2, gpus: int = 1) -> None:
        self.done: list[Task] = []
        self._answer = answer
        self._free = {False: cpus, True: gpus}
        self._queue: list[Task] = []
        self._gpus = gpus

    def cpu_free(self) -> int:
        return self._free[False]

    def gpu_free(self, target: Target) -> int:
        return self._free[True]

    def why_no_gpu(self, target: Target) -> str | None:
        return None if self._gpus else "no GPU was named to measure on"

    def submit(self, task: Task) -> None:
        assert self._free[task.needs_gpu] > 0
        self._free[task.needs_gpu] -= 1
        self._queue.append(task)

    def wait(self, seconds: float) -> Sequence[Finished]:
        if not self._queue:
            return []
        task = self._queue.pop(0)
        self._free[task.needs_gpu] += 1
        self.done.append(task)
        return [Finished(task, self._answer(task), "this machine", seconds=0.5)]

    def close(self) -> None:
        self._queue.clear()


def swept(
    folder: Path, backend: MadeBackend, plan: SweepPlan, stop_after: int | None = None
) -> Sweep:
    """The sweep after a run of it; `stop_after` pauses it after so many tasks."""
    where = folder / plan.id
    if not where.exists():
        journal.create(folder, plan)
    recorded: list[str] = []

    def record(item: Item, finished: Finished) -> str:
        recorded.append(item.selection.kernel.name)
        return f"run-{len(recorded)}"

    with Journal(where) as kept:
        runner = SweepRunner(
            journal.read(where), kept, backend, Sifter(plan), record, lambda p: watch()
        )

        def watch() -> None:
            if stop_after is not None and len(backend.done) >= stop_after:
                runner.pause()

        runner.run()
    return journal.read(where)


def stages(backend: MadeBackend) -> list[Stage]:
    return [task.stage for task in backend.done]


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


def test_what_asks_for_more_than_the_target_has_is_ruled_out(tmp_path: Path) -> None:
    def answer(task: Task) -> Ended:
        over = Diagnostic(
            "registers-over-limit", Severity.ERROR, "too many registers", stage="resources"
        )
        result = AnalyzeResult(Failure("kernel", over.message), diagnostics=(over,))
        return Ended("", "done", to_plain(result))

    plan = a_plan(tmp_path, axes=(parse_axis("num_stages=1,2"),))
    sweep = swept(tmp_path, MadeBackend(answer), plan)
    assert {(r.stage, r.outcome, r.code) for r in sweep.records} == {
        (Stage.LOWER, Outcome.RULED_OUT, "registers-over-limit")
    }
