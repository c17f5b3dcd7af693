"""Predicted beside measured: whether counters say what an analysis said."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.model import Quantity, Reading
from workbench.core.counters.predicted import PREDICTIONS, Number, Prediction, Subject
from workbench.core.counters.quantities import quantities
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.targets.model import Architecture

#: What arbitration may add, as a part of the count, where nothing tells exactly: on an NVIDIA H200
#: it mostly added less than half of it.
NOISE = 0.006
_CARVEOUT = "shared_carveout_bytes"
_TOTAL = "shared.wavefronts"
# Left out where the kinds that they consist of were counted apart.
_PARTS = {"shared.loads.wavefronts": "shared.load.wavefronts"}
_PARTS |= {"shared.stores.wavefronts": "shared.store.wavefronts"}


class Verdict(enum.Enum):
    """How a prediction stands to what was measured."""

    EQUAL = "equal"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Comparison:
    """One quantity predicted and measured, in its unit; `difference` is measured less predicted.

    `note` says why it is unknown, or what to know of a difference. An `estimate` comes from a model
    of the machine, so that a difference is its error; others should be equal.
    """

    quantity: Quantity
    predicted: Number | None
    measured: Number | None
    difference: Number | None
    verdict: Verdict
    note: str | None = None
    estimate: bool = False


def compare(
    analysis: KernelAnalysis, counters: KernelCounters, arch: Architecture | None = None
) -> tuple[Comparison, ...]:
    """Everything that was both predicted and measured, in the order of the quantities.

    Occupancy is computed with the carve-out that was measured where `arch` is given. A quantity
    whose metrics were not asked for is left out.
    """
    readings = {each.quantity.key: each for each in quantities(counters)}
    subject = Subject(analysis, arch, _whole(readings.get(_CARVEOUT)))
    exact = _exact_total(subject, readings)
    compared = []
    for key, reading in readings.items():
        if key in PREDICTIONS and _PARTS.get(key) not in readings:
            compared.append(_compared(reading, PREDICTIONS[key](subject), readings, exact))
    return tuple(compared)


def paired(
    analyses: Sequence[KernelAnalysis], report: CounterReport
) -> tuple[tuple[KernelAnalysis, KernelCounters], ...]:
    """The launches of the kernels analysed, each with its analysis; others are left out.

    They are told by their names; a single analysis is that of a single launch of any name.
    """
    if len(analyses) == len(report.kernels) == 1:
        return ((analyses[0], report.kernels[0]),)
    known = {each.name: each for each in analyses}
    names = [(each.name.partition("(")[0].strip(), each) for each in report.kernels]
    return tuple((known[name], each) for name, each in names if name in known)


def _compared(
    reading: Reading,
    prediction: Prediction,
    readings: Mapping[str, Reading],
    exact: bool,
) -> Comparison:
    predicted, measured = prediction.value, reading.value
    if predicted is None or measured is None:
        note = prediction.note if predicted is None else reading.note
        return _comparison(reading, prediction, None, Verdict.UNKNOWN, note)
    difference = measured - predicted
    if _same(predicted, measured):
        return _comparison(reading, prediction, 0, Verdict.EQUAL, prediction.note)
    if reading.noisy and (exact or abs(difference) <= _noise(reading, readings)):
        note = f"but for arbitration between warps, which this counter adds: {difference:+,}"
        return _comparison(reading, prediction, difference, Verdict.EQUAL, note)
    note = prediction.note or (reading.note if reading.noisy else None)
    return _comparison(reading, prediction, difference, Verdict.DIFFERS, note)


def _comparison(
    reading: Reading,
    prediction: Prediction,
    difference: Number | None,
    verdict: Verdict,
    note: str | None,
) -> Comparison:
    return Comparison(
        reading.quantity,
        prediction.value,
        reading.value,
        difference,
        verdict,
        note,
        prediction.estimate,
    )


def _same(predicted: Number, measured: Number) -> bool:
    """Equal as the profiler writes it: six digits behind the point."""
    return math.isclose(predicted, measured, rel_tol=1e-9, abs_tol=1e-6)


def _noise(reading: Reading, readings: Mapping[str, Reading]) -> float:
    """What arbitration may have added: what was counted of it, else a part of all that was."""
    counted = readings.get("shared.arbitration")
    if counted is not None and counted.value is not None:
        return float(counted.value)
    return NOISE * (reading.value or 0)


def _exact_total(subject: Subject, readings: Mapping[str, Reading]) -> bool:
    """Whether the total, which has no noise, is as predicted: then so are its parts."""
    total, predicted = readings.get(_TOTAL), PREDICTIONS[_TOTAL](subject).value
    if total is None or total.value is None or predicted is None:
        return False
    return _same(predicted, total.value)


def _whole(reading: Reading | None) -> int | None:
    return None if reading is None or reading.value is None else int(reading.value)
