"""One target's roofline: its ceilings, and where the kernel stands below them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.core.analysis.estimate import CONSTANTS
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.roofline import (
    Attainable,
    Bandwidth,
    MemoryLevel,
    Peak,
    Roofline,
    Unit,
    attainable,
    roofline_of,
)
from workbench.core.analysis.shared_sites import Count, SharedReport
from workbench.core.analysis.work import Work, WorkUnit
from workbench.core.targets.model import Target, Vendor
from workbench.session.lenses.subject import LensTarget

LEVELS = (MemoryLevel.DRAM, MemoryLevel.L2, MemoryLevel.SHARED)


@dataclass(frozen=True)
class Computed:
    """The operations that stand for the kernel: those of the tensor cores where it has any.

    `operand` and `accumulator` are TileLang's dtype names of most of them.
    """

    unit: Unit
    operand: str
    accumulator: str | None
    flops: Count

    @property
    def name(self) -> str:
        """The unit and its format in words."""
        what = "tensor cores" if self.unit is Unit.TENSOR else "vector units"
        return f"{what}, {self.operand}"


@dataclass(frozen=True)
class Moved:
    """Bytes that a launch moves at a level, None where unknown, and the operations a byte."""

    level: MemoryLevel
    size_bytes: Count | None
    intensity: float | None


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
    `estimate_bound` is what the estimate says that most of the time goes to.
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
    estimate_bound: str = "unknown"
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
    bare = replace(bare, name=target.target.name, line=_line(kernel, used))
    time = kernel.estimate
    if time is None:
        return replace(bare, unknown=target.why_missing("estimate"))
    return replace(
        bare,
        predicted=_rate(bare, time.time_us, time.method),
        unknown=_why_no_rate(bare, target),
        is_least=bool(time.leaves_out),
        estimate_bound=time.bound,
    )


def computed_by(work: Work) -> Computed | None:
    """The operations that a roofline counts; None where there are none or they are unknown."""
    formats = work.tensor_formats()
    if formats:
        name = max(formats, key=formats.__getitem__)
        operand, _, accumulator = name.partition("->")
        return Computed(Unit.TENSOR, operand, accumulator or None, sum(formats.values()))
    flops = work.scalar_flops
    if not flops:
        return None
    kinds: dict[str, Count] = {}
    for site in work.sites:
        if site.unit is WorkUnit.FLOAT and site.flops:
            kinds[site.dtype] = kinds.get(site.dtype, 0) + site.flops
    dtype = max(kinds, key=kinds.__getitem__, default="float32")
    return Computed(Unit.VECTOR, dtype, None, flops)


def moved_by(kernel: KernelAnalysis, used: Computed | None) -> tuple[Moved, ...]:
    """What is known of the bytes at each level: of shared memory those that its wavefronts could.

    A level that moves nothing is left out.
    """
    sizes: dict[MemoryLevel, Count | None] = {}
    if kernel.global_memory is not None:
        traffic = kernel.global_memory.traffic
        sizes[MemoryLevel.DRAM] = _sum(traffic.dram_load_bytes, traffic.dram_store_bytes)
        sizes[MemoryLevel.L2] = _sum(traffic.l2_load_bytes, traffic.l2_store_bytes)
    if kernel.shared is not None:
        sizes[MemoryLevel.SHARED] = shared_bytes(kernel.shared)
    return tuple(
        Moved(level, size, used.flops / size if used is not None and size else None)
        for level, size in sizes.items()
        if size != 0
    )


def shared_bytes(report: SharedReport) -> Count | None:
    """Bytes that the wavefronts could move, 32 words each; None where some are unknown."""
    counts = [total.wavefronts for total in report.totals]
    known = [count for count in counts if count is not None]
    return sum(known) * _WAVEFRONT_BYTES if len(known) == len(counts) else None


def with_assumed_l2(roofline: Roofline, target: Target) -> Roofline:
    """The roofline with a bandwidth of the L2 as the estimate assumes it, where none is known."""
    model = target.model
    if model is None or model.sm_count is None or model.boost_clock_mhz is None:
        return roofline
    if target.arch.vendor is not Vendor.NVIDIA or roofline.bandwidth_gb_s(MemoryLevel.L2):
        return roofline
    rate = CONSTANTS.l2_bytes * model.sm_count * model.boost_clock_mhz / 1e3
    assumed = Bandwidth(MemoryLevel.L2, rate, _L2_SOURCE)
    lines = [assumed if each.level is MemoryLevel.L2 else each for each in roofline.bandwidths]
    return replace(roofline, bandwidths=tuple(lines))


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


def _line(kernel: KernelAnalysis, used: Computed | None) -> int | None:
    """The line that computes most."""
    if used is None or kernel.work is None:
        return None
    sites = [site for site in kernel.work.sites if site.flops and site.line is not None]
    most = max(sites, key=lambda site: site.flops or 0, default=None)
    return most.line if most is not None else None


def _sum(one: Count | None, other: Count | None) -> Count | None:
    return None if one is None or other is None else one + other


_WAVEFRONT_BYTES = 128  # a word of 4 bytes from each of 32 banks
_L2_SOURCE = (
    f"assumed, as in the estimated time: {CONSTANTS.l2_bytes:g} bytes a clock and SM (NVIDIA, A100 "
    "white paper: 5120 a clock), at the boost clock"
)
