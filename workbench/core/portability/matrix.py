"""Puts the matrix together: every column's cell for every target, and the conclusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.core.portability import (
    code_cells,
    instruction_cells,
    launch_cells,
    resource_cells,
    verified_cells,
)
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.model import (
    Cell,
    CellState,
    Column,
    PortabilityMatrix,
    Row,
    first_obstacle,
)

COLUMNS: dict[Column, Callable[[TargetFacts], Cell]] = {
    Column.LOWERS: code_cells.lowers,
    Column.MACHINE_CODE: code_cells.machine_code,
    Column.SHARED: resource_cells.shared_memory,
    Column.REGISTERS: resource_cells.registers,
    Column.MATRIX: instruction_cells.matrix_instructions,
    Column.DTYPES: instruction_cells.dtypes,
    Column.WARPS: launch_cells.warps,
    Column.COPIES: instruction_cells.copies,
    Column.VERIFIED: verified_cells.verified,
}


def portability_matrix(kernel: str, case: str, targets: Sequence[TargetFacts]) -> PortabilityMatrix:
    """The matrix of a kernel over targets, in their order."""
    rows = tuple(_row(facts) for facts in targets)
    return PortabilityMatrix(kernel, case, rows, conclusion(rows))


def _row(facts: TargetFacts) -> Row:
    cells = tuple(COLUMNS[column](facts) for column in Column)
    return Row(facts.target.name, facts.label, facts.detail, cells, facts.pending)


def conclusion(rows: Sequence[Row]) -> str:
    """The matrix in a sentence: on how many targets, and the first thing that is in the way."""
    if not rows:
        return "No target is chosen."
    running = [row for row in rows if row.state in (CellState.GOOD, CellState.CAUTION)]
    pending = sum(row.pending for row in rows)
    count = f"{len(running)} of {len(rows)} targets"
    said = f"{'So far it' if pending else 'It'} can run on {count}"
    parts = [_obstacle(rows), _unknown(rows)]
    told = "; ".join(part for part in parts if part)
    return f"{said}; {told}." if told else f"{said}."


def _obstacle(rows: Sequence[Row]) -> str:
    """Why the kernel does not run on the first of the targets that have an obstacle."""
    first = first_obstacle(rows)
    if first is None:
        return ""
    row, cell = first
    more = sum(row.state is CellState.BAD for row in rows) - 1
    others = f", and {more} more {'has' if more == 1 else 'have'} an obstacle" if more else ""
    return f"on {row.label} {cell.clause}{others}"


def _unknown(rows: Sequence[Row]) -> str:
    unknown = [row for row in rows if row.state is CellState.UNKNOWN and not row.pending]
    if not unknown:
        return ""
    names = unknown[0].label if len(unknown) == 1 else f"{len(unknown)} targets"
    return f"of {names} it is not known"
