"""The points of a sweep while it runs: their records, what runs of them, and what is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.sweeps.model import Outcome, PointRecord, Stage, Sweep
from workbench.session.requests import Item
from workbench.session.sweeps.tasks import GPU_STAGES, Task

_WORDS = {
    Stage.LEGALITY: "looking at",
    Stage.LOWER: "lowering",
    Stage.COMPILE: "compiling",
    Stage.MEASURE: "measuring",
    Stage.CONFIRM: "confirming",
}


@dataclass(frozen=True)
class Progress:
    """How far a sweep is, for a person who waits; `allowed` counts measurements, as `measured`."""

    text: str
    running: int
    measured: int
    allowed: int | None
    best_us: float | None
    seconds: float


class Work:
    """What is known of each point; `items` are those of points that may go on.

    `is_sifted` says that every point was looked at.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.plan = sweep.plan
        self.points = tuple(sweep.plan.space.points())
        self.records = list(sweep.records)
        self.items: dict[int, Item] = {}
        self.running: dict[int, Task] = {}
        self.is_sifted = False

    def is_idle(self, number: int) -> bool:
        """Whether a point may go on and nothing runs of it."""
        return number in self.items and number not in self.running

    def is_due(self, record: PointRecord, stage: Stage) -> bool:
        """Whether a stage without a GPU is the next of a point that was sifted."""
        if not self.is_idle(record.number) or record.outcome is not Outcome.OPEN:
            return False
        following = Stage.COMPILE if record.stage is Stage.LOWER else Stage.LOWER
        return following is stage

    def due(self, stage: Stage) -> Iterator[PointRecord]:
        """The points of which a stage without a GPU is the next."""
        return (record for record in self.records if self.is_due(record, stage))

    @property
    def has_cpu_work(self) -> bool:
        """Whether anything is left, or runs, that needs no GPU."""
        if not self.is_sifted:
            return True
        if any(task.stage not in GPU_STAGES for task in self.running.values()):
            return True
        return any(any(self.due(stage)) for stage in (Stage.LOWER, Stage.COMPILE))

    @property
    def taken(self) -> int:
        """How many points were measured or are being measured."""
        running = sum(task.stage is Stage.MEASURE for task in self.running.values())
        return running + sum(record.measured is not None for record in self.records)

    def allowed(self, compiled: int) -> int:
        """How many of so many points that compile may be measured."""
        return compiled if self.plan.exhaustive else self.plan.budget.measurements(compiled)

    @property
    def doing(self) -> str:
        """What runs, in words."""
        stages = [task.stage for task in self.running.values()]
        words = {stage: stages.count(stage) for stage in Stage if stage in stages}
        return ", ".join(f"{_WORDS[stage]} {count}" for stage, count in words.items())

    def progress(self, text: str, seconds: float) -> Progress:
        """How far it is after so long."""
        times = [r.time_us for r in self.records if r.time_us is not None]
        compiled = sum(r.outcome is Outcome.PREDICTED for r in self.records) + self.taken
        return Progress(
            text=text,
            running=len(self.running),
            measured=self.taken,
            allowed=self.allowed(compiled) if self.is_sifted else None,
            best_us=min(times, default=None),
            seconds=seconds,
        )
