"""What each line of a kernel costs on its first target, as the strip beside the text shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor
from workbench.session.line_facts import LineFacts, facts_by_line
from workbench.session.open_document import OpenDocument

if TYPE_CHECKING:
    from workbench.session.profile.numbers import LineRow

CONFLICTS = "warn"
"""The colour token of what bank conflicts cost; that of other parts is a memory level's."""


@dataclass(frozen=True)
class CostPart:
    """A part of a line's cost: the colour token of what it is spent on, and the share of it."""

    hue: str
    share: float


@dataclass(frozen=True)
class LineCost:
    """What a line costs: `value` is its part, 0 to 1, of the costliest line.

    `parts` are in the order of memory levels and add up to 1. `is_unknown` says that something is
    not in it; then the line costs more.
    """

    value: float
    parts: tuple[CostPart, ...]
    text: str
    is_unknown: bool = False


@dataclass(frozen=True)
class LineCosts:
    """The costs of a document's lines, from 1, and what is counted; `stale` if of another text.

    `predicted` is False where the lines of a profile were counted on the device.
    """

    header: str = ""
    lines: Mapping[int, LineCost] = field(default_factory=dict)
    stale: bool = False
    predicted: bool = True


@dataclass(frozen=True)
class _Measure:
    """What bars stand for: `header` above them, `words` in a sentence after a percentage."""

    header: str
    words: str
    method: str


_BUSY = _Measure(
    "busy time",
    "of the time that parts of an SM are busy",
    "as the estimate of the run time counts it: parts that are busy at once are added up",
)
_WAVEFRONTS = _Measure("wavefronts", "of the shared-memory wavefronts", "")
_BYTES = _Measure("bytes", "of the bytes asked of global memory", "")


def line_costs(document: OpenDocument, target: Target) -> LineCosts:
    """The costs by the last analysis with figures; no lines where nothing is known.

    The figures are of a GPU's parts, so for the machine's own processor there are none.
    """
    measured = measured_costs(document, target)
    if measured is not None:
        return measured
    analyzed = document.analyses.good.get(target.name)
    if analyzed is None or target.arch.vendor is Vendor.HOST:
        return LineCosts()
    facts = facts_by_line(analyzed.result.kernels)
    measure, amounts = _measured(analyzed.result.kernels, facts)
    lines = _lines(facts, amounts, measure, short_label(target))
    return LineCosts(measure.header, lines, document.is_stale(analyzed.revision))


def measured_costs(document: OpenDocument, target: Target) -> LineCosts | None:
    """The parts of the samples that a profile of the text as it is took at each line."""
    found = document.profiles.newest.get(target.name)
    report = found.result.counters if found is not None else None
    if found is None or report is None or document.is_stale(found.revision):
        return None
    from workbench.session.profile.numbers import line_rows

    rows = [row for row in line_rows(report) if row.share]
    if not rows:
        return None
    most = max(row.share or 0.0 for row in rows)
    device = found.result.device.name if found.result.device is not None else "the device"
    lines = {
        row.line: LineCost(
            (row.share or 0.0) / most,
            (CostPart("accent", 1.0),),
            _sampled(row, device),
        )
        for row in rows
    }
    return LineCosts("samples", lines, predicted=False)


def _sampled(row: LineRow, device: str) -> str:
    waits = f"\nWarps wait most for {row.stall}." if row.stall else ""
    return f"{(row.share or 0) * 100:.3g} % of the samples of warps{waits}\nMeasured on {device}."


Amounts = dict["int | None", dict[str, float]]


def _measured(
    kernels: tuple[KernelAnalysis, ...], facts: Mapping[int | None, LineFacts]
) -> tuple[_Measure, Amounts]:
    """The best measure that there is: time, else wavefronts, else bytes; amounts by hue."""
    if kernels and all(kernel.estimate is not None for kernel in kernels):
        busy: Amounts = {}
        for kernel in kernels:
            _add_busy(kernel, busy)
        return _BUSY, busy
    waves = {line: each.wavefront_parts(CONFLICTS) for line, each in facts.items()}
    if any(sum(parts.values()) for parts in waves.values()):
        return _WAVEFRONTS, waves
    return _BYTES, {line: {"hbm": float(each.asked_bytes)} for line, each in facts.items()}


def _add_busy(kernel: KernelAnalysis, busy: Amounts) -> None:
    """Clocks of each line over the launch: a part's clocks, shared out by what it works on."""
    assert kernel.estimate is not None
    blocks = 1
    for extent in kernel.grid:
        blocks *= extent or 1
    clocks = {pipe.name: pipe.clocks * blocks for pipe in kernel.estimate.pipes}
    facts = facts_by_line((kernel,))
    for pipe in clocks.keys() & _PIPES.keys():
        total = sum(each.of(pipe) for each in facts.values())
        for line, each in facts.items() if total else ():
            spent = clocks[pipe] * each.of(pipe) / total
            wasted = spent * each.conflict_share if pipe == "shared" else 0.0
            _add(busy, line, _PIPES[pipe], spent - wasted)
            _add(busy, line, CONFLICTS, wasted)


def _add(amounts: Amounts, line: int | None, hue: str, amount: float) -> None:
    if amount > 0:
        parts = amounts.setdefault(line, {})
        parts[hue] = parts.get(hue, 0.0) + amount


def _lines(
    facts: Mapping[int | None, LineFacts], amounts: Amounts, measure: _Measure, target: str
) -> dict[int, LineCost]:
    sums = {line: sum(parts.values()) for line, parts in amounts.items()}
    total = sum(sums.values())
    most = max((amount for line, amount in sums.items() if line is not None), default=0.0)
    found = {}
    for line, each in facts.items():
        amount = sums.get(line, 0.0)
        if line is None or not (amount or each.unknown):
            continue
        share = f"{amount / total * 100:.3g} % {measure.words}" if amount else ""
        text = _text(share, each, measure, target)
        parts = _parts(amounts.get(line, {}), amount)
        found[line] = LineCost(amount / most if amount else 0.0, parts, text, bool(each.unknown))
    return found


def _parts(amounts: Mapping[str, float], total: float) -> tuple[CostPart, ...]:
    return tuple(CostPart(hue, amounts[hue] / total) for hue in _HUES if amounts.get(hue))


def _text(share: str, facts: LineFacts, measure: _Measure, target: str) -> str:
    by = f"; {measure.method}" if measure.method and share else ""
    method = f"Predicted for {target}, {facts.level_text}{by}."
    return "\n".join(_filled([share, *facts.sentences(), method]))


def _filled(parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part]


# What work of an SM's parts is drawn in: the memory level that it happens at.
_PIPES = {
    "l2": "l2",
    "shared": "shared",
    "tensor": "registers",
    "special": "registers",
    "float": "registers",
    "conversion": "registers",
    "shuffle": "registers",
}
_HUES = ("hbm", "l2", "shared", CONFLICTS, "registers")
