"""Whether runs do the same work, so that their times can be held against each other."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.comparison.work import DIFFERENT_BYTES, DIFFERENT_OPERATIONS
from workbench.session.charts.model import MEASURED
from workbench.session.charts.subject import ChartRun
from workbench.session.lenses.roofline.facts import computed_by


def does_different_work(runs: Sequence[ChartRun]) -> bool:
    """Whether the operations or the bytes of the runs' launches are known and not the same."""
    known = (
        ([each for run in runs if (each := _bytes(run))], DIFFERENT_BYTES),
        ([each for run in runs if (each := _operations(run))], DIFFERENT_OPERATIONS),
        ([each for run in runs if (each := _named_operations(run))], DIFFERENT_OPERATIONS),
    )
    return any(values and max(values) > min(values) * (1 + most) for values, most in known)


def _bytes(run: ChartRun) -> float | None:
    """Bytes of all inputs and outputs of one launch."""
    profile = run.content.profile
    if profile is not None and profile.bytes_moved:
        return float(profile.bytes_moved)
    time, rate = run.value("time_us", MEASURED), run.value("gb_s", MEASURED)
    return time * rate * 1e3 if time and rate else None


def _named_operations(run: ChartRun) -> float | None:
    """Operations that the case names: the rate that was measured times the time."""
    time, rate = run.value("time_us", MEASURED), run.value("tflops", MEASURED)
    return time * rate if time and rate else None


def _operations(run: ChartRun) -> float | None:
    """Operations that the code counts, those of tiles over an edge among them."""
    work = run.kernel.work if run.kernel is not None else None
    used = computed_by(work) if work is not None else None
    return float(used.flops) if used is not None else None
