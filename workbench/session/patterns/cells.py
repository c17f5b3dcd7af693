"""What is known of a draft on a target, and a figure of it as a meter shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.jobs import Resources
from workbench.core.targets.model import Target

NOT_OF_IT = "not of this target"
HATCHED = "Predicted; nothing was measured."


@dataclass(frozen=True)
class Figures:
    """What is known of a draft on one target.

    `kernel` comes from lowering, or where `is_quick` from the source and what lowering made of the
    earlier one, which is `last`. `is_stale` says that it is of earlier choices. `registers` are of
    a compile of this text. `why` says why there is no kernel, which is the compiler's word where it
    `is_refused`; `rest_us` is what other kernels of the call take; `missing` says why a part is
    unknown.
    """

    target: Target
    kernel: KernelAnalysis | None = None
    registers: Resources | None = None
    is_quick: bool = False
    is_stale: bool = False
    why: str = "lowering follows"
    is_refused: bool = False
    rest_us: float | None = 0.0
    last: KernelAnalysis | None = None
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """A figure: value and unit, what it is of, a note below, and its bar.

    `share` fills the bar up to 1, `limit` is where the capacity ends in it; None draws no bar. What
    a compiler has counted is no prediction.
    """

    value: str
    unit: str = ""
    of: str = ""
    note: str = ""
    share: float | None = None
    limit: float | None = None
    is_over: bool = False
    is_stale: bool = False
    is_known: bool = True
    is_counted: bool = False
    tip: str = ""


def unknown(why: str) -> Cell:
    """A gap that says so."""
    return Cell("—", note=why, is_known=False, tip=why)


def estimate_of(found: Figures) -> Estimate | None:
    """The estimate of a draft's longest kernel; None where there is none."""
    return found.kernel.estimate if found.kernel is not None else None


def why_not(found: Figures, part: str = "estimate") -> str:
    """Why a part of what is known is missing."""
    return "lowering follows" if found.is_quick else found.missing.get(part, "unknown")
