"""The meters of how fast a draft is predicted to be: intensity, throughput and time."""

from __future__ import annotations

from workbench.core import figures
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.roofline import MemoryLevel, Unit, roofline_of
from workbench.core.targets.model import Vendor
from workbench.session.lenses.bounds import bound_of
from workbench.session.lenses.roofline.facts import (
    Computed,
    computed_by,
    moved_by,
    with_assumed_l2,
)
from workbench.session.patterns.cells import (
    HATCHED,
    NOT_OF_IT,
    Cell,
    Figures,
    estimate_of,
    unknown,
    why_not,
)

_LONG_US = 1e4


def intensity(found: Figures) -> Cell:
    """Operations a byte that comes from L2, and how many keep the unit busy that computes."""
    kernel = found.kernel
    assert kernel is not None
    if found.target.arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    used = computed_by(kernel.work) if kernel.work is not None else None
    moved = {each.level: each.intensity for each in moved_by(kernel, used)}
    value = moved.get(MemoryLevel.L2)
    if used is None and kernel.work is not None and kernel.work.scalar_flops == 0:
        return Cell(NOT_OF_IT, is_known=False, tip="It computes nothing.")
    if used is None or value is None:
        return unknown(why_not(found))
    roofline = with_assumed_l2(roofline_of(found.target), found.target)
    peak = roofline.peak_tflops(used.unit, used.operand, used.accumulator)
    ridge = roofline.ridge(MemoryLevel.L2, peak) if peak else None
    share = min(1.0, value / ridge) if ridge else None
    enough = f"{ridge:.3g} keep the {used.name} busy." if ridge else ""
    note = f"{ridge:.3g} needed" if ridge else ""
    text = f"{value:.3g}" if value >= 1 else f"{value:.2g}"
    return Cell(text, "FLOP/B", "", note, share, tip=f"{enough} {HATCHED}".strip())


def throughput(found: Figures) -> Cell:
    """Operations or bytes a second, whichever tells more of how busy the GPU is."""
    kernel, estimate = found.kernel, estimate_of(found)
    assert kernel is not None
    used = computed_by(kernel.work) if kernel.work is not None else None
    if found.target.arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    if estimate is None or estimate.time_us <= 0:
        return unknown(why_not(found))
    if _is_for_memory(kernel, estimate) or (used is None and kernel.global_memory is not None):
        return _bandwidth(found, kernel, estimate)
    if used is None:
        return unknown("unknown")
    computed = _compute(found, used, estimate)
    if used.unit is Unit.TENSOR or kernel.global_memory is None:
        return computed
    return max(_bandwidth(found, kernel, estimate), computed, key=lambda cell: cell.share or 0.0)


def _compute(found: Figures, used: Computed, estimate: Estimate) -> Cell:
    rate = float(used.flops) / estimate.time_us / 1e6
    peak = roofline_of(found.target).peak_tflops(used.unit, used.operand, used.accumulator)
    note = f"{rate / peak * 100:.0f} % of {peak:,.0f}" if peak else "peak unknown"
    share = min(1.0, rate / peak) if peak else None
    return Cell(figures.number(float(rate)), "TFLOP/s", "", note, share, tip=estimate.method)


def _is_for_memory(kernel: KernelAnalysis, estimate: Estimate) -> bool:
    return estimate.bound == "dram" and kernel.global_memory is not None


def _bandwidth(found: Figures, kernel: KernelAnalysis, estimate: Estimate) -> Cell:
    moved = {each.level: each.size_bytes for each in moved_by(kernel, None)}
    size = moved.get(MemoryLevel.DRAM)
    peak = roofline_of(found.target).bandwidth_gb_s(MemoryLevel.DRAM)
    if not size:
        return unknown("bytes unknown")
    rate = float(size) / estimate.time_us / 1e3
    share = min(1.0, rate / peak) if peak else None
    note = f"{rate / peak * 100:.0f} % of {peak:,.0f}" if peak else ""
    return Cell(figures.number(float(round(rate))), "GB/s", "", note, share, tip=estimate.method)


def time(found: Figures) -> Cell:
    """How long a call takes, and what bounds its longest kernel."""
    estimate = estimate_of(found)
    if estimate is None:
        return unknown(why_not(found))
    whole_us = estimate.time_us + (found.rest_us or 0.0)
    is_long = whole_us >= _LONG_US
    shown = figures.figure(whole_us / 1e3, "ms") if is_long else figures.figure(whole_us, "us")
    least = "≥ " if estimate.leaves_out or found.rest_us is None else ""
    lacks = f"\nNot in it: {', '.join(estimate.leaves_out)}." if estimate.leaves_out else ""
    note = bound_of(estimate.bound).short
    tip = f"{estimate.method}{lacks}{_of_rest(found, estimate)}"
    return Cell(f"{least}{shown.text}", shown.unit, "", note, tip=tip)


def _of_rest(found: Figures, estimate: Estimate) -> str:
    """What of the time the other kernels of the call take."""
    if found.rest_us is None:
        return "\nHow long the other kernels of the call take is unknown."
    if not found.rest_us:
        return ""
    own, rest = (figures.figure(each, "us") for each in (estimate.time_us, found.rest_us))
    return f"\nThe longest kernel takes {own} of it, the others of the call {rest}."
