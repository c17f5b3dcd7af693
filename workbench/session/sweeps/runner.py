"""Runs a sweep: takes each point through its stages, chooses what to measure, keeps a journal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.jobs import Source
from workbench.core.sweeps.choosing import Candidate, Ranking, best_records, candidates
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import (
    CONFIRMED,
    Measured,
    Outcome,
    PointRecord,
    Stage,
    Sweep,
)
from workbench.core.sweeps.space import Point
from workbench.core.targets.model import Target
from workbench.session.requests import Item, source_of
from workbench.session.sweeps.backend import Backend
from workbench.session.sweeps.sifting import Sifter
from workbench.session.sweeps.tasks import GPU_STAGES, Finished, Task, task_of, told

MOST_ATTEMPTS = 2  # a point whose worker was lost is tried again once
_WAIT_SECONDS = 0.25
_SIFT_AHEAD = 64  # points sifted beyond those that lanes are idle for
_WITHIN = 1.05  # a point that is not within 5 % of the best is not worth confirming

OnRecord = Callable[[PointRecord], None]
Recorder = Callable[[Item, Finished], "str | None"]


@dataclass(frozen=True)
class Progress:
    """How far a sweep is, for a person who waits."""

    text: str
    running: int
    measured: int
    allowed: int | None
    best_us: float | None
    seconds: float


class SweepRunner:
    """One sweep on one backend, driven by `run` in the calling thread.

    `record` files what was measured in the history and gives the run's id. `cancel` and `pause` may
    be called from any thread: a cancelled sweep is over, a paused one goes on at its next start.
    """

    def __init__(
        self,
        sweep: Sweep,
        journal: Journal,
        backend: Backend,
        sifter: Sifter,
        record: Recorder,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._plan = sweep.plan
        self._journal = journal
        self._backend = backend
        self._sifter = sifter
        self._record = record
        self._on_progress = on_progress
        self._before = sweep.seconds
        self._began = time.monotonic()
        self._points = tuple(sweep.plan.space.points())
        self.records = list(sweep.records)
        self._unsifted: Iterator[Point] = iter(self._points)
        self._items: dict[int, Item] = {}
        self._running: dict[int, Task] = {}
        self._stop = threading.Event()
        self._why_stopped: str | None = None
        self._is_sifted = False
        self._is_measuring_over = False

    @property
    def seconds(self) -> float:
        """What the sweep has taken, over all its starts."""
        return self._before + time.monotonic() - self._began

    def cancel(self) -> None:
        """End the sweep for good."""
        self._why_stopped = "cancelled"
        self._stop.set()

    def pause(self) -> None:
        """End this start; the sweep stays open."""
        self._stop.set()

    def run(self) -> str | None:
        """Go on until the end, which is returned: "done", "budget", "cancelled"; None: paused."""
        self._journal.note_end(None, self.seconds)
        ended = self._loop()
        if ended is not None:
            self._journal.note_end(ended, self.seconds)
        self._tell("ended" if ended else "paused")
        return ended

    def _loop(self) -> str | None:
        while not self._stop.is_set():
            self._fill()
            if not self._running and self._is_sifted:
                return "budget" if self._is_out_of_time() else "done"
            for finished in self._backend.wait(_WAIT_SECONDS):
                self._take(finished)
            self._tell(self._doing())
        return self._why_stopped

    def _fill(self) -> None:
        """Give idle lanes something to do."""
        if not self._is_out_of_time():
            self._sift(self._backend.cpu_free() + _SIFT_AHEAD)
            for stage in (Stage.LOWER, Stage.COMPILE):
                self._fill_cpu(stage)
            self._fill_measuring()
        elif not self._is_sifted:
            self._is_sifted = True  # what was not looked at stays open
        self._fill_confirming()

    def _sift(self, wanted: int) -> None:
        """Look at the next points, so that so many can go on to be lowered."""
        ahead = sum(self._is_due(record, Stage.LOWER) for record in self.records)
        until = time.monotonic() + _WAIT_SECONDS
        while not self._is_sifted and ahead < wanted and time.monotonic() < until:
            point = next(self._unsifted, None)
            if point is None:
                self._is_sifted = True
                return
            record = self.records[point.number]
            if record.is_out:
                continue
            sifted = self._sifter.sift(point)
            if sifted.item is None:
                self._note(sifted.record)
                continue
            self._items[point.number] = sifted.item
            ahead += self._is_due(self.records[point.number], Stage.LOWER)

    def _is_due(self, record: PointRecord, stage: Stage) -> bool:
        """Whether a stage without a GPU is the next of a point that was sifted."""
        if record.number not in self._items or record.number in self._running:
            return False
        if record.outcome is not Outcome.OPEN:
            return False
        following = Stage.COMPILE if record.stage is Stage.LOWER else Stage.LOWER
        return following is stage

    def _fill_cpu(self, stage: Stage) -> None:
        due = (r for r in self.records if self._is_due(r, stage))
        while self._backend.cpu_free() > 0 and (record := next(due, None)) is not None:
            self._begin(record, stage)

    def _fill_measuring(self) -> None:
        """Measure once every point has its estimate: what is worth it depends on all of them."""
        if self._is_measuring_over or (self._has_cpu_work() and not self._plan.exhaustive):
            return
        while (candidate := self._next_candidate()) is not None:
            self._begin(candidate.record, Stage.MEASURE)

    def _has_cpu_work(self) -> bool:
        if not self._is_sifted:
            return True
        if any(task.stage not in GPU_STAGES for task in self._running.values()):
            return True
        return any(
            self._is_due(record, stage)
            for record in self.records
            for stage in (Stage.LOWER, Stage.COMPILE)
        )

    def _next_candidate(self) -> Candidate | None:
        """What to measure next, where a GPU is free for it."""
        all_left = [
            each
            for each in candidates(self._points, self.records)
            if each.record.number not in self._running
            and each.record.number in self._items
            and self._backend.why_no_gpu(self._target(each)) is None
        ]
        left = [each for each in all_left if self._backend.gpu_free(self._target(each)) > 0]
        taken = self._taken()
        if not left or taken >= self._allowed(len(all_left) + taken):
            return None
        ranking = Ranking(self._points, self.records)
        if self._plan.budget.early_stop and not self._plan.exhaustive:
            left = [each for each in left if ranking.is_worth_it(each)]
            if not left and not any(t.needs_gpu for t in self._running.values()):
                self._is_measuring_over = True
        return ranking.next(left, taken)

    def _target(self, candidate: Candidate) -> Target:
        return self._items[candidate.record.number].target

    def _taken(self) -> int:
        """How many points were measured or are being measured."""
        running = sum(task.stage is Stage.MEASURE for task in self._running.values())
        return running + sum(record.measured is not None for record in self.records)

    def _allowed(self, compiled: int) -> int:
        return compiled if self._plan.exhaustive else self._plan.budget.measurements(compiled)

    def _fill_confirming(self) -> None:
        """Measure the best of each case and target for longer, once nothing shorter is left."""
        if self._has_cpu_work() and not self._is_out_of_time():
            return
        if any(task.stage is not Stage.CONFIRM for task in self._running.values()):
            return
        for (_, target), best in best_records(self._points, self.records).items():
            least = best[0].time_us or 0.0
            worth = [r for r in best[:CONFIRMED] if (r.time_us or 0.0) <= least * _WITHIN]
            for record in worth:
                is_due = record.outcome is Outcome.MEASURED and record.number in self._items
                is_free = self._backend.gpu_free(self._sifter.targets[target]) > 0
                if is_due and is_free and record.number not in self._running:
                    self._begin(record, Stage.CONFIRM)

    def _begin(self, record: PointRecord, stage: Stage) -> None:
        item = self._items[record.number]
        task = task_of(record.number, stage, item, self._source(item))
        self._running[record.number] = task
        self._backend.submit(task)

    def _source(self, item: Item) -> Source:
        return source_of(item.document, Path(self._plan.workspace), True)

    def _take(self, finished: Finished) -> None:
        number = finished.task.number
        self._running.pop(number, None)
        record = self.records[number]
        if finished.ended.outcome == "lost":
            self._note(self._lost(record, finished))
            return
        if finished.ended.outcome == "cancelled":
            return
        changed = told(record, finished)
        if finished.task.needs_gpu:
            changed = self._filed(changed, finished)
        self._note(changed)

    def _lost(self, record: PointRecord, finished: Finished) -> PointRecord:
        """A point whose worker went away: tried again once, elsewhere where there is one."""
        attempts = record.attempts + 1
        why = finished.ended.failure.message if finished.ended.failure else "its worker was lost"
        if attempts < MOST_ATTEMPTS:
            return replace(record, attempts=attempts)
        return replace(
            record,
            attempts=attempts,
            stage=finished.task.stage,
            outcome=Outcome.FAILED,
            code="lost",
            reason=f"its worker was lost twice: {why}",
            where=finished.host,
        )

    def _filed(self, record: PointRecord, finished: Finished) -> PointRecord:
        run = self._record(self._items[record.number], finished)
        if record.outcome is Outcome.MEASURED:
            return replace(record, measured=_with_run(record.measured, run))
        return replace(record, confirmed=_with_run(record.confirmed, run))

    def _note(self, record: PointRecord) -> None:
        self.records[record.number] = record
        self._journal.note(record, self.seconds)

    def _is_out_of_time(self) -> bool:
        minutes = self._plan.budget.minutes
        return minutes is not None and self.seconds > minutes * 60

    def _doing(self) -> str:
        stages = [task.stage for task in self._running.values()]
        words = {stage: stages.count(stage) for stage in Stage if stage in stages}
        return ", ".join(f"{_WORDS[stage]} {count}" for stage, count in words.items())

    def _tell(self, text: str) -> None:
        times = [r.time_us for r in self.records if r.time_us is not None]
        compiled = sum(r.outcome is Outcome.PREDICTED for r in self.records) + self._taken()
        self._on_progress(
            Progress(
                text=text,
                running=len(self._running),
                measured=self._taken(),
                allowed=self._allowed(compiled) if self._is_sifted else None,
                best_us=min(times, default=None),
                seconds=self.seconds,
            )
        )


_WORDS = {
    Stage.LEGALITY: "looking at",
    Stage.LOWER: "lowering",
    Stage.COMPILE: "compiling",
    Stage.MEASURE: "measuring",
    Stage.CONFIRM: "confirming",
}


def _with_run(measured: Measured | None, run: str | None) -> Measured | None:
    return None if measured is None else replace(measured, run=run)
