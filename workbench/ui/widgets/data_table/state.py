"""The saved state of a table's columns.

Version 1: `columns` in their order on the screen, each with `key`, `width` in px (0: unknown) and
`visible`; `sort` is the key of the column sorted by, or null; `descending`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

VERSION = 1


@dataclass(frozen=True)
class ColumnState:
    """How one column looks."""

    key: str
    width: int = 0
    visible: bool = True


@dataclass(frozen=True)
class TableState:
    """How a table looks."""

    columns: tuple[ColumnState, ...] = ()
    sort: str | None = None
    descending: bool = False

    def to_json(self) -> dict[str, Any]:
        """The form in which it is saved."""
        return {
            "version": VERSION,
            "columns": [asdict(column) for column in self.columns],
            "sort": self.sort,
            "descending": self.descending,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableState:
        """Read a saved form; an entry that is not understood costs that entry alone.

        A form of another version gives the state of a new table: column widths are not worth
        a refusal.
        """
        if data.get("version") != VERSION:
            return cls()
        entries = data.get("columns")
        columns = (_column(entry) for entry in (entries if isinstance(entries, list) else ()))
        sort = data.get("sort")
        return cls(
            tuple(column for column in columns if column is not None),
            sort if isinstance(sort, str) else None,
            data.get("descending") is True,
        )


def _column(entry: Any) -> ColumnState | None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("key"), str):
        return None
    width = entry.get("width")
    known = width if isinstance(width, int) and not isinstance(width, bool) else 0
    return ColumnState(entry["key"], max(0, known), entry.get("visible") is not False)
