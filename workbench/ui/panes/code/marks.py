"""What a comparison marks in one of its two texts: changed lines and words, and folds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.session.text_differences import Change, Difference, Fold, Hunk, Range, word_changes

TOKENS = {Change.ADDED: "good", Change.REMOVED: "error", Change.CHANGED: "accent"}


@dataclass(frozen=True)
class Marks:
    """One side of a difference; `opened` are the folds, by number, whose lines are shown."""

    difference: Difference
    is_left: bool
    opened: frozenset[int] = frozenset()
    _words: dict[int, tuple[Range, ...]] = field(default_factory=dict, compare=False)

    def change_at(self, line: int) -> Hunk | None:
        """The change that a line is part of."""
        index = bisect_right(self._starts, line) - 1
        hunk = self.difference.changes[index] if index >= 0 else None
        return hunk if hunk is not None and line < self.range_of(hunk)[1] else None

    def insertion_at(self, line: int) -> Hunk | None:
        """The change of which this side has nothing, right before a line."""
        return self._insertions.get(line)

    def words(self, line: int) -> tuple[Range, ...]:
        """The columns of a changed line that differ from the line beside it; kept once found."""
        if line not in self._words:
            self._words[line] = self._changed_words(line)
        return self._words[line]

    @property
    def folds(self) -> Mapping[int, int]:
        """The number of each closed fold by the line that stands for it."""
        return {
            self.start_of(fold): number
            for number, fold in enumerate(self.difference.folds)
            if number not in self.opened
        }

    @property
    def hidden(self) -> tuple[Range, ...]:
        """The lines that closed folds hide; the first line of each stands for it."""
        return tuple(
            (self.start_of(fold) + 1, self.start_of(fold) + fold.count)
            for number, fold in enumerate(self.difference.folds)
            if number not in self.opened
        )

    def fold_around(self, line: int) -> int | None:
        """The number of the closed fold that a line is in."""
        for number, fold in enumerate(self.difference.folds):
            start = self.start_of(fold)
            if start <= line < start + fold.count and number not in self.opened:
                return number
        return None

    def range_of(self, hunk: Hunk) -> Range:
        """The lines of a hunk on this side."""
        return hunk.left if self.is_left else hunk.right

    def start_of(self, fold: Fold) -> int:
        """The first line of a fold on this side."""
        return fold.left if self.is_left else fold.right

    @cached_property
    def _starts(self) -> list[int]:
        return [self.range_of(hunk)[0] for hunk in self.difference.changes]

    @cached_property
    def _insertions(self) -> dict[int, Hunk]:
        ranges = [(self.range_of(hunk), hunk) for hunk in self.difference.changes]
        return {start: hunk for (start, end), hunk in ranges if start == end}

    def _changed_words(self, line: int) -> tuple[Range, ...]:
        hunk = self.change_at(line)
        if hunk is None or hunk.change is not Change.CHANGED:
            return ()
        offset = line - self.range_of(hunk)[0]
        left, right = hunk.left[0] + offset, hunk.right[0] + offset
        if left >= hunk.left[1] or right >= hunk.right[1]:
            return ()
        found = word_changes(self.difference.left[left], self.difference.right[right])
        return found[0 if self.is_left else 1]
