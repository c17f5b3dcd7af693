"""Whether runs do the same work by their metrics: else no time of theirs is better than another."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.runs import MetricSource, Run

DIFFERENT_WORK = "These runs do different work, so their times say little of each other."
#: Of bytes or operations, from which on runs do different work; tiles over an edge compute more.
DIFFERENT_BYTES, DIFFERENT_OPERATIONS = 0.01, 0.3
_RATES = (("gb_s", DIFFERENT_BYTES), ("tflops", DIFFERENT_OPERATIONS))


def does_different_work(runs: Sequence[Run]) -> bool:
    """Whether the bytes or the operations that were timed are known and not the same."""
    for rate, most in _RATES:
        known = [each for run in runs if (each := _amount(run, rate))]
        if known and max(known) > min(known) * (1 + most):
            return True
    return False


def _amount(run: Run, rate: str) -> float | None:
    """What was moved or computed: a rate times the time, both measured."""
    found = [run.metrics.get(name) for name in ("time_us", rate)]
    values = [m.value for m in found if m is not None and m.source is MetricSource.MEASURED]
    return values[0] * values[1] if len(values) == 2 and values[0] and values[1] else None
