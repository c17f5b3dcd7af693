"""One target's roofline: its ceilings, and where the kernel stands below them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.launch_findings import blocks_of
from workbench.core.analysis.roofline import (
    Attainable,
    Bandwidth,
    MemoryLevel,
    Peak,
    Roofline,
    attainable,
    roofline_of,
)
from workbench.session.lenses.roofline.facts import (
    Computed,
    Moved,
    computed_by,
    heaviest_line,
    moved_by,
    with_assumed_l2,
)
from workbench.session.lenses.subject import LensTarget


@dataclass(frozen=True)
class Rate:
    """A launch's time and what it comes to: TFLOP/s, or TB/s of DRAM where nothing is computed."""

    time_us: float
    tera: float
    method: str


@dataclass(frozen=True)
class Series:
    """One target. `allowed` is what the ceilings allow at the kernel's intensities.

    `predicted` is None where no time is predicted, of which `unknown` says why; then only the
    intensity is told. `is_least` says that the predicted time leaves something out. `measured` is
    the rate of a profiled run, `before` where the kernel stood with the case's own arguments.
    `idle` are the cores that no block runs on, and all of them, where there are such.
    `estimate_bound` is what bounds the predicted time, which may be no ceiling at all: latency.
    """

    label: str
    mark: int
    roofline: Roofline
    computed: Computed | None
    moved: tuple[Moved, ...]
    allowed: Attainable | None
    predicted: Rate | None
    unknown: str = ""
    is_least: bool = False
    measured: Rate | None = None
    before: tuple[float, float] | None = None
    line: int | None = None
    estimate_bound: str | None = None
    idle: tuple[int, int] | None = None
    name: str = ""

    @property
    def peak(self) -> float | None:
        """The peak of the format that the kernel uses, TFLOP/s."""
        used = self.computed
        if used is None:
            return None
        return self.roofline.peak_tflops(used.unit, used.operand, used.accumulator)

    @property
    def intensity(self) -> float | None:
        """Operations a byte of DRAM."""
        dram = self.moved_at(MemoryLevel.DRAM)
        return dram.intensity if dram is not None else None

    @property
    def unknown_levels(self) -> tuple[str, ...]:
        """The levels whose ceilings are not known, though the kernel moves bytes there."""
        names = {level.value for level in MemoryLevel}
        unknown = self.allowed.unknown if self.allowed is not None else ()
        return tuple(name for name in unknown if name in names)

    def moved_at(self, level: MemoryLevel) -> Moved | None:
        """What is moved at a level; None where nothing is, or it is not known."""
        return next((each for each in self.moved if each.level is level), None)

    def bandwidth(self, level: MemoryLevel) -> Bandwidth:
        """The line of a level."""
        return next(line for line in self.roofline.bandwidths if line.level is level)

    @property
    def share(self) -> float | None:
        """The predicted part of what the ceilings allow: of the bandwidth without operations."""
        most = self.allowed.most_tflops if self.allowed is not None else None
        if self.computed is None:
            bandwidth = self.roofline.bandwidth_gb_s(MemoryLevel.DRAM)
            most = None if bandwidth is None else bandwidth / 1e3
        if self.predicted is None or not most:
            return None
        return self.predicted.tera / most

    @property
    def bound(self) -> str | None:
        """The name of the lowest ceiling, as `Attainable` has it."""
        return self.allowed.bound if self.allowed is not None else None

    @property
    def ridge(self) -> float | None:
        """Operations a byte of DRAM from which on it no longer limits the peak in use."""
        return self.roofline.ridge(MemoryLevel.DRAM, self.peak) if self.peak else None

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """Where the kernel stands or stood, as operations a byte of DRAM and TFLOP/s."""
        rates = [rate for rate in (self.predicted, self.measured) if rate is not None]
        own = [(self.intensity, rate.tera) for rate in rates if self.intensity is not None]
        return (*own, *([self.before] if self.before is not None else []))

    @property
    def level_shares(self) -> tuple[tuple[MemoryLevel, float], ...]:
        """The part of each level's bandwidth that the predicted time uses, where both are known."""
        if self.predicted is None:
            return ()
        rates = [
            (each.level, each.size_bytes / self.predicted.time_us / 1e3)
            for each in self.moved
            if each.size_bytes is not None
        ]
        lines = {line.level: line.gb_s for line in self.roofline.bandwidths}
        return tuple((level, rate / most) for level, rate in rates if (most := lines[level]))

    @property
    def used_peaks(self) -> tuple[float, ...]:
        """The peaks of the unit in use, TFLOP/s."""
        used = self.computed
        return tuple(e.tflops for e in self.roofline.peaks if used and e.unit is used.unit)

    @property
    def peaks(self) -> tuple[Peak, ...]:
        """The peaks of all formats, highest first."""
        return tuple(sorted(self.roofline.peaks, key=lambda each: -each.tflops))


