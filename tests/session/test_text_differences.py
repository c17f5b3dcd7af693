from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.session.text_differences import (
    Change,
    Fold,
    Hunk,
    compare,
    line_counts,
    word_changes,
)

LINES = st.lists(st.sampled_from(["a", "b", "c", "}", ""]), max_size=40)


def changes(left: str, right: str) -> list[tuple[Change, str, str]]:
    """The hunks that differ, with their lines as words."""
    difference = compare(left.split(), right.split())
    return [
        (
            h.change,
            " ".join(difference.left[slice(*h.left)]),
            " ".join(difference.right[slice(*h.right)]),
        )
        for h in difference.changes
    ]


@given(LINES, LINES)
def test_hunks_cover_both_texts_and_equal_ones_are_equal(left: list[str], right: list[str]) -> None:
    hunks = compare(left, right).hunks
    assert [line for h in hunks for line in left[slice(*h.left)]] == left
    assert [line for h in hunks for line in right[slice(*h.right)]] == right
    for hunk in hunks:
        same = left[slice(*hunk.left)] == right[slice(*hunk.right)]
        assert same == (hunk.change is Change.EQUAL)


@given(LINES, LINES)
def test_equal_hunks_never_touch(left: list[str], right: list[str]) -> None:
    kinds = [hunk.change for hunk in compare(left, right).hunks]
    assert all((a is Change.EQUAL) != (b is Change.EQUAL) for a, b in pairwise(kinds))


def test_an_added_a_removed_and_a_changed_line() -> None:
    assert changes("a b c", "a x b c") == [(Change.ADDED, "", "x")]
    assert changes("a x b c", "a b c") == [(Change.REMOVED, "x", "")]
    assert changes("a x c", "a y c") == [(Change.CHANGED, "x", "y")]


def test_a_repeated_line_does_not_draw_a_block_apart() -> None:
    left = "f { x } g { y }"
    right = "f { x } n { z } g { y }"
    assert changes(left, right) == [(Change.ADDED, "", "n { z }")]


def test_nothing_differs_from_itself() -> None:
    difference = compare(["a", "b"], ["a", "b"])
    assert difference.hunks == (Hunk(Change.EQUAL, (0, 2), (0, 2)),)
    assert (difference.changes, difference.folds) == ((), ())


def test_the_lines_of_changed_hunks_are_counted_on_both_sides() -> None:
    difference = compare(list("abcd"), list("axyzd"))
    assert (difference.added, difference.removed) == (3, 2)


def test_equal_lines_far_from_changes_fold() -> None:
    same = [f"line {i}" for i in range(20)]
    difference = compare([*same, "x", *same[::-1]], [*same, "y", "z", *same[::-1]])
    assert difference.folds == (Fold(0, 0, 17), Fold(24, 25, 17))


def test_few_equal_lines_stay() -> None:
    same = [f"line {i}" for i in range(9)]
    assert compare(["a", *same, "b"], ["x", *same, "y"]).folds == ()


def test_a_place_has_its_opposite() -> None:
    difference = compare(list("abcd"), list("abxycd"))
    assert difference.opposite(1, from_left=True) == 1
    assert difference.opposite(3, from_left=True) == 5
    assert difference.opposite(3.5, from_left=False) == 2
    assert difference.opposite(4.5, from_left=False) == 2.5


@given(LINES, LINES, st.floats(0, 40))
def test_opposites_stay_within_the_text(left: list[str], right: list[str], line: float) -> None:
    difference = compare(left, right)
    assert 0 <= difference.opposite(min(line, len(left)), from_left=True) <= len(right)


def test_words_that_differ_are_found() -> None:
    left, right = word_changes("ld.global.f32 %r1, [%rd2];", "ld.shared.f32 %r1, [%rd20];")
    assert (left, right) == (((3, 9), (21, 24)), ((3, 9), (21, 25)))


def test_unlike_lines_are_not_compared_by_words() -> None:
    assert word_changes("for (int i = 0; i < 4; ++i) {", "return 17;") == ((), ())


def test_counts_of_lines_take_moves_for_nothing() -> None:
    assert line_counts(["a", "b", "c"], ["c", "a", "x", "b"]) == (1, 0)


@pytest.mark.parametrize("unique", [True, False])
def test_long_texts_are_compared_quickly(unique: bool) -> None:
    left = [f"mov {i if unique else i % 7}" for i in range(20_000)]
    right = [line if i % 50 else f"new {i % 11}" for i, line in enumerate(left)]
    begun = time.perf_counter()
    difference = compare(left, right)
    assert difference.changes
    assert time.perf_counter() - begun < 5
