"""What a comparison marks in a text: changed lines and words, and folds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.session.code_unified import UnifiedText
from workbench.session.text_differences import Change, Difference, Hunk, Range, word_changes

TOKENS = {Change.ADDED: "good", Change.REMOVED: "error", Change.CHANGED: "accent"}


class Marks(ABC):
    """The marks of one text; `opened` are the folds, by number, whose lines are shown."""

    opened: frozenset[int]

    @abstractmethod
    def change_at(self, line: int) -> Change | None:
        """What became of a line; None where nothing did."""

    @abstractmethod
    def insertion_at(self, line: int) -> Change | None:
        """What became of lines that this text lacks, right before a line."""

    @abstractmethod
    def words(self, line: int) -> tuple[Range, ...]:
        """The columns of a changed line that differ from the line that it is compared with."""

    @property
    @abstractmethod
    def fold_ranges(self) -> tuple[Range, ...]:
        """The lines of every fold, open or closed."""

    @cached_property
    def folds(self) -> Mapping[int, int]:
        """The number of each closed fold by the line that stands for it."""
        return {
            start: number
            for number, (start, _) in enumerate(self.fold_ranges)
            if number not in self.opened
        }

    @cached_property
    def hidden(self) -> tuple[Range, ...]:
        """The lines that closed folds hide; the first line of each stands for it."""
        return tuple(
            (start + 1, self.fold_ranges[number][1]) for start, number in self.folds.items()
        )

    def fold_around(self, line: int) -> int | None:
        """The number of the closed fold that a line is in."""
        for number, (start, end) in enumerate(self.fold_ranges):
            if start <= line < end and number not in self.opened:
                return number
        return None

    def fold_length(self, number: int) -> int:
        """How many lines a fold has."""
        start, end = self.fold_ranges[number]
        return end - start


@dataclass(frozen=True)
class SideMarks(Marks):
    """One side of a difference, shown beside the other."""

    difference: Difference
    is_left: bool
    opened: frozenset[int] = frozenset()
    _words: dict[int, tuple[Range, ...]] = field(default_factory=dict, compare=False)

    def change_at(self, line: int) -> Change | None:
        """What became of a line; CHANGED where other lines stand in its place."""
        hunk = self._hunk_at(line)
        return hunk.change if hunk is not None else None

    def insertion_at(self, line: int) -> Change | None:
        """What became of the other side's lines before a line, where this side has none of them."""
        return self._insertions.get(line)

    def words(self, line: int) -> tuple[Range, ...]:
        """The columns of a changed line that differ from the line beside it; kept once found."""
        if line not in self._words:
            self._words[line] = self._changed_words(line)
        return self._words[line]

    @property
    def fold_ranges(self) -> tuple[Range, ...]:
        """The lines of every fold on this side."""
        return self._fold_ranges

    @cached_property
    def _fold_ranges(self) -> tuple[Range, ...]:
        starts = [
            (fold.left if self.is_left else fold.right, fold.count)
            for fold in self.difference.folds
        ]
        return tuple((start, start + count) for start, count in starts)

    @cached_property
    def _starts(self) -> list[int]:
        return [self._range_of(hunk)[0] for hunk in self.difference.changes]

    @cached_property
    def _insertions(self) -> dict[int, Change]:
        ranges = [(self._range_of(hunk), hunk.change) for hunk in self.difference.changes]
        return {start: change for (start, end), change in ranges if start == end}

    def _hunk_at(self, line: int) -> Hunk | None:
        index = bisect_right(self._starts, line) - 1
        hunk = self.difference.changes[index] if index >= 0 else None
        return hunk if hunk is not None and line < self._range_of(hunk)[1] else None

    def _range_of(self, hunk: Hunk) -> Range:
        return hunk.left if self.is_left else hunk.right

    def _changed_words(self, line: int) -> tuple[Range, ...]:
        hunk = self._hunk_at(line)
        if hunk is None or hunk.change is not Change.CHANGED:
            return ()
        offset = line - self._range_of(hunk)[0]
        left, right = hunk.left[0] + offset, hunk.right[0] + offset
        if left >= hunk.left[1] or right >= hunk.right[1]:
            return ()
        found = word_changes(self.difference.left[left], self.difference.right[right])
        return found[0 if self.is_left else 1]


@dataclass(frozen=True)
class UnifiedMarks(Marks):
    """Both sides of a difference in one column."""

    text: UnifiedText
    opened: frozenset[int] = frozenset()

    def change_at(self, line: int) -> Change | None:
        """Whether a row is gone or new."""
        change = self.text.lines[line].change if line < len(self.text.lines) else Change.EQUAL
        return change if change is not Change.EQUAL else None

    def insertion_at(self, line: int) -> Change | None:
        """Nothing lacks here."""
        return None

    def words(self, line: int) -> tuple[Range, ...]:
        """The columns that differ from the line that is gone, or that stands in its place."""
        return self.text.words(line)

    @property
    def fold_ranges(self) -> tuple[Range, ...]:
        """The rows of every fold."""
        return self.text.folds
