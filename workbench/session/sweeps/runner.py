"""Runs a sweep: takes each point through its stages, files what was measured, keeps a journal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from workbench.core.jobs import Source
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import Measured, Outcome, PointRecord, Stage, Sweep
from workbench.core.sweeps.space import Point
from workbench.session.requests import Item, source_of
from workbench.session.sweeps.backend import Backend
from workbench.session.sweeps.measuring import Measuring
from workbench.session.sweeps.sifting import Sifter
from workbench.session.sweeps.tasks import Finished, task_of, told
from workbench.session.sweeps.work import Progress, Work

MOST_ATTEMPTS = 2  # a point whose worker was lost is tried again once
_WAIT_SECONDS = 0.25
_SIFT_AHEAD = 64  # points sifted beyond those that lanes are idle for

Recorder = Callable[[Item, Finished], "str | None"]


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
        self._work = Work(sweep)
        self._measuring = Measuring(self._work, backend, sifter.targets)
        self._unsifted: Iterator[Point] = iter(self._work.points)
        self._stop = threading.Event()
        self._why_stopped: str | None = None

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
            if not self._work.running and self._work.is_sifted:
                return "budget" if self._is_out_of_time() else "done"
            for finished in self._backend.wait(_WAIT_SECONDS):
                self._take(finished)
            self._tell(self._work.doing)
        return self._why_stopped

    def _fill(self) -> None:
        """Give idle lanes something to do."""
        if not self._is_out_of_time():
            self._sift(self._backend.cpu_free() + _SIFT_AHEAD)
            for stage in (Stage.LOWER, Stage.COMPILE):
                self._fill_cpu(stage)
            self._fill_measuring()
        elif not self._work.is_sifted:
            self._work.is_sifted = True  # what was not looked at stays open
        self._fill_confirming()

    def _sift(self, wanted: int) -> None:
        """Look at the next points, so that so many can go on to be lowered."""
        work = self._work
        ahead = sum(1 for _ in work.due(Stage.LOWER))
        until = time.monotonic() + _WAIT_SECONDS
        while not work.is_sifted and ahead < wanted and time.monotonic() < until:
            point = next(self._unsifted, None)
            if point is None:
                work.is_sifted = True
                return
            record = work.records[point.number]
            if record.is_out:
                continue
            sifted = self._sifter.sift(point)
            if sifted.item is None:
                self._note(sifted.record)
                continue
            work.items[point.number] = sifted.item
            ahead += work.is_due(record, Stage.LOWER)

    def _fill_cpu(self, stage: Stage) -> None:
        due = self._work.due(stage)
        while self._backend.cpu_free() > 0 and (record := next(due, None)) is not None:
            self._begin(record, stage)

    def _fill_measuring(self) -> None:
        """Measure once every point has its estimate: what is worth it depends on all of them."""
        if self._plan.exhaustive or not self._work.has_cpu_work:
            for candidate in self._measuring.candidates():
                self._begin(candidate.record, Stage.MEASURE)

    def _fill_confirming(self) -> None:
        """Measure the best of each case and target for longer, once nothing shorter is left."""
        if self._work.has_cpu_work and not self._is_out_of_time():
            return
        if any(task.stage is not Stage.CONFIRM for task in self._work.running.values()):
            return
        for record in self._measuring.confirmations():
            self._begin(record, Stage.CONFIRM)

    def _begin(self, record: PointRecord, stage: Stage) -> None:
        item = self._work.items[record.number]
        task = task_of(record.number, stage, item, self._source(item))
        self._work.running[record.number] = task
        self._backend.submit(task)

    def _source(self, item: Item) -> Source:
        return source_of(item.document, Path(self._plan.workspace), True)

    def _take(self, finished: Finished) -> None:
        number = finished.task.number
        self._work.running.pop(number, None)
        record = self._work.records[number]
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
        run = self._record(self._work.items[record.number], finished)
        if record.outcome is Outcome.MEASURED:
            return replace(record, measured=_with_run(record.measured, run))
        return replace(record, confirmed=_with_run(record.confirmed, run))

    def _note(self, record: PointRecord) -> None:
        self._work.records[record.number] = record
        self._journal.note(record, self.seconds)

    def _is_out_of_time(self) -> bool:
        minutes = self._plan.budget.minutes
        return minutes is not None and self.seconds > minutes * 60

    def _tell(self, text: str) -> None:
        self._on_progress(self._work.progress(text, self.seconds))


def _with_run(measured: Measured | None, run: str | None) -> Measured | None:
    return None if measured is None else replace(measured, run=run)
