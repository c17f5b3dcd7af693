"""Two compared texts in one column: what is gone stands above what stands in its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from workbench.session.text_differences import Change, Difference, Hunk, Range, word_changes


@dataclass(frozen=True, slots=True)
class UnifiedLine:
    """A line with its place, from 0, on each side that has it.

    `change` is EQUAL, REMOVED (the left has it) or ADDED (the right has it). An equal line is told
    as the right has it. `twin` is the row of the line that stands in place of a changed one.
    """

    text: str
    left: int | None
    right: int | None
    change: Change
    twin: int | None = None


@dataclass(frozen=True, eq=False)
class UnifiedText:
    """The rows of a difference, and where its changes and folds begin among them."""

    difference: Difference
    lines: tuple[UnifiedLine, ...]
    _words: dict[int, tuple[Range, ...]] = field(default_factory=dict)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first row of each change."""
        return tuple(
            self._row_of_left[hunk.left[0]]
            if hunk.left[0] < hunk.left[1]
            else self._row_of_right[hunk.right[0]]
            for hunk in self.difference.changes
        )

    @cached_property
    def folds(self) -> tuple[Range, ...]:
        """The rows of each fold of the difference."""
        starts = ((self._row_of_right[fold.right], fold.count) for fold in self.difference.folds)
        return tuple((start, start + count) for start, count in starts)

    def change_before(self, row: int) -> int | None:
        """The number of the last change at or above a row."""
        found = bisect_right(self.starts, row) - 1
        return found if found >= 0 else None

    def row_of(self, line: int) -> int:
        """The row of a line of the right, from 0; the nearest where there is none."""
        last = len(self._row_of_right) - 1
        return self._row_of_right[min(max(line, 0), last)] if last >= 0 else 0

    def line_of(self, row: int) -> int:
        """The line of the right in a row, or the next one below."""
        below = (line.right for line in self.lines[row:] if line.right is not None)
        return next(below, max(0, len(self.difference.right) - 1))

    def words(self, row: int) -> tuple[Range, ...]:
        """The columns of a changed line that differ from its twin; kept once found."""
        if row not in self._words:
            self._words[row] = self._changed_words(row)
        return self._words[row]

    @cached_property
    def _row_of_left(self) -> dict[int, int]:
        return {line.left: at for at, line in enumerate(self.lines) if line.left is not None}

    @cached_property
    def _row_of_right(self) -> dict[int, int]:
        return {line.right: at for at, line in enumerate(self.lines) if line.right is not None}

    def _changed_words(self, row: int) -> tuple[Range, ...]:
        line = self.lines[row]
        if line.twin is None:
            return ()
        other = self.lines[line.twin].text
        if line.change is Change.REMOVED:
            return word_changes(line.text, other)[0]
        return word_changes(other, line.text)[1]


def unify(difference: Difference) -> UnifiedText:
    """The one column of a difference."""
    rows: list[UnifiedLine] = []
    for hunk in difference.hunks:
        rows += (
            _equal(difference, hunk)
            if hunk.change is Change.EQUAL
            else _changed(difference, hunk, len(rows))
        )
    return UnifiedText(difference, tuple(rows))


def _equal(difference: Difference, hunk: Hunk) -> Iterator[UnifiedLine]:
    for left, right in zip(range(*hunk.left), range(*hunk.right), strict=True):
        yield UnifiedLine(difference.right[right], left, right, Change.EQUAL)


def _changed(difference: Difference, hunk: Hunk, row: int) -> Iterator[UnifiedLine]:
    """The lines of the left, then those of the right; the n-th of each are twins."""
    gone, new = (end - start for start, end in (hunk.left, hunk.right))
    for at in range(gone):
        left = hunk.left[0] + at
        twin = row + gone + at if at < new else None
        yield UnifiedLine(difference.left[left], left, None, Change.REMOVED, twin)
    for at in range(new):
        right = hunk.right[0] + at
        twin = row + at if at < gone else None
        yield UnifiedLine(difference.right[right], None, right, Change.ADDED, twin)
