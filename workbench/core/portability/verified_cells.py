"""The cell about results: what the history says of comparisons with the reference."""

from __future__ import annotations

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.portability.facts import TargetFacts, Verification
from workbench.core.portability.model import Cell, CellState, Column

_COLUMN = Column.VERIFIED


def verified(facts: TargetFacts) -> Cell:
    """The best evidence of the present text: a device's, else the simulator's, else none.

    The simulator runs the tile program as it is built for a target: that of another target may
    differ, so a pass elsewhere is told and counts for nothing here.
    """
    devices = [each for each in facts.own if each.on_device]
    newest = next(iter([*devices, *facts.own]), None)
    if newest is not None:
        return _told(newest)
    elsewhere = next((each for each in facts.others if each.passed), None)
    if elsewhere is not None:
        where = f"{_where(elsewhere)} for {elsewhere.target}"
        return Cell(_COLUMN, CellState.UNKNOWN, "elsewhere", f"Verified {where}, not for this one.")
    reason = "No run of this text with these arguments was compared with the reference."
    return Cell(_COLUMN, CellState.UNKNOWN, "not checked", reason)


def _told(found: Verification) -> Cell:
    where = _where(found)
    if not found.passed:
        why = f": {found.error}" if found.error else ""
        clause = f"the result {where} differs from the reference"
        finding = Diagnostic("reference-mismatch", Severity.ERROR, f"{clause}{why}")
        return Cell(_COLUMN, CellState.BAD, "mismatch", f"Run {where}, it does not match{why}.",
                    clause, diagnostic=finding)  # fmt: skip
    if found.sample is not None:
        return Cell(_COLUMN, CellState.CAUTION, "sampled", f"Passed {where}, {found.sample}.")
    what = "" if found.on_device else "; its machine code was not run"
    text = "device" if found.on_device else "simulator"
    return Cell(_COLUMN, CellState.GOOD, text, f"Passed {where}{what}.")


def _where(found: Verification) -> str:
    return f"on {found.device}" if found.on_device else "in the simulator"
