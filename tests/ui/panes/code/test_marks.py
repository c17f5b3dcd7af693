from __future__ import annotations

import pytest

from workbench.session.code_unified import unify
from workbench.session.text_differences import Change, compare
from workbench.ui.panes.code.marks import SideMarks, UnifiedMarks

SAME = [f"line {i}" for i in range(20)]
FOUND = compare(["one = 1", *SAME, "gone", "end"], ["one = 2", *SAME, "end", "new"])


@pytest.fixture
def left() -> SideMarks:
    return SideMarks(FOUND, is_left=True)


@pytest.fixture
def right() -> SideMarks:
    return SideMarks(FOUND, is_left=False)


def test_the_change_of_a_line_is_found_on_each_side(left: SideMarks, right: SideMarks) -> None:
    kinds = [*map(left.change_at, (0, 1, 21, 22))]
    assert kinds == [Change.CHANGED, None, Change.REMOVED, None]
    kinds = [*map(right.change_at, (0, 1, 21, 22))]
    assert kinds == [Change.CHANGED, None, None, Change.ADDED]


def test_lines_that_the_other_side_alone_has_leave_a_rule(
    left: SideMarks, right: SideMarks
) -> None:
    assert right.insertion_at(21) is Change.REMOVED
    assert left.insertion_at(23) is Change.ADDED
    assert left.insertion_at(21) is None


def test_the_words_of_a_changed_line(left: SideMarks, right: SideMarks) -> None:
    assert (left.words(0), right.words(0)) == (((6, 7),), ((6, 7),))
    assert (left.words(21), left.words(5)) == ((), ())


def test_a_fold_hides_all_its_lines_but_the_first(left: SideMarks) -> None:
    assert dict(left.folds) == {4: 0}
    assert left.hidden == ((5, 18),)
    assert [left.fold_around(line) for line in (3, 4, 17, 18)] == [None, 0, 0, None]


def test_an_opened_fold_hides_nothing() -> None:
    marks = SideMarks(FOUND, True, frozenset({0}))
    assert (dict(marks.folds), marks.hidden, marks.fold_around(5)) == ({}, (), None)


def test_in_one_column_a_change_is_a_line_gone_and_a_line_new() -> None:
    marks = UnifiedMarks(unify(FOUND))
    assert [marks.change_at(row) for row in (0, 1, 2)] == [Change.REMOVED, Change.ADDED, None]
    assert (marks.words(0), marks.words(1), marks.words(2)) == (((6, 7),), ((6, 7),), ())
    assert (dict(marks.folds), marks.hidden) == ({5: 0}, ((6, 19),))
    assert marks.fold_length(0) == 14
