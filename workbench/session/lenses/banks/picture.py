"""The bank lens's picture of one target: its sites, and the sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.bank_changes import ChangeKind
from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import Level, SharedKind, SharedReport
from workbench.core.targets.model import Vendor
from workbench.session.lenses.banks.detail import site_detail
from workbench.session.lenses.banks.sites import SiteRow, site_rows
from workbench.session.lenses.banks.what_ifs import WhatIf, what_ifs
from workbench.session.lenses.measured import wavefronts_sentence
from workbench.session.lenses.subject import LensSubject, LensTarget

_SOURCES = {Level.IR: "the lowered code", Level.CODE: "the machine code"}
_WIDTH = re.compile(r" \d|\.")  # after the name of an access


@dataclass(frozen=True)
class BanksPicture:
    """The rows, best known first to mend; `basis` says what they were computed from.

    `measured` says how the counters stand to them, where some were read.
    """

    rows: tuple[SiteRow, ...]
    conclusion: str
    basis: str
    measured: str = ""

    @property
    def first(self) -> SiteRow:
        """The row to open on: the worst, without conflicts one whose lanes can be drawn."""
        drawn = (row for row in self.rows if row.kind is not SharedKind.TENSOR)
        return self.rows[0] if self.rows[0].excess else next(drawn, self.rows[0])


def banks_picture(subject: LensSubject, target: LensTarget) -> BanksPicture | None:
    """The sites of a target; None where its shared memory is unknown."""
    kernel = target.kernel
    if kernel is None or kernel.shared is None:
        return None
    rows = _with_measured(site_rows(kernel), target)
    return BanksPicture(
        rows,
        _conclusion(subject, target, rows),
        _basis(target, kernel.shared),
        wavefronts_sentence(target.measured, kernel),
    )


def _with_measured(rows: tuple[SiteRow, ...], target: LensTarget) -> tuple[SiteRow, ...]:
    """The rows with what was counted for their lines, where that was read."""
    measured = target.measured
    if measured is None:
        return rows
    return tuple(
        replace(row, measured=measured.wavefronts_of(target.kernel, row.line)) for row in rows
    )


def _conclusion(subject: LensSubject, target: LensTarget, rows: Sequence[SiteRow]) -> str:
    if not rows:
        return f"No bank conflicts: no thread accesses shared memory on {target.label}."
    if rows[0].excess:
        return _of_conflict(subject, target, rows)
    unknown = [row for row in rows if row.unknown is not None]
    if not unknown:
        return _without(subject, target, rows)
    known = len(rows) - len(unknown)
    beginning = (
        f"No bank conflicts known on {target.label}" if known else
        f"Bank conflicts are unknown on {target.label}"
    )  # fmt: skip
    verb = "is" if len(unknown) == 1 else "are"
    which = f"{len(unknown)} of {len(rows)} sites {verb} unknown, {_first_line(unknown)}"
    return f"{beginning}: {which}: {unknown[0].unknown}."


def _first_line(rows: Sequence[SiteRow]) -> str:
    line = rows[0].line
    if len(rows) > 1:
        return f"such as line {line}" if line is not None else "such as one without a line"
    return f"line {line}" if line is not None else "without a line"


def _without(subject: LensSubject, target: LensTarget, rows: Sequence[SiteRow]) -> str:
    wavefronts = sum(row.wavefronts or 0 for row in rows)
    clean = [each for each in subject.targets if _is_clean(each.kernel)]
    everywhere = len(subject.targets) > 1 and len(clean) == len(subject.targets)
    where = "any target" if everywhere else target.label
    own = f" on {target.label}" if everywhere else ""
    return f"No bank conflicts on {where}: all {_number(wavefronts)} wavefronts{own} are needed."


def _is_clean(kernel: KernelAnalysis | None) -> bool:
    if kernel is None or kernel.shared is None:
        return False
    return all(row.excess == 0 and row.unknown is None for row in site_rows(kernel))


def _of_conflict(subject: LensSubject, target: LensTarget, rows: Sequence[SiteRow]) -> str:
    worst = rows[0]
    what = _WIDTH.split(worst.access)[0]
    where = f"line {worst.line}" if worst.line is not None else "code without a line"
    known = "all" if all(row.unknown is None for row in rows) else "the known"
    first = (
        f"{worst.ways}-way {what} conflict on {where} causes {_percent(worst.share or 0)} of "
        f"{known} shared-memory wavefronts"
    )
    if rules_for(target.target.arch) is not None and target.target.arch.vendor is Vendor.AMD:
        first += ", by AMD's documents"
    detail = site_detail(target, worst)
    found = what_ifs(subject, target, detail)
    best = next((each for each in found.choices if each.gains), None)
    if best is None:
        why = "no change of its layout that was tried helps" if found.choices else found.left_out
        return f"{first}. {why[:1].upper()}{why[1:]}."
    return f"{first}. {_advice(best, worst.buffer)}"


def _advice(best: WhatIf, buffer: str | None) -> str:
    more = f"for {_bytes(best.extra_bytes)} more" if best.extra_bytes else "for no memory more"
    amount = best.change.amount
    columns = "one column" if amount == 1 else f"{amount} columns"
    do = {
        ChangeKind.PAD: f"Pad {buffer} by {columns}",
        ChangeKind.SWIZZLE: f"Swizzle {buffer} by {amount} bytes",
        ChangeKind.XOR: f"XOR the columns of {buffer} with the row",
        ChangeKind.WIDTH: f"Access {amount} bytes a lane",
        ChangeKind.TRANSPOSE: f"Keep {buffer} transposed",
    }[best.change.kind]
    return f"{do}: {_number(best.before)} become {_number(best.after)}, {more}."


def _basis(target: LensTarget, report: SharedReport) -> str:
    """What the counts are from, and what the rules were held against."""
    rules = rules_for(target.target.arch)
    computed = f"Predicted from the addresses of {_SOURCES[report.level]}"
    if rules is None:
        return f"{computed}; no bank rules of {target.label} are known."
    if target.target.arch.vendor is Vendor.AMD:
        return f"{computed}; bank rules by AMD's documents, not measured."
    if rules.measured_on is None:
        return f"{computed}; bank rules measured on an H200 are taken to hold here."
    return f"{computed}; bank rules as measured on an H200."


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.01 else "under 1 %"


def _number(count: int | float) -> str:
    return f"{count:,.0f}"


def _bytes(size: int) -> str:
    return f"{size / 1024:.3g} KiB" if size >= 1024 else f"{size} B"
