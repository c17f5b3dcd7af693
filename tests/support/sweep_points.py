"""A small sweep, a measurement of one of its points, and timers that a test lets elapse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.sweeps.model import Measured, SweepPlan
from workbench.core.sweeps.space import parse_axis

KERNELS = Path(__file__).parents[2] / "kernels"
TIME = Measured(200.0, 199.0, 201.0, 20, "a GPU", "here", flops=2e9)


@dataclass
class Clock:
    """Timers that a test lets elapse."""

    due: list[Callable[[], None]] = field(default_factory=list)

    def make(self, call: Callable[[], None]) -> ManualTimer:
        return ManualTimer(self, call)

    def elapse(self) -> bool:
        due, self.due = self.due, []
        for call in due:
            call()
        return bool(due)


@dataclass
class ManualTimer:
    clock: Clock
    call: Callable[[], None]

    def restart(self, delay_ms: int) -> None:
        self.stop()
        self.clock.due.append(self.call)

    def stop(self) -> None:
        self.clock.due = [each for each in self.clock.due if each != self.call]


def a_plan(folder: Path) -> SweepPlan:
    return SweepPlan(
        id="0abc",
        created="2026-11-30T05:00:00+00:00",
        workspace=str(folder),
        document=str(folder / "gemm.py"),
        text=(KERNELS / "gemm.py").read_text("utf-8"),
        kernel="matmul",
        axes=(parse_axis("block_M=64,128"), parse_axis("num_stages=1..3")),
        cases=("square",),
        targets=("h200",),
    )
