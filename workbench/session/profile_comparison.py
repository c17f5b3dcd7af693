"""What was measured of a profile beside what is predicted of the same kernel."""

from __future__ import annotations

import dataclasses

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.shared_sites import Count, sum_or_none
from workbench.core.counters.against import Comparison, Verdict, compare, paired
from workbench.core.counters.model import Group, Quantity
from workbench.core.counters.quantities import reading
from workbench.core.profiles import Latency, ProfileResult
from workbench.core.targets.model import Target

#: The time of a launch without a profiler, which no counter holds.
TIME = Quantity("time_us", "Time of a launch", Group.TIME, (), "us")


def comparisons_of(
    result: ProfileResult, analysis: AnalyzeResult | None, target: Target
) -> tuple[Comparison, ...]:
    """The time, then what counters tell of the first launch; what is unknown on a side says why.

    Empty where nothing is predicted. The carve-out is the launch's where the counters have it.
    """
    if analysis is None or not analysis.kernels:
        return ()
    times = () if result.latency is None else (_time(result.latency, analysis),)
    report = result.counters
    pairs = paired(analysis.kernels, report) if report is not None else ()
    return (*times, *(compare(*pairs[0], arch=target.arch) if pairs else ()))


def with_operations(result: ProfileResult, analysis: AnalyzeResult | None) -> ProfileResult:
    """The result with the operations that the analysis counted, where the case has no formula.

    Those of the tensor cores where it uses them, else those of threads.
    """
    if result.flops is not None or result.latency is None or analysis is None:
        return result
    counts = [_operations(kernel) for kernel in analysis.kernels]
    total = sum_or_none(counts)
    if not counts or total is None:
        return result
    missing = {name: why for name, why in result.missing.items() if name != "flops"}
    return dataclasses.replace(result, flops=float(total), missing=missing)


def _operations(kernel: KernelAnalysis) -> Count | None:
    work = kernel.work
    if work is None or work.tensor_flops is None:
        return None
    return work.tensor_flops or work.scalar_flops


def carveout_of(result: ProfileResult) -> int | None:
    """The shared memory of an SM that the driver chose, in bytes; None where no counter tells."""
    launches = result.counters.kernels if result.counters is not None else ()
    found = reading(launches[0], "shared_carveout_bytes") if launches else None
    return None if found is None or found.value is None else int(found.value)


def _time(latency: Latency, analysis: AnalyzeResult) -> Comparison:
    measured, found = latency.median_us, analysis.kernels[0].estimate
    if len(analysis.kernels) > 1:
        return _unknown(measured, "the document launches several kernels, timed together")
    if found is None:
        why = analysis.missing.get("estimate", "the run time was not estimated")
        return _unknown(measured, why)
    difference = measured - found.time_us
    note = found.method
    if found.leaves_out:
        note = f"at least: {', '.join(found.leaves_out)} unknown; {note}"
    return Comparison(TIME, found.time_us, measured, difference, Verdict.DIFFERS, note, True)


def _unknown(measured: float, why: str) -> Comparison:
    return Comparison(TIME, None, measured, None, Verdict.UNKNOWN, why, True)
