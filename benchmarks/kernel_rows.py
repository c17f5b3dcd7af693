"""The rows of the kernels' benchmark, as `kernel_rows.toml` has them."""

from __future__ import annotations

import enum
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

TABLE = Path(__file__).with_suffix(".toml")


class RowsError(ValueError):
    """The table, or a choice of its rows, is wrong; the message says where."""


class Kind(enum.Enum):
    """What a row's ratio is over; it is always the baseline's time over the kernel's."""

    BASELINE = "baseline"
    """A function of the document, timed beside the kernel in both orders."""
    BANDWIDTH = "bandwidth"
    """The same bytes at the copy bandwidth that the same run measured of the device."""
    RATE = "rate"
    """The same operations at a rate that the row names."""


@dataclass(frozen=True)
class Further:
    """One more baseline: `code` defines `function` and is put at the end of a copy of the document.

    In it `{baseline}` stands for the case's own baseline. The kernel has to reach `at_least` times
    its speed where that is given. `is_compiled`: it compiles before it is timed.
    """

    name: str
    function: str
    code: str
    at_least: float | None = None
    is_compiled: bool = False


@dataclass(frozen=True)
class Row:
    """A kernel at one size. `file` is relative to the repository, `args` are set over the case's.

    `baseline` names in words what the case's baseline is; `ceiling` is in TFLOP/s. A ratio under
    `floor` is a defect, one under `goal` is told with what bounds it; both may be None.
    """

    name: str
    shape: str
    file: str
    case: str
    kind: Kind = Kind.BASELINE
    baseline: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    goal: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    ceiling_name: str = ""
    further: tuple[Further, ...] = ()

    @property
    def title(self) -> str:
        """Name and shape, which tell rows apart."""
        return f"{self.name}, {self.shape}"

    def matches(self, pattern: str) -> bool:
        """Whether a pattern such as `gemm*` is for the row: of its name, its file or its case."""
        texts = (self.name, self.title, self.file, Path(self.file).stem, self.case)
        return any(fnmatch.fnmatch(text.lower(), pattern.lower()) for text in texts)


def load_rows(path: Path = TABLE) -> tuple[Row, ...]:
    """All rows of the table; raises RowsError."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    known = {name: Further(**entry) for name, entry in table.get("further", {}).items()}
    return tuple(_row(entry, known) for entry in table["row"])


def _row(entry: Mapping[str, Any], known: Mapping[str, Further]) -> Row:
    name = entry.get("name", "a row without a name")
    try:
        further = tuple(known[each] for each in entry.get("further", ()))
        kind = Kind(entry.get("kind", "baseline"))
        row = Row(**{**entry, "kind": kind, "further": further})
    except (KeyError, TypeError, ValueError) as error:
        raise RowsError(f"{TABLE.name}: {name}: {error}") from error
    if (row.kind is Kind.RATE) != (row.ceiling is not None):
        raise RowsError(f"{TABLE.name}: {name}: a ceiling belongs to a row of kind `rate` alone")
    return row


def chosen(rows: Sequence[Row], patterns: Sequence[str]) -> tuple[Row, ...]:
    """The rows that a pattern is for, or all without any; raises RowsError for one of none."""
    for pattern in patterns:
        if not any(row.matches(pattern) for row in rows):
            raise RowsError(f"--rows {pattern}: no row is called so; --list shows them")
    return tuple(row for row in rows if not patterns or any(map(row.matches, patterns)))


def missing_of(row: Row, root: Path) -> str | None:
    """Why a row cannot be measured: its document or its case is not there."""
    from workbench.core.documents.model import DocumentError
    from workbench.core.documents.reading import read_document

    path = root / row.file
    if not path.is_file():
        return f"{row.file} is missing"
    try:
        document = read_document(path)
    except DocumentError as error:
        return str(error)
    cases = [case.name for case in document.metadata.cases] if document.metadata else []
    if row.case not in cases:
        return f"{row.file} has no case {row.case!r}; it has {', '.join(cases) or 'none'}"
    return None
