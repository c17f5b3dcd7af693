"""The numbers of a profile: predicted beside measured, counters, stalls, and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.against import Comparison, Verdict, compare, paired
from workbench.core.counters.model import Reading
from workbench.core.counters.quantities import BY_KEY, QUANTITIES, quantities
from workbench.core.counters.source_csv import SAMPLES
from workbench.core.figures import figure
from workbench.core.profiles import CounterReport, KernelCounters, LineCounters, ProfileResult
from workbench.core.targets.model import Architecture
from workbench.session.profile.words import signed_percent, time_text

_CLOSE = 0.1  # of the measured value: an estimate this near is called right
_EXACT = frozenset(
    name for each in QUANTITIES for candidate in each.candidates for name in candidate.metrics
)
_STALL = "smsp__pcsamp_warps_issue_stalled_"
#: Reasons whose samples have another name than their cycles.
_OTHER_NAMES = {"no_instructions": "no_instruction", "warpgroup_arrive": "gmma"}
_WAVES, _IDEAL = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"


@dataclass(frozen=True)
class ComparedRow:
    """One quantity. Texts have their unit; `difference` is predicted against measured.

    `verdict` is "equal", "close" of an estimate, "differs" or "unknown"; `tip` says more of it.
    """

    group: str
    title: str
    predicted: str
    measured: str
    difference: str
    verdict: str
    tip: str = ""
    estimate: bool = False
    order: float | None = None


@dataclass(frozen=True)
class CounterRow:
    """One counter of one kernel; `name` is official, `value` None where it was not told."""

    kernel: str
    group: str
    title: str
    value: float | None
    text: str
    unit: str
    name: str
    tip: str = ""


@dataclass(frozen=True)
class StallRow:
    """Why warps did not issue: cycles of an instruction, and their part of all of them."""

    title: str
    cycles: float
    share: float
    issuing: bool = False


@dataclass(frozen=True)
class LineRow:
    """One line of the document: its part of the samples, and what was counted of it."""

    line: int
    text: str
    samples: float | None
    share: float | None
    wavefronts: float | None
    excess: float | None
    instructions: float | None
    stall: str = ""


@dataclass(frozen=True)
class Numbers:
    """All tables; `no_counters` says why there are none and what to do."""

    compared: tuple[ComparedRow, ...] = ()
    counters: tuple[CounterRow, ...] = ()
    stalls: tuple[StallRow, ...] = ()
    lines: tuple[LineRow, ...] = ()
    no_counters: str = ""
    no_lines: str = ""

    @property
    def short_verdict(self) -> str:
        """How the predictions did, in a sentence; empty where nothing was compared."""
        exact = [row for row in self.compared if not row.estimate and row.verdict != "unknown"]
        if not exact:
            return ""
        equal = sum(row.verdict == "equal" for row in exact)
        of = f"All {equal}" if equal == len(exact) else f"{equal} of {len(exact)}"
        return f"{of} exact predictions are as measured."

    @property
    def verdict(self) -> str:
        """The same, with the names of those that differ."""
        wrong = [row for row in self.compared if row.verdict == "differs" and not row.estimate]
        if not wrong:
            return self.short_verdict
        return f"Not as predicted: {', '.join(_named(row) for row in wrong)}."


def _named(row: ComparedRow) -> str:
    return f"{row.group}: {row.title[:1].lower()}{row.title[1:]}"


def numbers_of(
    result: ProfileResult, analyses: Sequence[KernelAnalysis], arch: Architecture | None
) -> Numbers:
    """The tables of a profile and of the analyses of the same text."""
    report = result.counters
    estimate = analyses[0].estimate if analyses else None
    rows = [*_time_row(result, estimate)]
    if report is not None:
        for analysis, counters in paired(analyses, report):
            rows += [_compared(each) for each in compare(analysis, counters, arch)]
    if report is None:
        why = result.missing.get("counters", "Counters were not asked for.")
        return Numbers(tuple(rows), no_counters=why, no_lines=why)
    lines = line_rows(report)
    no_lines = result.missing.get("lines", "No counters of single lines were read.")
    return Numbers(
        tuple(rows), _counters(report), _stalls(report), lines, no_lines="" if lines else no_lines
    )


def _time_row(result: ProfileResult, estimate: Estimate | None) -> Iterator[ComparedRow]:
    if result.latency is None:
        return
    measured = result.latency.median_us
    if estimate is None:
        yield ComparedRow(
            "time", "Time of a launch", "unknown", time_text(measured), "", "unknown", _NO_TIME
        )
        return
    off = estimate.time_us / measured - 1
    verdict = "close" if abs(off) <= _CLOSE else "differs"
    least = "≥ " if estimate.leaves_out else ""
    yield ComparedRow(
        "time",
        "Time of a launch",
        f"{least}{time_text(estimate.time_us)}",
        time_text(measured),
        signed_percent(off),
        verdict,
        f"Predicted by {estimate.method}, bound by {estimate.bound}.",
        True,
        abs(off),
    )


def _compared(found: Comparison) -> ComparedRow:
    quantity = found.quantity
    verdict = found.verdict.value
    off = None
    if found.verdict is Verdict.DIFFERS and found.measured and found.predicted is not None:
        off = found.predicted / found.measured - 1
        if found.estimate and abs(off) <= _CLOSE:
            verdict = "close"
    return ComparedRow(
        quantity.group.value,
        _title(quantity.title),
        _shown(found.predicted, quantity.unit, quantity.base),
        _shown(found.measured, quantity.unit, quantity.base),
        _difference(found, off),
        verdict,
        _sentence(found.note),
        found.estimate,
        abs(off) if off is not None else None,
    )


def _difference(found: Comparison, off: float | None) -> str:
    if found.difference is None:
        return ""
    if not found.difference:
        return "same"
    if off is not None:
        return signed_percent(off)
    return f"{-found.difference:+,.3g}".replace("-", "\N{MINUS SIGN}")


def _title(title: str) -> str:
    return f"{title[:1].upper()}{title[1:]}"


def _shown(value: float | None, unit: str, base: str) -> str:
    if value is None:
        return "unknown"
    if base == "%" and unit == "":
        return f"{value * 100:.4g} %"
    whole = int(value) if float(value).is_integer() else value
    return str(figure(whole, unit))


def _sentence(note: str | None) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _counters(report: CounterReport) -> tuple[CounterRow, ...]:
    rows: list[CounterRow] = []
    for place, kernel in enumerate(report.kernels):
        name = kernel.name if len(report.kernels) == 1 else f"{place + 1} · {kernel.name}"
        rows += [_known(name, each) for each in quantities(kernel)]
        rows += _others(name, kernel)
    return tuple(rows)


def _known(kernel: str, reading: Reading) -> CounterRow:
    quantity, value = reading.quantity, reading.value
    shown = _shown(value, quantity.unit, quantity.base)
    text, _, unit = shown.rpartition(" ") if " " in shown else (shown, "", "")
    title = _title(quantity.title)
    tip = "\n".join(part for part in (_sentence(reading.note or quantity.note),) if part)
    return CounterRow(kernel, quantity.group.value, title, value, text, unit, reading.metric, tip)


def _others(kernel: str, counters: KernelCounters) -> Iterator[CounterRow]:
    """What the tool told besides the quantities that have a name here."""
    for name, value in counters.values.items():
        if name not in _EXACT:
            unit = counters.units.get(name, "")
            text = "unknown" if value is None else str(figure(_whole(value)))
            yield CounterRow(kernel, "other metrics", name, value, text, unit, name)


def _whole(value: float) -> float | int:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


def _stalls(report: CounterReport) -> tuple[StallRow, ...]:
    """The reasons of the first kernel, the longest first; without any that took no time."""
    if not report.kernels:
        return ()
    found = [
        each
        for each in quantities(report.kernels[0])
        if each.quantity.key.startswith("stall.") and each.quantity.title.startswith("Stalled: ")
    ]
    known = [(each, float(each.value)) for each in found if each.value]
    total = sum(value for _, value in known)
    rows = [
        StallRow(
            _reason(each.quantity.title),
            value,
            value / total,
            each.quantity.key == "stall.selected",
        )
        for each, value in known
    ]
    return tuple(sorted(rows, key=lambda row: -row.cycles))


def _reason(title: str) -> str:
    words = title.removeprefix("Stalled: ")
    return f"{words[:1].upper()}{words[1:]}"


def line_rows(report: CounterReport) -> tuple[LineRow, ...]:
    """The lines of all kernels, in their order in the document."""
    sums: dict[int, LineCounters] = {}
    for each in (line for kernel in report.kernels for line in kernel.lines):
        known = sums.get(each.line)
        values = dict(known.values) if known is not None else {}
        for name, value in each.values.items():
            values[name] = values.get(name, 0.0) + value
        sums[each.line] = LineCounters(each.line, values, each.text)
    total = sum(each.values.get(SAMPLES, 0.0) for each in sums.values())
    return tuple(_line(each, total) for _, each in sorted(sums.items()))


def _line(found: LineCounters, total: float) -> LineRow:
    values = found.values
    samples = values.get(SAMPLES)
    waves, ideal = values.get(_WAVES), values.get(_IDEAL)
    return LineRow(
        found.line,
        found.text.strip(),
        samples,
        samples / total if samples is not None and total else None,
        waves,
        waves - ideal if waves is not None and ideal is not None else None,
        values.get("inst_executed"),
        main_stall(found),
    )


def main_stall(found: LineCounters) -> str:
    """What warps waited for most at a line, in words; empty where it is not known."""
    reasons = {
        name.removeprefix(_STALL): value
        for name, value in found.values.items()
        if name.startswith(_STALL) and not name.endswith(("_not_issued", "selected")) and value
    }
    if not reasons:
        return ""
    name = max(reasons, key=reasons.__getitem__)
    known = BY_KEY.get(f"stall.{_OTHER_NAMES.get(name, name)}")
    if known is None:
        return name.replace("_", " ")
    return known.title.removeprefix("Stalled: ").removeprefix("waiting for ")


_NO_TIME = "No time was predicted of the same text for this GPU: analyze it."
