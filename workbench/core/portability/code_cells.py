"""The cells about compilers: does the kernel lower, and does its code become machine code."""

from __future__ import annotations

from workbench.core.jobs import Failure
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.model import Cell, CellState, Column
from workbench.core.targets.model import Vendor

_TILELANG = "TileLang 0.1.15"
_OURS = frozenset({"environment", "internal", "timeout", "memory"})
_STANDARD = "tilelang.language"


def lowers(facts: TargetFacts) -> Cell:
    """Whether TileLang makes code of the kernel."""
    if facts.analysis is None:
        return waiting(Column.LOWERS)
    if facts.lowered:
        source = facts.target.lowering_arch
        return Cell(Column.LOWERS, CellState.GOOD, "yes", f"TileLang makes code for {source}.")
    failure = facts.analysis.failure or Failure("kernel", "no kernel was made")
    if failure.kind in _OURS:
        return Cell(Column.LOWERS, CellState.UNKNOWN, "not told", sentence(failure.message))
    reason, clause = _refusal(facts, failure)
    found = facts.first_error()
    return Cell(Column.LOWERS, CellState.BAD, "no", reason, clause, _TILELANG, found)


def _refusal(facts: TargetFacts, failure: Failure) -> tuple[str, str]:
    said = sentence(failure.message)
    dialect = facts.target.dialect
    written = facts.asks.dialect
    if written is not None and written != dialect:
        clause = f"a kernel is written with {dialect}, not with {written}"
        return f"On {facts.label} {clause}. TileLang said: {said}", clause
    if failure.kind == "crash":
        return f"The compiler crashed: {said}", "TileLang crashes"
    return said, "TileLang does not lower it"


def machine_code(facts: TargetFacts) -> Cell:
    """Whether the target's own compiler takes the generated source."""
    column = Column.MACHINE_CODE
    if facts.target.arch.vendor is not Vendor.NVIDIA:
        what = "its source is what can be had"
        reason = f"No compiler here makes machine code for {facts.target.arch.name}: {what}."
        return Cell(column, CellState.UNKNOWN, "not checked", reason)
    if facts.analysis is not None and not facts.lowered:
        return Cell(column, CellState.NONE, "", "There is no code to compile: it does not lower.")
    if facts.code is None:
        return waiting(column) if facts.pending else _not_asked(column)
    if facts.code.missing and facts.code.failure is None:
        why = next(iter(facts.code.missing.values()))
        return Cell(column, CellState.UNKNOWN, "not checked", sentence(why))
    failure = facts.code.failure
    if failure is None:
        made = facts.code.resources.source if facts.code.resources is not None else None
        return Cell(column, CellState.GOOD, "made", f"Made by {made or 'nvcc'}.")
    if failure.kind in _OURS:
        return Cell(column, CellState.UNKNOWN, "not told", sentence(failure.message))
    clause = "nvcc refuses the generated source"
    found = next(iter(facts.code.diagnostics), None)
    return Cell(column, CellState.BAD, "refused", sentence(failure.message), clause,
                "nvcc", found)  # fmt: skip


def waiting(column: Column) -> Cell:
    """The cell of what is being looked at."""
    return Cell(column, CellState.UNKNOWN, "", "Not looked at yet.")


def _not_asked(column: Column) -> Cell:
    return Cell(column, CellState.UNKNOWN, "not checked", "Machine code was not asked for.")


def sentence(text: str) -> str:
    """A text that ends as a sentence does."""
    text = text.strip().split("\n", 1)[0]
    return text if not text or text[-1] in ".!?" else f"{text}."
