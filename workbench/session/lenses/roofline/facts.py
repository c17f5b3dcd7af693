"""What a roofline counts of a kernel: its operations, the bytes of each level, and the ceilings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.estimate import CONSTANTS
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.roofline import Bandwidth, MemoryLevel, Roofline, Unit
from workbench.core.analysis.shared_sites import Count, SharedReport
from workbench.core.analysis.work import Work, WorkUnit
from workbench.core.targets.model import Target, Vendor

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
    """Bytes that a launch moves at a level, None where unknown, and the operations a byte.

    `line` is the one that moves most there.
    """

    level: MemoryLevel
    size_bytes: Count | None
    intensity: float | None
    line: int | None = None


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
    lines: dict[MemoryLevel, int | None] = {}
    if kernel.global_memory is not None:
        traffic, sites = kernel.global_memory.traffic, kernel.global_memory.sites
        sizes[MemoryLevel.DRAM] = _sum(traffic.dram_load_bytes, traffic.dram_store_bytes)
        sizes[MemoryLevel.L2] = _sum(traffic.l2_load_bytes, traffic.l2_store_bytes)
        most = _heaviest([(site.line, site.requested_bytes) for site in sites])
        lines = {MemoryLevel.DRAM: most, MemoryLevel.L2: most}
    if kernel.shared is not None:
        sizes[MemoryLevel.SHARED] = shared_bytes(kernel.shared)
        counts = [(site.line, site.wavefronts) for site in kernel.shared.sites]
        lines[MemoryLevel.SHARED] = _heaviest(counts)
    return tuple(
        Moved(level, size, used.flops / size if used is not None and size else None, lines[level])
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


def heaviest_line(kernel: KernelAnalysis, used: Computed | None) -> int | None:
    """The line that computes most."""
    if used is None or kernel.work is None:
        return None
    return _heaviest([(site.line, site.flops) for site in kernel.work.sites])


def _heaviest(counts: Sequence[tuple[int | None, Count | None]]) -> int | None:
    """The line with the largest count that is known; None without one."""
    known = [(count, line) for line, count in counts if line is not None and count]
    return max(known, key=lambda each: each[0])[1] if known else None


def _sum(one: Count | None, other: Count | None) -> Count | None:
    return None if one is None or other is None else one + other


_WAVEFRONT_BYTES = 128  # a word of 4 bytes from each of 32 banks
_L2_SOURCE = (
    f"assumed, as in the estimated time: {CONSTANTS.l2_bytes:g} bytes a clock and SM (NVIDIA, A100 "
    "white paper: 5120 a clock), at the boost clock"
)
