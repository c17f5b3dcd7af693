"""What a table shows: columns that turn a record into cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

Row = TypeVar("Row")
SortKey = float | str | None


class Cell(NamedTuple):
    """One field as shown; a table of a thousand rows makes ten thousand of them at once.

    `sort` is what it is ordered by, the text where it is left out; None (as for an unknown value)
    stands last in both orders. `tone`, `icon_tone` and `bar_tone` are colour tokens; `code` sets
    the text in the monospace font. `bar` is a share that is drawn left of a number, as predicted
    unless it is `bar_solid`.
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
    bar: float | None = None
    bar_tone: str = "accent"
    bar_solid: bool = False

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
    """A column: `key` names it in saved states, `cell` is a pure function of the record.

    `tip_of` makes the tip of a cell when somebody points at it, where making it costs something.
    `sort` gives what the cell of a record is ordered by, where that is known without the cell.
    """

    key: str
    title: str
    cell: Callable[[Row], Cell]
    numeric: bool = False
    width: int = 120
    visible: bool = True
    tip: str = ""
    tip_of: Callable[[Row], str] | None = None
    sort: Callable[[Row], SortKey] | None = None


def ordered(keys: Sequence[SortKey], descending: bool) -> list[int]:
    """The places of `keys` in their order: numbers before text, equal ones as they came.

    Those that are None stand last in both orders.
    """
    known = [(_rank(key), at) for at, key in enumerate(keys) if key is not None]
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return [at for _, at in known] + [at for at, key in enumerate(keys) if key is None]


def _rank(key: float | str) -> tuple[int, float, str]:
    return (1, 0.0, key) if isinstance(key, str) else (0, key, "")
