"""What an analysis predicts of the quantities that counters hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.kernel_analysis import Extents, KernelAnalysis
from workbench.core.analysis.occupancy import Occupancy, occupancy_of
from workbench.core.analysis.shared_sites import SharedKind, SharedReport, SharedTotal, sum_or_none
from workbench.core.analysis.traffic import SECTOR_BYTES
from workbench.core.counters.launch_quantities import REGISTER_FLOOR
from workbench.core.targets.model import Architecture

Number = int | float
NO_CODE = "unknown without the machine code"


@dataclass(frozen=True)
class Prediction:
    """A predicted value, or None and the reason; `note` says what to know of it.

    An `estimate` comes from a model of the machine; the others are computed of the code.
    """

    value: Number | None
    note: str | None = None
    estimate: bool = False


@dataclass(frozen=True)
class Subject:
    """An analysis, and what of the launch it is to be computed with.

    `arch` is what the code ran on, None if unknown; `carveout_bytes` what the driver chose.
    """

    analysis: KernelAnalysis
    arch: Architecture | None = None
    carveout_bytes: int | None = None

    def occupancy(self) -> Occupancy | None:
        """The occupancy with the carve-out of the launch, else as it was analysed."""
        block = self.analysis.block_resources
        if self.arch is None or block is None or self.carveout_bytes is None:
            return self.analysis.occupancy
        return occupancy_of(block, self.arch, self.carveout_bytes)


Predict = Callable[[Subject], Prediction]


def _extent(of: Callable[[KernelAnalysis], Extents]) -> Predict:
    def predict(subject: Subject) -> Prediction:
        extents = of(subject.analysis)
        known = [each for each in extents if each is not None]
        if len(known) < len(extents):
            return Prediction(None, "it depends on a dynamic size")
        return Prediction(math.prod(known))

    return predict


def _registers(subject: Subject) -> Prediction:
    block = subject.analysis.block_resources
    if block is None or block.registers is None:
        return Prediction(None, NO_CODE)
    if block.registers < REGISTER_FLOOR:
        note = f"the code needs {block.registers}; no launch has fewer than {REGISTER_FLOOR}"
        return Prediction(REGISTER_FLOOR, note)
    return Prediction(block.registers)


def _static_bytes(subject: Subject) -> Prediction:
    block = subject.analysis.block_resources
    return Prediction(None, NO_CODE) if block is None else Prediction(block.static_shared_bytes)


def _dynamic_bytes(subject: Subject) -> Prediction:
    block = subject.analysis.block_resources
    found = subject.analysis.shared_dynamic_bytes
    if found is None and block is not None:
        found = block.dynamic_shared_bytes
    return Prediction(found, None if found is not None else "it depends on a dynamic size")


def _limit(resource: Resource) -> Predict:
    def predict(subject: Subject) -> Prediction:
        found = subject.occupancy()
        if found is None:
            return Prediction(None, "no rules of occupancy are known for this architecture")
        for limit in found.limits:
            if limit.resource is resource:
                return Prediction(limit.blocks, NO_CODE if limit.blocks is None else None)
        return Prediction(None, "the block does not use it")

    return predict


def _theoretical(subject: Subject) -> Prediction:
    found = subject.occupancy()
    if found is None:
        return Prediction(None, "no rules of occupancy are known for this architecture")
    if found.fraction is None:
        return Prediction(None, NO_CODE)
    given = "" if found.carveout.given else "with the largest carve-out, which is assumed"
    return Prediction(found.fraction, given or None)


def _shared(of: Callable[[SharedReport], tuple[Number | None, str | None]]) -> Predict:
    def predict(subject: Subject) -> Prediction:
        report = subject.analysis.shared
        if report is None:
            return Prediction(None, "shared memory was not analysed")
        value, reason = of(report)
        return Prediction(value, reason if value is None else report.lacks)

    return predict


def _counted(report: SharedReport) -> list[SharedTotal]:
    """The totals of what counters see: of bulk copies they see nothing."""
    return [total for total in report.totals if total.kind is not SharedKind.BULK_COPY]


def _kinds(field: str, *kinds: SharedKind) -> Predict:
    def of(report: SharedReport) -> tuple[Number | None, str | None]:
        present = {total.kind for total in report.totals}
        if SharedKind.FLOAT_ATOMIC in present and not _UNMIXED.issuperset(kinds):
            return None, "floating-point atomics are counted among them, and how often is unknown"
        own = [total for total in report.totals if total.kind in kinds]
        reasons = [reason for total in own for reason in total.unknown]
        return sum_or_none([getattr(total, field) for total in own]), "; ".join(reasons) or None

    return _shared(of)


_UNMIXED = frozenset(SharedKind) - {SharedKind.INTEGER_ATOMIC, SharedKind.TENSOR}


def _wavefronts(report: SharedReport) -> tuple[Number | None, str | None]:
    own = _counted(report)
    reasons = dict.fromkeys(reason for total in own for reason in total.unknown)
    return sum_or_none([total.wavefronts for total in own]), "; ".join(reasons) or None


def _ideal(report: SharedReport) -> tuple[Number | None, str | None]:
    own = [site for site in report.sites if site.kind is not SharedKind.BULK_COPY]
    reasons = dict.fromkeys(site.unknown for site in own if site.unknown is not None)
    return sum_or_none([site.least for site in own]), "; ".join(reasons) or None


def _global(field: str) -> Predict:
    def predict(subject: Subject) -> Prediction:
        report = subject.analysis.global_memory
        if report is None:
            return Prediction(None, "global memory was not analysed")
        value = getattr(report.totals, field, None)
        return Prediction(value, report.lacks if value is not None else _why(report.totals.unknown))

    return predict


def _bulk(field: str) -> Predict:
    def predict(subject: Subject) -> Prediction:
        report = subject.analysis.global_memory
        if report is None:
            return Prediction(None, "global memory was not analysed")
        value = getattr(report, field)
        return Prediction(value, None if value is not None else _why(report.totals.unknown))

    return predict


def _traffic(field: str, scale: int = 1, note: str = "estimated") -> Predict:
    def predict(subject: Subject) -> Prediction:
        report = subject.analysis.global_memory
        value = None if report is None else getattr(report.traffic, field)
        if value is None:
            return Prediction(None, "the traffic is not known", estimate=True)
        return Prediction(value / scale, note, estimate=True)

    return predict


def _why(reasons: tuple[str, ...]) -> str:
    return "; ".join(reasons) or "not known"


def _time(subject: Subject) -> Prediction:
    found = subject.analysis.estimate
    if found is None:
        return Prediction(None, "the run time was not estimated", estimate=True)
    return Prediction(found.time_us, f"estimated: {found.method}", estimate=True)


_MEASURED_KINDS = tuple(
    kind for kind in SharedKind if kind not in (SharedKind.BULK_COPY, SharedKind.FLOAT_ATOMIC)
)
_BOTH = {
    "loads": (SharedKind.LOAD, SharedKind.LDMATRIX),
    "stores": (SharedKind.STORE, SharedKind.STMATRIX),
}
_LIMITS = {
    "warps": Resource.WARPS,
    "blocks": Resource.BLOCKS,
    "registers": Resource.REGISTERS,
    "shared_memory": Resource.SHARED,
    "barriers": Resource.BARRIERS,
}
# Before a kernel ended an H200 had written nothing of 8 MiB of output, 6 % of 16, 99 % of 32.
_WRITTEN = "estimated: what the kernel stores, of which the L2 writes back a part after its end"
#: What predicts a quantity, by its key.
PREDICTIONS: Mapping[str, Predict] = {
    "profiled_time_us": _time,
    "grid_size": _extent(lambda analysis: analysis.grid),
    "block_size": _extent(lambda analysis: analysis.block),
    "registers": _registers,
    "shared_static_bytes": _static_bytes,
    "shared_dynamic_bytes": _dynamic_bytes,
    "occupancy": _theoretical,
    **{f"occupancy_limit.{name}": _limit(resource) for name, resource in _LIMITS.items()},
    "shared.wavefronts": _shared(_wavefronts),
    "shared.ideal": _shared(_ideal),
    **{
        f"shared.{kind.value}.{field}": _kinds(field, kind)
        for kind in _MEASURED_KINDS
        for field in ("wavefronts", "conflicts", "instructions")
    },
    **{
        f"shared.{name}.{field}": _kinds(field, *kinds)
        for name, kinds in _BOTH.items()
        for field in ("wavefronts", "conflicts")
    },
    "global.load_sectors": _global("load_sectors"),
    "global.store_sectors": _global("store_sectors"),
    "global.bulk_load_bytes": _bulk("bulk_load_bytes"),
    "global.bulk_store_bytes": _bulk("bulk_store_bytes"),
    "l2.sm_sectors": _traffic("l2_load_bytes", SECTOR_BYTES),
    "dram.read_bytes": _traffic("dram_load_bytes"),
    "dram.write_bytes": _traffic("dram_store_bytes", note=_WRITTEN),
}
