"""What a table shows: columns that turn a record into cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")
SortKey = float | str | None


@dataclass(frozen=True)
class Cell:
    """One field as shown.

    `sort` is what it is ordered by, the text where it is left out; None (as for an unknown value)
    stands last in both orders. `tone` and `icon_tone` are colour tokens; `code` sets the text in
    the monospace font.
    """

    text: str
    unit: str = ""
    sort: SortKey = ""
    tone: str = "fg2"
    icon: str | None = None
    icon_tone: str = "fg3"
    strong: bool = False
    code: bool = False
    tip: str = ""

    @property
    def sort_key(self) -> SortKey:
        """What the cell is ordered by."""
        return self.text.casefold() if self.sort == "" else self.sort

    @property
    def full_text(self) -> str:
        """The text with its unit."""
        return f"{self.text} {self.unit}".strip()


UNKNOWN = Cell("unknown", sort=None, tone="fg3")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column: `key` names it in saved states, `cell` is a pure function of the record."""

    key: str
    title: str
    cell: Callable[[Row], Cell]
    numeric: bool = False
    width: int = 120
    visible: bool = True
    tip: str = ""


def precedes(left: SortKey, right: SortKey, descending: bool) -> bool:
    """Whether `left` is smaller; None is as far back as the order allows, numbers before text."""
    if left is None or right is None:
        return (right is None) != (left is None) and (left is None) == descending
    return _rank(left) < _rank(right)


def _rank(key: float | str) -> tuple[int, float, str]:
    return (1, 0.0, key) if isinstance(key, str) else (0, key, "")
