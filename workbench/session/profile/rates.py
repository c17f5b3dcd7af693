"""What a measured time comes to: operations and bytes a second, of what the device was seen to."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.roofline import Unit
from workbench.core.profiles import Ceilings, ProfileResult
from workbench.session.lenses.roofline.facts import computed_by

#: torch's name of a format by TileLang's, where they differ. A tensor core takes float32 as tf32.
_TORCH_NAMES = {
    "float8_e4m3": "float8_e4m3fn",
    "float32": "tf32",
    "tfloat32": "tf32",
    "float8": "float8_e4m3fn",
    "float8_e5m2": "float8_e4m3fn",
}


@dataclass(frozen=True)
class Share:
    """A rate beside the most that the same device was measured to reach; None is unknown.

    `unit` is "TFLOP/s" or "GB/s". `unknown` says why there is no share, `tip` how it was found.
    """

    name: str
    reached: float | None
    ceiling: float | None
    unit: str
    tip: str
    unknown: str = ""

    @property
    def share(self) -> float | None:
        """The part of the ceiling."""
        if self.reached is None or not self.ceiling:
            return None
        return self.reached / self.ceiling


def tflops_of(result: ProfileResult, kernel: KernelAnalysis | None = None) -> float | None:
    """Operations a second, in 10¹²; None where they are not known.

    Those of the case's formula, else those that the analysis counts in the lowered code.
    """
    flops = result.flops or _counted(kernel)
    if result.latency is None or not flops:
        return None
    return flops / result.latency.median_us / 1e6


def _counted(kernel: KernelAnalysis | None) -> float | None:
    """The operations of the tensor cores that the analysis counts; None without any."""
    work = kernel.work if kernel is not None else None
    used = computed_by(work) if work is not None else None
    return float(used.flops) if used is not None and used.unit is Unit.TENSOR else None


def gb_s_of(result: ProfileResult) -> float | None:
    """Bytes of all inputs and outputs a second, in 10⁹."""
    if result.latency is None or not result.bytes_moved:
        return None
    return result.bytes_moved / result.latency.median_us / 1e3


def shares_of(result: ProfileResult, kernel: KernelAnalysis | None) -> tuple[Share, ...]:
    """The shares of the matmul rate and of the copy bandwidth, in that order.

    A kernel that is known to use no tensor core has none of the matmul rate.
    """
    found = [_matmul(result, kernel), _copy(result)]
    return tuple(each for each in found if each is not None)


def best_share(shares: tuple[Share, ...]) -> Share | None:
    """The share that comes closest to its ceiling: what bounds the kernel, if anything does."""
    known = [each for each in shares if each.share is not None]
    return max(known, key=lambda each: each.share or 0.0, default=None)


def _matmul(result: ProfileResult, kernel: KernelAnalysis | None) -> Share | None:
    reached = tflops_of(result, kernel)
    tip = _RATE_TIP if result.flops else _COUNTED_TIP
    work = kernel.work if kernel is not None else None
    used = computed_by(work) if work is not None else None
    if (work is not None and (used is None or used.unit is not Unit.TENSOR)) or reached is None:
        return None
    if used is None:
        why = "the format that it multiplies is known once the kernel is analyzed for this GPU"
        return Share("Matmul rate", reached, None, "TFLOP/s", tip, why)
    dtype = _TORCH_NAMES.get(used.operand, used.operand)
    name = f"Matmul rate, {dtype}"
    rates = result.ceilings.matmul_tflops if result.ceilings is not None else {}
    if dtype not in rates:
        why = _why_no_ceiling(result, f"no matmul of {dtype} was measured on this device")
        return Share(name, reached, None, "TFLOP/s", tip, why)
    return Share(name, reached, rates[dtype], "TFLOP/s", _tip(tip, result.ceilings))


def _copy(result: ProfileResult) -> Share | None:
    reached = gb_s_of(result)
    if reached is None:
        return None
    most = result.ceilings.copy_gb_s if result.ceilings is not None else None
    if most is None:
        why = _why_no_ceiling(result, "no copy was measured on this device")
        return Share("Copy bandwidth", reached, None, "GB/s", _COPY_TIP, why)
    return Share("Copy bandwidth", reached, most, "GB/s", _tip(_COPY_TIP, result.ceilings))


def _why_no_ceiling(result: ProfileResult, usual: str) -> str:
    return result.missing.get("ceilings", usual)


def _tip(text: str, ceilings: Ceilings | None) -> str:
    if ceilings is None:
        return text
    when = ceilings.measured[:16].replace("T", " ")
    how = f", {ceilings.method}" if ceilings.method else ""
    return f"{text}\nThe most was measured on this {ceilings.device} at {when}{how}."


_RATE_TIP = "Operations of one launch by the case's formula, over the median time."
_COUNTED_TIP = "Operations counted in the lowered code, over the median time."
_COPY_TIP = "Bytes of every input and output once, over the median time."
