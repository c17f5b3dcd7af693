"""The cells about instructions: what multiplies, how tiles are copied, which types there are."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.analysis.operations import Operation
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.checks.support import OPERATIONS
from workbench.core.portability.code_cells import waiting
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.formats import Support, support_of
from workbench.core.portability.model import Cell, CellState, Column
from workbench.core.targets.model import Feature

_RANK = (CellState.NONE, CellState.GOOD, CellState.UNKNOWN, CellState.CAUTION, CellState.BAD)
_CHOICES = "TileLang 0.1.15, src/cuda/op/gemm.cc and copy_analysis.cc"
# Matrix instructions by how they begin, and what a cell calls them.
_UNITS = {
    "wgmma": "wgmma",
    "tcgen05": "tcgen05",
    "mma": "mma.sync",
    "v_mfma": "MFMA",
    "simdgroup": "simdgroup",
    "ascend_m": "cube",
    "mad": "cube",
}
_SHAPE_CODES = (
    "warp-partition-illegal",
    "tensor-core-shape-illegal",
    "unaligned-block-k",
    "gemm-shape-mismatch",
)
_NO_NOTE = "no "


def matrix_instructions(facts: TargetFacts) -> Cell:
    """Which matrix instruction the products became, or could become."""
    column = Column.MATRIX
    if not facts.asks.products and not _of_kind(facts, "gemm"):
        return Cell(column, CellState.NONE, "", "The kernel multiplies no matrices.")
    absent = _wanted(facts, (Feature.WGMMA, Feature.TCGEN05), column) or _foreign_operand(facts)
    if absent is not None:
        return absent
    if facts.analysis is None:
        return waiting(column)
    if not facts.lowered:
        return _without_code(facts)
    return max((_product(facts, rows) for rows in _by_line(facts, "gemm")), key=_severity,
               default=_untold(column))  # fmt: skip


def _foreign_operand(facts: TargetFacts) -> Cell | None:
    """An operand that no instruction here multiplies, whatever TileLang generates."""
    for product in facts.asks.products:
        for dtype in (product.a_dtype, product.b_dtype):
            support = support_of(dtype, True, facts.target) if dtype is not None else None
            if support is not None and support.state is CellState.BAD:
                return _support_cell(facts, Column.MATRIX, support, product.line)
    return None


def _product(facts: TargetFacts, rows: list[Operation]) -> Cell:
    """One product's cell, from the instructions of its line."""
    column, line = Column.MATRIX, rows[0].line
    for row in rows:
        unit = _unit(row.instruction)
        if unit is not None:
            note = row.note if row.note is not None and row.note.startswith(_NO_NOTE) else None
            state = CellState.CAUTION if note else CellState.GOOD
            found = _finding(line, f"{row.op}: {note}", "slower-instruction") if note else None
            reason = f"{row.op} is {row.instruction}" + (f"; {note}." if note else ".")
            return Cell(column, state, unit, reason, source=_CHOICES, diagnostic=found)
    if all(row.instruction is None for row in rows):
        return _untold(column)
    reason = f"{rows[0].op} has no matrix instruction here: threads multiply and add one by one."
    if facts.target.arch.limits.warp_size is None:
        return Cell(column, CellState.NONE, "loops", reason)
    found = _finding(line, reason, "scalar-product")
    return Cell(column, CellState.CAUTION, "scalar", reason, source=_CHOICES, diagnostic=found)


def _without_code(facts: TargetFacts) -> Cell:
    """What can be told of a kernel that does not lower: its shapes, where the doctor names them."""
    found = facts.found(*_SHAPE_CODES)
    if found is None:
        return Cell(Column.MATRIX, CellState.UNKNOWN, "unknown", "The kernel does not lower.")
    clause = "its tiles do not fit the matrix instruction"
    return Cell(Column.MATRIX, CellState.BAD, "shape", found.message, clause, _CHOICES, found)


def dtypes(facts: TargetFacts) -> Cell:
    """The types of all buffers; the one that fares worst here is told."""
    asks, column = facts.asks, Column.DTYPES
    if not asks.dtypes:
        return Cell(column, CellState.UNKNOWN, "unknown", "The source does not tell the types.")
    operands = {p.a_dtype: p.line for p in asks.products} | {
        p.b_dtype: p.line for p in asks.products
    }
    supports = [
        (place, support_of(place.name, place.name in operands, facts.target))
        for place in asks.dtypes
    ]
    place, worst = max(supports, key=lambda pair: _RANK.index(pair[1].state))
    if worst.state is CellState.GOOD:
        names = ", ".join(each.name for each in asks.dtypes)
        cited = (support.source for _, support in supports if support.source is not None)
        return Cell(column, CellState.GOOD, "native", f"The hardware has {names}.",
                    source=next(cited, None))  # fmt: skip
    line = operands.get(place.name, place.line)
    return _support_cell(facts, column, worst, line)


