"""Follows lines through edits: what is kept by line number moves with the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class LineShift:
    """An edit in the lines `first` to `last` before it, which moved those below by `delta`.

    `keeps_last`: it began at the start of line `first` and ended at the start of line `last`, so
    that the whole text of that line stays, `delta` lines below.
    """

    first: int
    last: int
    delta: int
    keeps_last: bool = False

    def line(self, line: int) -> int | None:
        """Where a line is after the edit, None where it is gone."""
        if line < self.first:
            return line
        if line > self.last or (line == self.last and self.keeps_last):
            return line + self.delta
        if self.keeps_last:
            return None
        return line if line <= max(self.last + self.delta, self.first) else None

    def moved(self, values: Mapping[int, T]) -> dict[int, T]:
        """The values by their lines after the edit, without those whose line is gone."""
        first, last, delta = self.first, self.last, self.delta
        result = {
            line if line < first else line + delta: value
            for line, value in values.items()
            if line < first or line > last
        }
        for line in range(first, last + 1):
            moved = self.line(line)
            if line in values and moved is not None:
                result[moved] = values[line]
        return result
