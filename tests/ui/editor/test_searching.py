from __future__ import annotations

import pytest

from workbench.ui.editor.searching import (
    Found,
    PatternError,
    Query,
    find_all,
    from_selection,
    next_index,
    previous_index,
    replacements,
)

TEXT = "Tile tile tiles\n(tile)"


@pytest.mark.parametrize(
    ("query", "starts"),
    [
        (Query("tile"), [0, 5, 10, 17]),
        (Query("tile", match_case=True), [5, 10, 17]),
        (Query("tile", whole_word=True), [0, 5, 17]),
        (Query("(tile)"), [16]),
        (Query("t.l", is_regex=True), [0, 5, 10, 17]),
        (Query("^.", is_regex=True), [0, 16]),
        (Query("x*", is_regex=True), []),
        (Query(""), []),
    ],
)
def test_matches_are_found(query: Query, starts: list[int]) -> None:
    assert [found.start for found in find_all(TEXT, query)] == starts


def test_a_wrong_expression_says_why() -> None:
    with pytest.raises(PatternError, match="unterminated"):
        find_all(TEXT, Query("(", is_regex=True))


def test_groups_are_put_into_replacements() -> None:
    found = replacements("a=b", Query(r"(\w)=(\w)", is_regex=True), r"\2=\1")
    assert found == [(Found(0, 3), "b=a")]


def test_a_plain_replacement_is_taken_as_it_is() -> None:
    assert replacements("a", Query("a"), r"\1") == [(Found(0, 1), r"\1")]


def test_a_wrong_replacement_says_why() -> None:
    with pytest.raises(PatternError, match="invalid group reference"):
        replacements("a", Query("a", is_regex=True), r"\2")


def test_next_and_previous_go_around() -> None:
    found = [Found(2, 4), Found(6, 8)]
    assert next_index(found, 3) == 1
    assert next_index(found, 7) == 0
    assert previous_index(found, 6) == 0
    assert previous_index(found, 1) == 1
    assert next_index([], 0) is None


def test_the_selection_becomes_the_query() -> None:
    assert from_selection(Query("x", is_regex=True), "a.b").text == r"a\.b"
    assert from_selection(Query("x"), "a\nb").text == "x"