def series_of(
    target: LensTarget, before: LensTarget | None = None, measured_us: float | None = None
) -> Series | str:
    """A target's roofline with the kernel in it; why it has none, where it has not."""
    if target.target.model is None:
        return "an architecture alone has neither bandwidth nor peak: choose one of its models"
    kernel = target.kernel
    if kernel is None:
        return target.why_missing("work")
    found = _series(target, kernel)
    if measured_us is not None:
        found = replace(found, measured=_rate(found, measured_us, "measured"))
    return replace(found, before=_place_before(found, before))


def _series(target: LensTarget, kernel: KernelAnalysis) -> Series:
    roofline = with_assumed_l2(roofline_of(target.target), target.target)
    used = computed_by(kernel.work) if kernel.work is not None else None
    moved = moved_by(kernel, used)
    intensity = {each.level: each.intensity for each in moved if each.intensity is not None}
    allowed = None
    if used is not None:
        allowed = attainable(roofline, intensity, used.unit, used.operand, used.accumulator)
    bare = Series(target.label, target.mark, roofline, used, moved, allowed, None)
    bare = replace(bare, name=target.target.name, line=heaviest_line(kernel, used))
    time = kernel.estimate
    if time is None:
        return replace(bare, unknown=target.why_missing("estimate"))
    return replace(
        bare,
        predicted=_rate(bare, time.time_us, time.method),
        unknown=_why_no_rate(bare, target),
        is_least=bool(time.leaves_out),
        estimate_bound=time.bound,
        idle=_idle_cores(target, kernel),
    )


def _idle_cores(target: LensTarget, kernel: KernelAnalysis) -> tuple[int, int] | None:
    blocks, cores = blocks_of(kernel), next(iter(target.target.sm_counts.values()), 0)
    return (cores - blocks, cores) if blocks is not None and blocks < cores else None


def _rate(series: Series, time_us: float, method: str) -> Rate | None:
    """What a time comes to; None where neither operations nor bytes of DRAM are known."""
    dram = series.moved_at(MemoryLevel.DRAM)
    moved = dram.size_bytes if dram is not None else None
    total = series.computed.flops if series.computed else moved
    return None if total is None else Rate(time_us, total / time_us / 1e6, method)


def _why_no_rate(series: Series, target: LensTarget) -> str:
    if series.computed is None and not series.moved:
        return f"operations and bytes are unknown: {target.why_missing('work')}"
    return ""


def _place_before(now: Series, before: LensTarget | None) -> tuple[float, float] | None:
    """Where the kernel stood with other arguments, if elsewhere."""
    if before is None or before.kernel is None:
        return None
    was = _series(before, before.kernel)
    if was.intensity is None or was.predicted is None or was.computed is None:
        return None
    place = (was.intensity, was.predicted.tera)
    here = (now.intensity, now.predicted.tera) if now.predicted is not None else None
    return None if place == here else place
