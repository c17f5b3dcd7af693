"""Predicted beside measured: whether counters say what an analysis said."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.model import Noise, Quantity, Reading
from workbench.core.counters.predicted import PREDICTIONS, Number, Prediction, Subject
from workbench.core.counters.quantities import quantities
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.targets.model import Architecture

#: What arbitration may add, as a part of the count, where nothing tells exactly: on an NVIDIA H200
#: it mostly added less than half of it.
ARBITRATION = 0.006
#: How far counts of stores in the L1 may be off: 5.2 % was seen on an NVIDIA H200.
STORES = 0.06
#: What the profiler rounds to: six digits behind the point, and hundredths of a percent.
_DIGITS = 1e-6
_ROUNDED = {"occupancy": 0.51e-4}
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
    if _same(predicted, measured, _ROUNDED.get(reading.quantity.key, _DIGITS)):
        return _comparison(reading, prediction, 0, Verdict.EQUAL, prediction.note)
    if _is_arbitration(reading, difference, readings, exact):
        note = f"but for arbitration between warps, which this counter adds: {difference:+,}"
        return _comparison(reading, prediction, difference, Verdict.EQUAL, note)
    if reading.noise is Noise.STORES and abs(difference) <= STORES * measured:
        note = f"this counter is not exact: {Noise.STORES.value}"
        return _comparison(reading, prediction, difference, Verdict.UNKNOWN, note)
    note = prediction.note or (reading.note if reading.noise is not None else None)
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


def _same(predicted: Number, measured: Number, rounded: float) -> bool:
    """Equal, as far as the profiler writes the digits."""
    return math.isclose(predicted, measured, rel_tol=1e-9, abs_tol=rounded)


def _is_arbitration(
    reading: Reading, difference: Number, readings: Mapping[str, Reading], exact: bool
) -> bool:
    """Whether a difference can be of arbitration, by what was counted of it or a part of all."""
    if reading.noise is not Noise.ARBITRATION:
        return False
    counted = readings.get("shared.arbitration")
    if counted is not None and counted.value is not None:
        return exact or abs(difference) <= counted.value
    return exact or abs(difference) <= ARBITRATION * (reading.value or 0)


def _exact_total(subject: Subject, readings: Mapping[str, Reading]) -> bool:
    """Whether the total, which has no noise, is as predicted: then so are its parts."""
    total, predicted = readings.get(_TOTAL), PREDICTIONS[_TOTAL](subject).value
    if total is None or total.value is None or predicted is None:
        return False
    return _same(predicted, total.value, _DIGITS)


def _whole(reading: Reading | None) -> int | None:
    return None if reading is None or reading.value is None else int(reading.value)
