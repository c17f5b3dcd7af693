"""Says whether two measured times differ by more than their own spread explains."""

from __future__ import annotations

import enum
import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

#: Samples in sequence are alike (clock, temperature, neighbours), so their spread alone promises
#: more than they know. Medians of stretches of them are nearly independent: the method of batch
#: means (Law, Simulation Modeling and Analysis, "Batch Means").
BATCHES = 10
MIN_SAMPLES = 5
#: Two sessions on one GPU find other clocks and other memory pages: what they may differ by, beyond
#: what either sees of itself. 22 kernels that were measured in two sessions on an NVIDIA H200
#: differed by 0.1 to 3.3 %; taken with some room.
BETWEEN_RUNS = 0.04
#: Counters of caches and memory differ by as much from one launch of a kernel to the next.
COUNTER_GRAIN = 0.02
#: Predicted times that are nearer to each other, relative to them, name no winner: the model's own
#: error is several times as much.
PREDICTED_GRAIN = 0.01
#: How many standard errors a difference must exceed.
SIGMAS = 3.0


class Verdict(enum.Enum):
    """What may be said of a second time beside a first."""

    EQUAL = "within noise"
    FASTER = "faster"
    SLOWER = "slower"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class TimeDifference:
    """A second time over a first. `noise` is the relative difference that chance explains.

    `ratio` is above 1 where the second is slower; both are None where either is unknown.
    """

    verdict: Verdict
    ratio: float | None = None
    noise: float | None = None
    reason: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in words, with its numbers."""
        if self.ratio is None or self.noise is None:
            return f"unknown: {self.reason}"
        change, noise = (self.ratio - 1) * 100, self.noise * 100
        if self.verdict is Verdict.EQUAL:
            return f"within noise ({change:+.1f} %, chance explains {noise:.1f} %)"
        return f"{abs(change):.1f} % {self.verdict.value} (chance explains {noise:.1f} %)"


def compare_times(first: Sequence[float], second: Sequence[float]) -> TimeDifference:
    """Compare the medians of two runs' samples, in the order taken, in one unit.

    They differ where the medians' ratio leaves the band that the standard errors of both and the
    difference between any two sessions span. Fewer than MIN_SAMPLES, or times that are not
    positive, give UNKNOWN.
    """
    for name, samples in (("first", first), ("second", second)):
        if len(samples) < MIN_SAMPLES:
            reason = f"the {name} run has {len(samples)} samples, at least {MIN_SAMPLES} are needed"
            return TimeDifference(Verdict.UNKNOWN, reason=reason)
        if not all(math.isfinite(s) and s > 0 for s in samples):
            return TimeDifference(Verdict.UNKNOWN, reason=f"the {name} run has times of 0 or less")
    ratio = statistics.median(second) / statistics.median(first)
    error = math.hypot(relative_error(first), relative_error(second))
    grain = max(resolution(first), resolution(second))
    noise = math.hypot(BETWEEN_RUNS, SIGMAS * error, grain)
    return TimeDifference(_verdict(ratio, noise), ratio, noise)


def _verdict(ratio: float, noise: float) -> Verdict:
    # Symmetric in the two runs: swapping them turns "slower" into "faster" and nothing else.
    if abs(math.log(ratio)) <= math.log1p(noise):
        return Verdict.EQUAL
    return Verdict.SLOWER if ratio > 1 else Verdict.FASTER


def relative_error(samples: Sequence[float]) -> float:
    """The standard error of the samples' median, relative to it, from the medians of batches."""
    count = min(BATCHES, len(samples) // 2) or 1
    bounds = [round(i * len(samples) / count) for i in range(count + 1)]
    medians = [
        statistics.median(samples[low:high])
        for low, high in itertools.pairwise(bounds)
        if high > low
    ]
    if len(medians) < 2:
        return 0.0
    return statistics.stdev(medians) / math.sqrt(len(medians)) / statistics.median(samples)


def resolution(samples: Sequence[float]) -> float:
    """The least step between different samples, relative to their median: the timer's own grain.

    CUDA events tick in steps, which is much for a kernel of two microseconds.
    """
    values = sorted(set(samples))
    steps = [high - low for low, high in itertools.pairwise(values)]
    return min(steps, default=0.0) / statistics.median(samples)