def _support_cell(facts: TargetFacts, column: Column, worst: Support, line: int) -> Cell:
    reason = f"On {facts.label} {worst.clause}."
    found = None
    if worst.state is not CellState.UNKNOWN:
        known = facts.found("target-unsupported")
        found = known if known is not None else _finding(line, reason, "type-unsupported")
    return Cell(column, worst.state, worst.text, reason, worst.clause, worst.source, found)


def copies(facts: TargetFacts) -> Cell:
    """How tiles are copied to shared memory: by TMA, asynchronously, or through registers."""
    column = Column.COPIES
    absent = _wanted(facts, (Feature.TMA,), column)
    if absent is not None:
        return absent
    if facts.analysis is None:
        return waiting(column)
    if not facts.lowered:
        return Cell(column, CellState.UNKNOWN, "unknown", "The kernel does not lower.")
    found = [_copy(facts, rows[0]) for rows in _by_line(facts, "copy") if _fills_shared(rows)]
    none = Cell(column, CellState.NONE, "", "No tile is copied to shared memory.")
    return max(found, key=_severity, default=none)


def _copy(facts: TargetFacts, row: Operation) -> Cell:
    column, said = Column.COPIES, str(row.instruction)
    kind = next((kind for kind in ("TMA", "cp.async") if said.startswith(kind)), None)
    if kind is not None:
        text = "to LDS" if kind == "cp.async" and _is_amd(facts) else kind
        return Cell(column, CellState.GOOD, text, f"{row.op} is {said}.", source=_CHOICES)
    if facts.asks.pipelined_line is None:
        return Cell(column, CellState.GOOD, "loads", f"{row.op} is {said}.", source=_CHOICES)
    why = f" ({row.note})" if row.note else ""
    reason = f"{row.op} goes through registers{why}: a pipeline hides less of its time."
    found = _finding(row.line, reason, "copy-through-registers")
    return Cell(column, CellState.CAUTION, "registers", reason, source=_CHOICES, diagnostic=found)


def _fills_shared(rows: list[Operation]) -> bool:
    said = str(rows[0].instruction)
    return said.startswith(("TMA load", "cp.async")) or "to shared" in said


def _is_amd(facts: TargetFacts) -> bool:
    return facts.target.arch.has(Feature.MFMA)


def _wanted(facts: TargetFacts, features: Iterable[Feature], column: Column) -> Cell | None:
    """An operation that the source calls by name and the target does not have."""
    found = facts.found("target-unsupported")
    if found is None or found.range is None:
        return None
    lacking = [f for f in features if not facts.target.arch.has(f)]
    for name, (feature, instead) in OPERATIONS.items():
        used = next((p for p in facts.asks.operations if p.name == name), None)
        if used is not None and feature in lacking:
            clause = f"there is no T.{name}"
            finding = _finding(used.line, f"T.{name} does not exist here: use {instead}.",
                               "target-unsupported", Severity.ERROR)  # fmt: skip
            reason = f"On {facts.label} {clause}: use {instead}."
            return Cell(column, CellState.BAD, "absent", reason, clause, _CHOICES, finding)
    return None


def _of_kind(facts: TargetFacts, kind: str) -> list[Operation]:
    kernels = facts.analysis.kernels if facts.analysis is not None else ()
    return [o for kernel in kernels for o in kernel.operations or () if o.kind == kind]


def _by_line(facts: TargetFacts, kind: str) -> list[list[Operation]]:
    """The operations of a kind, one list for each that the document has."""
    found: dict[tuple[int | None, str], list[Operation]] = {}
    for operation in _of_kind(facts, kind):
        found.setdefault((operation.line, operation.op), []).append(operation)
    return list(found.values())


def _unit(instruction: str | None) -> str | None:
    said = (instruction or "").removeprefix("tl::").lower()
    return next((name for begin, name in _UNITS.items() if said.startswith(begin)), None)


def _untold(column: Column) -> Cell:
    return Cell(column, CellState.UNKNOWN, "unknown", "The lowered code does not tell.")


def _severity(cell: Cell) -> int:
    return _RANK.index(cell.state)


def _finding(
    line: int | None, message: str, code: str, severity: Severity = Severity.WARNING
) -> Diagnostic:
    where = TextRange(line) if line is not None else None
    return Diagnostic(code, severity, message, where, stage="lower")
