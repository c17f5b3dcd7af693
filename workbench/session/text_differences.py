"""Compares two texts line by line, and changed lines word by word."""

from __future__ import annotations

import enum
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

# Above this product of lengths difflib takes long; such a gap without a line in common that is
# unique on both sides is told as changed as a whole.
_DIFFLIB_AREA = 40_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LEAST_LIKENESS = 0.5
_LONGEST_LINE = 2_000
CONTEXT_LINES = 3
_LEAST_FOLD = 4

Range = tuple[int, int]
T = TypeVar("T", str, bytes)


class Change(enum.Enum):
    """What became of the left lines on the right."""

    EQUAL = "equal"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True)
class Hunk:
    """Lines, from 0 and without the last, on both sides; equal ones are as many on each."""

    change: Change
    left: Range
    right: Range


@dataclass(frozen=True)
class Fold:
    """`count` equal lines, from a line on each side, that need not be seen."""

    left: int
    right: int
    count: int


@dataclass(frozen=True)
class Difference:
    """Two texts in lines and the hunks that lead from the left to the right, which cover both."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    hunks: tuple[Hunk, ...]

    @cached_property
    def changes(self) -> tuple[Hunk, ...]:
        """The hunks that are not equal."""
        return tuple(hunk for hunk in self.hunks if hunk.change is not Change.EQUAL)

    @property
    def added(self) -> int:
        """How many lines of the right are not on the left."""
        return sum(hunk.right[1] - hunk.right[0] for hunk in self.changes)

    @property
    def removed(self) -> int:
        """How many lines of the left are not on the right."""
        return sum(hunk.left[1] - hunk.left[0] for hunk in self.changes)

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """The equal lines further than `CONTEXT_LINES` from a change; none where all are equal."""
        return tuple(_folds(self.hunks)) if self.changes else ()

    def opposite(self, line: float, from_left: bool) -> float:
        """The place on the other side, in lines, of a place on one; between lines within hunks."""
        if not self.hunks:
            return 0.0
        starts = self._left_starts if from_left else self._right_starts
        hunk = self.hunks[max(0, bisect_right(starts, line) - 1)]
        here, there = (hunk.left, hunk.right) if from_left else (hunk.right, hunk.left)
        share = (line - here[0]) / (here[1] - here[0]) if here[1] > here[0] else 1.0
        return there[0] + min(share, 1.0) * (there[1] - there[0])

    @cached_property
    def _left_starts(self) -> list[int]:
        return [hunk.left[0] for hunk in self.hunks]

    @cached_property
    def _right_starts(self) -> list[int]:
        return [hunk.right[0] for hunk in self.hunks]


def compare(
    left: Sequence[str], right: Sequence[str], key: Callable[[str], str] = str
) -> Difference:
    """The difference of two texts given in lines; fast also for tens of thousands of them.

    Lines are equal where what `key` makes of them is.
    """
    keys = [*map(key, left)], [*map(key, right)]
    pairs = [*_equal_runs(*keys, (0, len(left)), (0, len(right)))]
    runs = _joined([*pairs, ((len(left), len(left)), (len(right), len(right)))])
    hunks: list[Hunk] = []
    at_left = at_right = 0
    for run_left, run_right in runs:
        hunks += _hunk((at_left, run_left[0]), (at_right, run_right[0]))
        if run_left[0] < run_left[1]:
            hunks.append(Hunk(Change.EQUAL, run_left, run_right))
        at_left, at_right = run_left[1], run_right[1]
    return Difference(tuple(left), tuple(right), tuple(hunks))


def line_counts(left: Sequence[T], right: Sequence[T]) -> tuple[int, int]:
    """How many lines are new on the right and how many are gone, whatever their order."""
    before, after = Counter(left), Counter(right)
    return (after - before).total(), (before - after).total()


def word_changes(left: str, right: str) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """The columns, but for blanks, that differ on each side; none where the lines are unlike."""
    if max(len(left), len(right)) > _LONGEST_LINE:
        return (), ()
    words = [_WORD.findall(text) for text in (left, right)]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.ratio() < _LEAST_LIKENESS:
        return (), ()
    columns = [_columns(found) for found in words]
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    found = (
        [(columns[0][a], columns[0][b]) for _, a, b, _, _ in changed],
        [(columns[1][a], columns[1][b]) for _, _, _, a, b in changed],
    )
    return _not_blank(left, found[0]), _not_blank(right, found[1])


def _not_blank(line: str, ranges: Sequence[Range]) -> tuple[Range, ...]:
    return tuple((start, end) for start, end in ranges if line[start:end].strip())


def _columns(words: Sequence[str]) -> list[int]:
    """Where each word begins, and at last where the line ends."""
    columns = [0]
    for word in words:
        columns.append(columns[-1] + len(word))
    return columns


def _hunk(left: Range, right: Range) -> list[Hunk]:
    """The hunk of two ranges that have nothing in common, none where both are empty."""
    has_left, has_right = left[0] < left[1], right[0] < right[1]
    if not has_left and not has_right:
        return []
    if has_left and has_right:
        return [Hunk(Change.CHANGED, left, right)]
    return [Hunk(Change.REMOVED if has_left else Change.ADDED, left, right)]


def _equal_runs(
    left: Sequence[str], right: Sequence[str], of_left: Range, of_right: Range
) -> Iterator[tuple[Range, Range]]:
    """Ranges of equal lines in order: common ends, then between lines that are unique on both."""
    (a, b), (c, d) = of_left, of_right
    head = _common(left, right, a, c, min(b - a, d - c))
    yield (a, a + head), (c, c + head)
    a, c = a + head, c + head
    tail = _common_tail(left, right, b, d, min(b - a, d - c))
    b, d = b - tail, d - tail
    if a < b and c < d:
        yield from _inner_runs(left, right, (a, b), (c, d))
    yield (b, b + tail), (d, d + tail)


def _inner_runs(
    left: Sequence[str], right: Sequence[str], of_left: Range, of_right: Range
) -> Iterator[tuple[Range, Range]]:
    (a, b), (c, d) = of_left, of_right
    anchors = _anchors(left[a:b], right[c:d])
    if anchors:
        stops = [(a - 1, c - 1), *((a + i, c + j) for i, j in anchors), (b, d)]
        for (i, j), (k, m) in pairwise(stops):
            if i >= a:
                yield (i, i + 1), (j, j + 1)
            yield from _equal_runs(left, right, (i + 1, k), (j + 1, m))
    elif (b - a) * (d - c) <= _DIFFLIB_AREA:
        matcher = SequenceMatcher(None, left[a:b], right[c:d], autojunk=False)
        for i, j, size in matcher.get_matching_blocks():
            yield (a + i, a + i + size), (c + j, c + j + size)


def _anchors(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that occur once on each side, as many as are in one order on both (patience sort)."""
    once_left, once_right = _once(left), _once(right)
    pairs = [(i, once_right[line]) for line, i in once_left.items() if line in once_right]
    tops: list[int] = []
    chain: list[tuple[int, int, int]] = []  # left, right, number of the pair before in the chain
    piles: list[int] = []
    for i, j in pairs:
        pile = bisect_left(tops, j)
        chain.append((i, j, piles[pile - 1] if pile else -1))
        tops[pile:] = [j, *tops[pile + 1 :]]
        piles[pile:] = [len(chain) - 1, *piles[pile + 1 :]]
    return _followed(chain, piles[-1] if piles else -1)


