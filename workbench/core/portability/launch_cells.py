"""The cell about warps: whether the block and the source fit those of the target."""

from __future__ import annotations

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.model import Cell, CellState, Column
from workbench.core.portability.resource_cells import threads_of

_USUAL = 32


def warps(facts: TargetFacts) -> Cell:
    """Threads of a block against warps of 32 or wavefronts of 64, and what the source assumes."""
    column, limits = Column.WARPS, facts.target.arch.limits
    lanes, threads = limits.warp_size, threads_of(facts)
    if lanes is None:
        return Cell(column, CellState.NONE, "", f"{facts.label} has no warps.")
    if threads is None:
        return Cell(column, CellState.UNKNOWN, "unknown", "The threads of a block are not known.")
    source = facts.target.arch.sources.get("max_threads_per_block")
    noun = "wavefront" if lanes != _USUAL else "warp"
    most = limits.max_threads_per_block
    if most is not None and threads > most:
        clause = f"{threads:,} threads of a block are over the limit of {most:,}"
        found = facts.found("threads-over-limit") or _at(facts, clause)
        return Cell(column, CellState.BAD, f"{threads:,} threads", f"{_capital(clause)}.",
                    clause, source, found)  # fmt: skip
    source = facts.target.arch.sources.get("warp_size")
    assumed = facts.asks.warps
    if lanes != _USUAL and assumed:
        return _assumes_32(facts, source)
    count = -(-threads // lanes)
    text = f"{count} × {lanes}"
    if threads % lanes:
        reason = f"{threads} threads end inside a {noun} of {lanes}: {_idle(threads, lanes)}."
        found = facts.found("block-smaller-than-warp") or _at(facts, reason)
        return Cell(column, CellState.CAUTION, text, reason, source=source, diagnostic=found)
    reason = f"{threads} threads are {count} {noun}{'s' if count > 1 else ''} of {lanes}."
    return Cell(column, CellState.GOOD, text, reason, source=source)


def _assumes_32(facts: TargetFacts, source: str | None) -> Cell:
    place = facts.asks.warps[0]
    more = len(facts.asks.warps) - 1
    others = f" and {more} more line{'s' if more > 1 else ''}" if more else ""
    reason = (
        f"Wavefronts have 64 lanes: {place.name} on line {place.line}{others} may count lanes by "
        "32. Take the width from the target instead."
    )
    found = Diagnostic(
        "warp-size-assumed", Severity.WARNING, reason, TextRange(place.line), stage="lint"
    )
    return Cell(Column.WARPS, CellState.CAUTION, "counts by 32", reason, source=source,
                diagnostic=found)  # fmt: skip


def _idle(threads: int, lanes: int) -> str:
    idle = -threads % lanes
    return f"{idle} lanes do nothing"


def _at(facts: TargetFacts, message: str) -> Diagnostic | None:
    line = facts.asks.threads_line
    if line is None:
        return None
    return Diagnostic("launch", Severity.WARNING, _capital(message), TextRange(line), stage="lint")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
