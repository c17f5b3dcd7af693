"""A backend whose answers are made by a test, and sweeps that are run on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.plain import to_plain
from workbench.core.profiles import DeviceInfo, Latency, ProfileResult
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import Stage, Sweep, SweepPlan
from workbench.core.sweeps.space import parse_axis
from workbench.core.targets.model import Target
from workbench.session.requests import Item
from workbench.session.sweeps.runner import SweepRunner
from workbench.session.sweeps.sifting import Sifter
from workbench.session.sweeps.tasks import Finished, Task
from workbench.wire.events import Ended

KERNELS = Path(__file__).parents[2] / "kernels"
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
