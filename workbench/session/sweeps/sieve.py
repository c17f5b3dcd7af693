"""Looks at the points of a form in slices, so that whoever waits for the count is never blocked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.sweeps import findings
from workbench.core.sweeps.findings import Fate
from workbench.core.sweeps.model import Outcome, PointRecord, SweepPlan
from workbench.core.sweeps.space import Point
from workbench.session.signal import Signal
from workbench.session.sweeps.sifting import Sifter
from workbench.session.timers import TimerFactory

SLICE_SECONDS = 0.02
_PAUSE_MS = 8
_TELL_SECONDS = 0.2


@dataclass(frozen=True)
class Sieved:
    """How far the look at a form's points is: of `total`, `seen` were looked at.

    `fates` says why points fell out; `problem` why none can be looked at; `product` what makes
    several cases or targets so many points.
    """

    total: int = 0
    seen: int = 0
    left: int = 0
    fates: tuple[Fate, ...] = ()
    problem: str = ""
    product: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether every point was looked at."""
        return self.seen == self.total and not self.problem

    @property
    def sentence(self) -> str:
        """How many remain, in one sentence."""
        if self.problem:
            return self.problem
        if not self.is_complete:
            return f"{self.left:,} of {self.seen:,} remain so far; {self.total:,} to look at."
        every = f"{self.total:,} configurations"
        if self.product:
            every = f"{self.total:,} points ({self.product})"
        if not self.left:
            return f"None of {every} remains."
        out = self.total - self.left
        fell = f"; {out:,} fall out" if out else ", none falls out"
        return f"{self.left:,} of {every} remain{fell}."


class Sieve:
    """Sifts one plan after another; a new one takes the place of what is being looked at.

    `changed` comes at most five times a second, and at the end.
    """

    def __init__(self, make_timer: TimerFactory) -> None:
        self.changed: Signal[[]] = Signal()
        self.result = Sieved()
        self._timer = make_timer(self._go_on)
        self._sifter: Sifter | None = None
        self._points: Iterator[Point] = iter(())
        self._total, self._product = 0, ""
        self._records: list[PointRecord] = []
        self._told = 0.0

    def look_at(self, plan: SweepPlan, sifter: Sifter) -> None:
        """Begin with the points of a plan; raises SpaceError where there are too many."""
        self._timer.stop()
        self._sifter, self._points = sifter, plan.space.points()
        self._total, self._records = plan.space.size, []
        self._product = plan.space.product_text
        self._told = time.monotonic()
        self.result = Sieved(self._total, product=self._product)
        self._timer.restart(_PAUSE_MS)
        self.changed.emit()

    def refuse(self, problem: str) -> None:
        """Say why there is nothing to look at."""
        self._timer.stop()
        self._sifter, self.result = None, Sieved(problem=problem)
        self.changed.emit()

    def stop(self) -> None:
        """Look at nothing more."""
        self._timer.stop()

    @property
    def records(self) -> Sequence[PointRecord]:
        """What was found of the points looked at."""
        return self._records

    def _go_on(self) -> None:
        sifter = self._sifter
        if sifter is None:
            return
        until = time.monotonic() + SLICE_SECONDS
        while time.monotonic() < until:
            point = next(self._points, None)
            if point is None:
                self._tell()
                return
            self._records.append(sifter.sift(point).record)
        self._timer.restart(_PAUSE_MS)
        if time.monotonic() - self._told >= _TELL_SECONDS:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        left = sum(each.outcome is not Outcome.RULED_OUT for each in self._records)
        fates = findings.fates(self._records)
        self.result = Sieved(self._total, len(self._records), left, fates, product=self._product)
        self.changed.emit()
