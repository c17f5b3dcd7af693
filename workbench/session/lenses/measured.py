"""What was measured of the kernel that a lens shows, beside what it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.against import Comparison, Verdict, compare, paired
from workbench.core.counters.model import Group
from workbench.core.counters.quantities import reading
from workbench.core.figures import number
from workbench.core.profiles import CounterReport, KernelCounters, ProfileResult
from workbench.core.targets.model import Architecture

_WAVES = "memory_l1_wavefronts_shared"
_TOTAL, _IDEAL = "shared.wavefronts", "shared.ideal"


@dataclass(frozen=True)
class Measured:
    """A profile of the very text, for one target; `arch` is the device's."""

    result: ProfileResult
    arch: Architecture

    @property
    def time_us(self) -> float | None:
        """The median time of a launch; None where none was measured."""
        latency = self.result.latency
        return latency.median_us if latency is not None else None

    @property
    def device(self) -> str:
        """The name of the device."""
        return self.result.device.name if self.result.device is not None else "the device"

    def counters(self, kernel: KernelAnalysis | None) -> KernelCounters | None:
        """The counters of a kernel; None where none were read of it."""
        report: CounterReport | None = self.result.counters
        if report is None or kernel is None:
            return None
        return next((found for _, found in paired([kernel], report)), None)

    def value(self, kernel: KernelAnalysis | None, key: str) -> float | None:
        """A quantity of a kernel by its key; None where it was not measured."""
        counters = self.counters(kernel)
        found = reading(counters, key) if counters is not None else None
        return found.value if found is not None else None

    def compared(self, kernel: KernelAnalysis | None, *groups: Group) -> list[Comparison]:
        """What of these groups was both predicted and measured."""
        counters = self.counters(kernel)
        if counters is None or kernel is None:
            return []
        found = compare(kernel, counters, self.arch)
        return [each for each in found if each.quantity.group in groups]

    def wavefronts_of(self, kernel: KernelAnalysis | None, line: int | None) -> float | None:
        """The wavefronts that were counted for a line; None where lines were not counted."""
        counters = self.counters(kernel)
        lines = counters.lines if counters is not None else ()
        return next((each.values.get(_WAVES) for each in lines if each.line == line), None)


def wavefronts_sentence(measured: Measured | None, kernel: KernelAnalysis | None) -> str:
    """How the measured wavefronts stand to the predicted ones; empty where none were measured."""
    if measured is None:
        return ""
    found = measured.compared(kernel, Group.WAVEFRONTS, Group.CONFLICTS)
    total = next((each for each in found if each.quantity.key == _TOTAL), None)
    kinds = [each for each in found if each.quantity.key not in (_TOTAL, _IDEAL)]
    if total is None or total.measured is None:
        return ""
    head = f"Measured on {measured.device}: {_whole(total.measured)} wavefronts"
    parts = [f"{head}, {_against(total)}", *_kind_words(kinds)]
    return f"{'; '.join(parts)}."


def _kind_words(kinds: Sequence[Comparison]) -> list[str]:
    """The kinds that differ from their predictions, else that none does."""
    wrong = [each for each in kinds if each.verdict is Verdict.DIFFERS]
    if wrong:
        return [f"{_what(each)} {_whole(each.measured or 0)}, {_against(each)}" for each in wrong]
    known = [each for each in kinds if each.verdict is Verdict.EQUAL and each.measured]
    return ["so is every kind of access"] if len(known) > 1 else []


def _what(found: Comparison) -> str:
    kind = "conflicts of " if found.quantity.group is Group.CONFLICTS else ""
    return f"{kind}{found.quantity.title}"


def _against(found: Comparison) -> str:
    if found.verdict is Verdict.EQUAL:
        return "as predicted"
    if found.predicted is None:
        return "which was not predicted"
    return f"of which {_whole(found.predicted)} were predicted"


def _whole(value: float) -> str:
    return number(int(value)) if float(value).is_integer() else number(value)
