"""The picture of a conflict: two layouts that one operation wants at once, in one grid of cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.core.analysis.layout_maps import LayoutMap
from workbench.core.analysis.layouts import Ints
from workbench.core.diagnostics import Diagnostic
from workbench.core.plain import PlainError, from_plain

CODE = "layout-conflict"
_MOST_COPIES = 64


@dataclass(frozen=True, eq=False)
class Conflict:
    """Who wants each cell, by both layouts: shapes (copies, rows, columns).

    `first` and `second` name the buffers, or the two wishes where there is one buffer.
    """

    name: str
    first: str
    second: str
    wanted: tuple[Ints, Ints]
    copies: tuple[int, int]
    line: int | None
    help: str | None

    @property
    def rows(self) -> int:
        """Rows of the tile."""
        return int(self.wanted[0].shape[1])

    @property
    def columns(self) -> int:
        """Columns of the tile."""
        return int(self.wanted[0].shape[2])

    def owners(self, which: int, row: int, column: int) -> tuple[int, ...]:
        """The threads that one of the layouts gives a cell, in rising order."""
        return tuple(sorted(set(self.wanted[which][:, row, column].tolist())))

    @cached_property
    def agrees(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Where both give a cell to the same threads."""
        first, second = (np.sort(each, axis=0) for each in self.wanted)
        if len(first) != len(second):
            return np.zeros((self.rows, self.columns), np.bool_)
        same: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (first == second).all(axis=0)
        return same


def conflict_of(problem: Diagnostic) -> Conflict | None:
    """The two layouts of a finding; None where it is no conflict or has no maps."""
    try:
        maps = [from_plain(LayoutMap, each) for each in problem.evidence.get("maps", ())]
    except (PlainError, TypeError):
        return None
    if problem.code != CODE or len(maps) != 2 or maps[0].tile != maps[1].tile:
        return None
    names = [str(name) for name in problem.evidence.get("buffers", ())]
    first, second = names if len(names) == 2 else ("one use", "another")
    return Conflict(
        " and ".join(names),
        first,
        second,
        (_wanted(maps[0]), _wanted(maps[1])),
        (maps[0].copies, maps[1].copies),
        problem.range.line if problem.range is not None else None,
        problem.help,
    )


def _wanted(known: LayoutMap) -> Ints:
    return np.stack([known.holders(copy) for copy in range(min(known.copies, _MOST_COPIES))])


def conflict_conclusion(conflict: Conflict) -> str:
    """How much the two layouts agree on, and what would have to be done."""
    cells, same = conflict.agrees.size, int(conflict.agrees.sum())
    agree = f"{same:,}" if same else "none"
    subject = f"{conflict.first} and {conflict.second}"
    first = f"{subject} agree on the threads of {agree} of {cells:,} cells: "
    one, two = conflict.copies
    if one != two:
        why = f"{conflict.first} lies in {_threads(one)} a cell, {conflict.second} in {two:,}."
    else:
        why = "registers cannot be read across threads."
    return f"{first}{why}{' ' + conflict.help if conflict.help else ''}"


def _threads(count: int) -> str:
    return f"{count:,} thread{'' if count == 1 else 's'}"