def _followed(chain: Sequence[tuple[int, int, int]], last: int) -> list[tuple[int, int]]:
    found = []
    while last >= 0:
        i, j, last = chain[last]
        found.append((i, j))
    return found[::-1]


def _once(lines: Sequence[str]) -> dict[str, int]:
    """The lines that occur once, with their place, in order."""
    counts = Counter(lines)
    return {line: i for i, line in enumerate(lines) if counts[line] == 1}


def _common(left: Sequence[str], right: Sequence[str], a: int, c: int, most: int) -> int:
    return next((i for i in range(most) if left[a + i] != right[c + i]), most)


def _common_tail(left: Sequence[str], right: Sequence[str], b: int, d: int, most: int) -> int:
    return next((i for i in range(most) if left[b - 1 - i] != right[d - 1 - i]), most)


def _joined(runs: Sequence[tuple[Range, Range]]) -> list[tuple[Range, Range]]:
    """The runs without empty ones (but for the last), neighbours made one."""
    joined: list[tuple[Range, Range]] = []
    for left, right in runs[:-1]:
        if left[0] == left[1]:
            continue
        if joined and joined[-1][0][1] == left[0] and joined[-1][1][1] == right[0]:
            left, right = (joined[-1][0][0], left[1]), (joined[-1][1][0], right[1])
            joined.pop()
        joined.append((left, right))
    return [*joined, runs[-1]]


def _folds(hunks: Sequence[Hunk]) -> Iterator[Fold]:
    for index, hunk in enumerate(hunks):
        if hunk.change is not Change.EQUAL:
            continue
        above = CONTEXT_LINES if index else 0
        below = CONTEXT_LINES if index + 1 < len(hunks) else 0
        count = hunk.left[1] - hunk.left[0] - above - below
        if count >= _LEAST_FOLD:
            yield Fold(hunk.left[0] + above, hunk.right[0] + above, count)
