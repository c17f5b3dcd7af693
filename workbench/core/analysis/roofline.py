"""The roofline of a target: its bandwidths by memory level, its peaks, and the rate they allow."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.targets.model import GpuModel, Target


class MemoryLevel(enum.Enum):
    """Where bytes come from, farthest first."""

    DRAM = "dram"
    L2 = "l2"
    L1 = "l1"
    SHARED = "shared"


class Unit(enum.Enum):
    """What computes."""

    TENSOR = "tensor"
    VECTOR = "vector"


@dataclass(frozen=True)
class Bandwidth:
    """A slanted line; GB/s (10⁹ bytes), None where unknown."""

    level: MemoryLevel
    gb_s: float | None
    source: str | None


@dataclass(frozen=True)
class Peak:
    """A flat line; TFLOP/s (10¹², TOP/s for integers) of one operand format.

    `name` is the key of the model's peaks, such as "float16" or "float16->float16".
    """

    unit: Unit
    name: str
    tflops: float
    source: str | None


@dataclass(frozen=True)
class Attainable:
    """The rate that the ceilings allow; None where one of them is unknown.

    `most_tflops` is what the known ceilings allow, and `bound` the name of the lowest of them:
    a memory level, or the unit and format. `unknown` names the ceilings that are not known.
    """

    tflops: float | None
    most_tflops: float | None
    bound: str | None
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Roofline:
    """All ceilings of a target. `bandwidths` has every level, `peaks` those that are known."""

    bandwidths: tuple[Bandwidth, ...]
    peaks: tuple[Peak, ...]
    model: GpuModel | None

    def bandwidth_gb_s(self, level: MemoryLevel) -> float | None:
        """The bandwidth of a level; None where unknown."""
        return next(line.gb_s for line in self.bandwidths if line.level is level)

    def peak_tflops(self, unit: Unit, operand: str, accumulator: str | None = None) -> float | None:
        """The peak for TileLang's dtype names; None where unknown."""
        if self.model is None:
            return None
        if unit is Unit.TENSOR:
            return self.model.tensor_peak_tflops(operand, accumulator)
        return self.model.vector_peak_tflops(operand)

    def ridge(self, level: MemoryLevel, tflops: float) -> float | None:
        """FLOP a byte from which on the level no longer limits a peak; None where unknown."""
        bandwidth = self.bandwidth_gb_s(level)
        return None if bandwidth is None else tflops * 1e3 / bandwidth


def roofline_of(target: Target) -> Roofline:
    """The ceilings of a target; an architecture alone has bandwidths of None and no peaks.

    The peaks are the device's, also where the target is lowered for an older architecture, whose
    tensor instructions may not reach them.
    """
    model = target.model
    dram = model.number("bandwidth_gb_s") if model else None
    return Roofline(
        bandwidths=(
            Bandwidth(
                MemoryLevel.DRAM,
                model.bandwidth_gb_s if model else None,
                dram.source if dram else None,
            ),
            Bandwidth(MemoryLevel.L2, None, None),
            Bandwidth(MemoryLevel.L1, None, None),
            _shared(target),
        ),
        peaks=_peaks(model) if model else (),
        model=model,
    )


def attainable(
    roofline: Roofline,
    intensity: Mapping[MemoryLevel, float],
    unit: Unit,
    operand: str,
    accumulator: str | None = None,
) -> Attainable:
    """The rate at FLOP a byte of each level named, infinite where a level moves no byte.

    Source: Williams, Waterman, Patterson, Roofline, CACM 52 (2009): the smallest of the peak and
    intensity times bandwidth, here of several levels. Levels that are not named do not limit.
    """
    peak = roofline.peak_tflops(unit, operand, accumulator)
    ceilings = {f"{unit.value} {operand}": peak}
    for level, flop_per_byte in intensity.items():
        bandwidth = roofline.bandwidth_gb_s(level)
        ceilings[level.value] = None if bandwidth is None else flop_per_byte * bandwidth / 1e3
    known = {name: rate for name, rate in ceilings.items() if rate is not None}
    bound = min(known, key=known.__getitem__, default=None)
    most = known[bound] if bound is not None else None
    unknown = tuple(name for name in ceilings if name not in known)
    return Attainable(None if unknown else most, most, bound, unknown)


def _shared(target: Target) -> Bandwidth:
    """All banks of all SMs at the boost clock, one word each a clock."""
    model, limits = target.model, target.arch.limits
    factors = (
        limits.shared_banks,
        limits.shared_bank_bytes,
        model.sm_count if model else None,
        model.boost_clock_mhz if model else None,
    )
    rate = 1.0
    for factor in factors:
        if factor is None:
            return Bandwidth(MemoryLevel.SHARED, None, None)
        rate *= factor
    method = "computed: {} banks x {} bytes x {} SMs x {} MHz, one word of a bank a clock"
    return Bandwidth(MemoryLevel.SHARED, rate / 1e3, method.format(*factors))


def _peaks(model: GpuModel) -> tuple[Peak, ...]:
    return tuple(
        Peak(unit, name, tflops, model.sources.get(f"{unit.value}_tflops.{name}"))
        for unit, table in ((Unit.TENSOR, model.tensor_tflops), (Unit.VECTOR, model.vector_tflops))
        for name, tflops in table.items()
    )
