"""The portability matrix: one row a target, one column a question, and what each cell says."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic


class CellState(enum.Enum):
    """How a target answers a question. `NONE`: the question does not arise there."""

    GOOD = "good"
    CAUTION = "caution"
    BAD = "bad"
    UNKNOWN = "unknown"
    NONE = "none"


class Column(enum.Enum):
    """The questions, in the order in which they are asked; the value is the key in JSON."""

    LOWERS = "lowers"
    MACHINE_CODE = "machine_code"
    SHARED = "shared_memory"
    REGISTERS = "registers"
    MATRIX = "matrix_instructions"
    DTYPES = "dtypes"
    WARPS = "warps"
    COPIES = "copies"
    VERIFIED = "verified"

    @property
    def title(self) -> str:
        """The head of the column."""
        return _TITLES[self][0]

    @property
    def short_title(self) -> str:
        """The head where there is room for a mark alone."""
        return _TITLES[self][2]

    @property
    def question(self) -> str:
        """What the column asks, in a sentence."""
        return _TITLES[self][1]


_TITLES = {
    Column.LOWERS: ("Lowers", "Does TileLang make code of the kernel for this target?", "Lowers"),
    Column.MACHINE_CODE: (
        "Machine code",
        "Does the compiler of the target take that code?",
        "Code",
    ),
    Column.SHARED: ("Shared memory", "What a block takes, of what one can have", "Shared"),
    Column.REGISTERS: ("Registers", "Registers of a thread, by the threads of a block", "Regs"),
    Column.MATRIX: ("Matrix unit", "Which matrix instruction multiplies", "Matrix"),
    Column.DTYPES: ("Types", "Has the hardware the types that the kernel uses?", "Types"),
    Column.WARPS: ("Warps", "Do the block and the source fit the target's warps?", "Warps"),
    Column.COPIES: (
        "Copies",
        "How tiles come from global memory: TMA, asynchronous, or loads",
        "Copies",
    ),
    Column.VERIFIED: (
        "Verified",
        "Was the result compared with the reference?",
        "Verified",
    ),
}


@dataclass(frozen=True)
class Cell:
    """One answer: a short text, and the reason in a sentence.

    `clause` is the reason as the end of a sentence that began with the target's name ("96 KiB of
    shared memory are over the limit of 64 KiB"), there where the state is BAD. `source` cites the
    rule. `diagnostic` is what a person can go to: its line, and its fixes.
    """

    column: Column
    state: CellState
    text: str
    reason: str
    clause: str = ""
    source: str | None = None
    diagnostic: Diagnostic | None = None

    @property
    def line(self) -> int | None:
        """The line of the document that the cell is about, from 1."""
        where = self.diagnostic.range if self.diagnostic is not None else None
        return where.line if where is not None else None


@dataclass(frozen=True)
class Row:
    """A target with its cells in the order of the columns; `label` is what it is called."""

    target: str
    label: str
    detail: str
    cells: tuple[Cell, ...]
    pending: bool = False

    def cell(self, column: Column) -> Cell:
        """The cell of a column."""
        return self.cells[tuple(Column).index(column)]

    @property
    def state(self) -> CellState:
        """BAD where something stands in the way, UNKNOWN where it is not known to lower."""
        states = {cell.state for cell in self.cells}
        if CellState.BAD in states:
            return CellState.BAD
        if self.cell(Column.LOWERS).state is not CellState.GOOD:
            return CellState.UNKNOWN
        return CellState.CAUTION if CellState.CAUTION in states else CellState.GOOD

    @property
    def obstacle(self) -> Cell | None:
        """What tells most of why the kernel cannot run here."""
        bad = [cell for cell in self.cells if cell.state is CellState.BAD]
        return min(bad, key=lambda cell: _TELLING.index(cell.column), default=None)


# A limit says more than that a compiler gave up, which may well follow from it.
_TELLING = (
    Column.SHARED,
    Column.DTYPES,
    Column.MATRIX,
    Column.WARPS,
    Column.REGISTERS,
    Column.COPIES,
    Column.MACHINE_CODE,
    Column.LOWERS,
    Column.VERIFIED,
)


@dataclass(frozen=True)
class PortabilityMatrix:
    """One kernel over its targets; `conclusion` is the matrix in a sentence."""

    kernel: str
    case: str
    rows: tuple[Row, ...]
    conclusion: str

    @property
    def pending(self) -> int:
        """How many targets have not been looked at to the end."""
        return sum(row.pending for row in self.rows)

    @property
    def obstacle(self) -> tuple[Row, Cell] | None:
        """What to show first of what is in the way: a limit before what a compiler says."""
        return first_obstacle(self.rows)

    def row(self, target: str) -> Row | None:
        """The row of a target by its name."""
        return next((row for row in self.rows if row.target == target), None)


def first_obstacle(rows: Sequence[Row]) -> tuple[Row, Cell] | None:
    """The first target that the kernel cannot run on, those that do not lower last, and why."""
    found = [(row, cell) for row in rows if (cell := row.obstacle) is not None]
    return min(found, key=lambda pair: pair[1].column is Column.LOWERS, default=None)
