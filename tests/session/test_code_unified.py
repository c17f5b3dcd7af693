from __future__ import annotations

from workbench.session.code_unified import UnifiedText, unify
from workbench.session.text_differences import Change, compare


def signs(text: UnifiedText) -> list[str]:
    """The column as a unified diff would print it."""
    marks = {Change.EQUAL: " ", Change.REMOVED: "-", Change.ADDED: "+"}
    return [f"{marks[line.change]}{line.text}" for line in text.lines]


FOUND = unify(compare(["a = 1", "same", "gone", "end"], ["a = 2", "b", "same", "end", "new"]))


def test_what_is_gone_stands_above_what_is_new() -> None:
    assert signs(FOUND) == ["-a = 1", "+a = 2", "+b", " same", "-gone", " end", "+new"]


def test_a_line_has_the_numbers_of_the_texts_that_have_it() -> None:
    numbers = [(line.left, line.right) for line in FOUND.lines]
    assert numbers == [(0, None), (None, 0), (None, 1), (1, 2), (2, None), (3, 3), (None, 4)]


def test_the_changes_begin_at_their_first_rows() -> None:
    assert FOUND.starts == (0, 4, 6)
    assert [FOUND.change_before(row) for row in (0, 3, 5, 6)] == [0, 0, 1, 2]


def test_lines_of_the_right_and_rows_lead_to_each_other() -> None:
    assert [FOUND.row_of(line) for line in (0, 2, 4, 99)] == [1, 3, 6, 6]
    assert [FOUND.line_of(row) for row in (0, 1, 4, 6)] == [0, 0, 3, 4]


def test_the_words_of_twins_are_marked_and_no_others() -> None:
    assert [FOUND.words(row) for row in (0, 1, 2, 4)] == [((4, 5),), ((4, 5),), (), ()]


def test_equal_lines_are_told_as_the_right_has_them() -> None:
    assert signs(unify(compare(["x"], ["  x"], str.strip))) == ["   x"]


def test_texts_without_a_change_have_no_folds() -> None:
    same = [f"{i}" for i in range(50)]
    found = unify(compare(same, same))
    assert (found.starts, found.folds, found.change_before(9)) == ((), (), None)
    changed = unify(compare(["x", *same], ["y", *same]))
    assert changed.folds == ((5, 52),)


def test_nothing_on_one_side() -> None:
    found = unify(compare([], ["a"]))
    assert (signs(found), found.row_of(0), unify(compare(["a"], [])).row_of(3)) == (["+a"], 0, 0)
