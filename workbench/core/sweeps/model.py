"""What a sweep is asked for, and what has become of each of its points."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from workbench.core.sweeps.space import Axis, Space

#: Of the points that compile, the part that is measured unless a budget says otherwise.
USUAL_SHARE = 0.25
LEAST_MEASURED = 4
CONFIRMED = 3


class Stage(enum.Enum):
    """The stages of a point, the cheapest first; only the last two need a GPU."""

    LEGALITY = "legality"
    """Rules of the language, of the target and of the document, from the source alone."""
    LOWER = "lower"
    """TileLang lowers it; what the lowered code asks of the target is looked at."""
    COMPILE = "compile"
    """Machine code, registers and occupancy, and the time that is estimated from them."""
    MEASURE = "measure"
    """A short measurement on a GPU."""
    CONFIRM = "confirm"
    """A longer measurement of the best, whose result is compared with the reference."""


class Outcome(enum.Enum):
    """How a point stands."""

    OPEN = "open"
    """Its next stage is yet to come, or runs."""
    RULED_OUT = "ruled out"
    """A rule or condition says that it cannot work; the reason names it."""
    FAILED = "failed"
    """A stage failed: the compiler, the launch, the measurement, or the comparison."""
    PREDICTED = "predicted"
    """It compiles; its time is estimated and was not measured."""
    MEASURED = "measured"
    CONFIRMED = "confirmed"


#: Outcomes after which nothing more happens to a point.
FINAL = frozenset({Outcome.RULED_OUT, Outcome.FAILED})


@dataclass(frozen=True)
class Facts:
    """What is predicted of a point; None is unknown. Bytes are a block's, registers a thread's.

    `occupancy` is the share of an SM's warps; `bound` names what the estimate is bound by.
    """

    predicted_us: float | None = None
    bound: str | None = None
    shared_bytes: int | None = None
    registers: int | None = None
    spill_bytes: int | None = None
    occupancy: float | None = None
    blocks_per_sm: int | None = None


@dataclass(frozen=True)
class Measured:
    """One measurement of a point: microseconds a launch, and where it was taken.

    `flops` are those of one launch; `verified` is None where nothing was compared; `run` is the
    run of the history.
    """

    median_us: float
    p10_us: float
    p90_us: float
    samples: int
    device: str
    host: str
    flops: float | None = None
    verified: bool | None = None
    run: str | None = None

    @property
    def tflops(self) -> float | None:
        """The rate that the median means, in TFLOP/s."""
        return None if self.flops is None else self.flops / self.median_us / 1e6


@dataclass(frozen=True)
class PointRecord:
    """A point's state: the stage that it has reached, how it stands, and why.

    `code` names the rule of a diagnostic, `line` where in the document. `attempts` counts the
    times that a stage was begun again since its worker was lost. `seconds` sums what its jobs took.
    """

    number: int
    stage: Stage = Stage.LEGALITY
    outcome: Outcome = Outcome.OPEN
    reason: str | None = None
    code: str | None = None
    line: int | None = None
    facts: Facts = field(default_factory=Facts)
    measured: Measured | None = None
    confirmed: Measured | None = None
    attempts: int = 0
    where: str | None = None
    seconds: float = 0.0

    @cached_property
    def best(self) -> Measured | None:
        """The measurement that counts: the longer one where there are two."""
        return self.confirmed or self.measured

    @cached_property
    def is_out(self) -> bool:
        """Whether nothing more happens to it: it was ruled out, or failed."""
        return self.outcome in FINAL

    @cached_property
    def estimate_us(self) -> float | None:
        """The estimated time; None where it is unknown, or the point is out."""
        return None if self.is_out else self.facts.predicted_us

    @cached_property
    def time_us(self) -> float | None:
        """The measured time; None where it was not measured or did not hold."""
        if self.outcome not in (Outcome.MEASURED, Outcome.CONFIRMED) or self.best is None:
            return None
        return self.best.median_us


@dataclass(frozen=True)
class Budget:
    """What a sweep may take: `points` measurements (None: a quarter of what compiles), minutes.

    With `early_stop` measuring ends when nothing promising is left, also within the budget.
    """

    points: int | None = None
    minutes: float | None = None
    early_stop: bool = True

    def measurements(self, candidates: int) -> int:
        """How many of so many points that compile may be measured."""
        if self.points is not None:
            return min(self.points, candidates)
        return min(candidates, max(LEAST_MEASURED, int(candidates * USUAL_SHARE)))


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep is asked for: enough to go on with it in another process.

    `document` is the file's absolute path, `text` what it held when the sweep began. `fixed` are
    arguments set for all points. `places` are as `--on` names them, empty where nothing is
    measured; `scheduler` is a Dask scheduler's address. `devices` numbers GPUs, empty for all.
    """

    id: str
    created: str
    workspace: str
    document: str
    text: str
    kernel: str
    axes: tuple[Axis, ...]
    cases: tuple[str, ...]
    targets: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    configurations: tuple[Mapping[str, Any], ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    places: tuple[str, ...] = ()
    scheduler: str | None = None
    devices: tuple[int, ...] = ()
    cpu_jobs: int | None = None
    exhaustive: bool = False

    @property
    def space(self) -> Space:
        """The configurations."""
        return Space(self.axes, self.cases, self.targets, self.conditions, self.configurations)


@dataclass(frozen=True)
class Sweep:
    """A plan, its points in their order, and what has become of each."""

    plan: SweepPlan
    records: tuple[PointRecord, ...]
    ended: str | None = None
    """Why the sweep is over: "done", "budget", "cancelled"; None while there is more to do."""
    seconds: float = 0.0
    """What it has taken so far, over all starts."""
