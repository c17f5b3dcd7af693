from __future__ import annotations

import pytest

from workbench.ui.editor.brackets import (
    Match,
    Position,
    Typing,
    is_empty_pair,
    match_at,
    open_brackets,
    type_character,
)


def match(text: str) -> Match | None:
    """The match where `|` stands for the cursor."""
    before = text[: text.index("|")]
    codes = text.replace("|", "").split("\n")
    line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    return match_at(lambda i: codes[i] if 0 <= i < len(codes) else None, line, column)


def test_a_bracket_matches_over_lines_and_inner_brackets() -> None:
    assert match("f|(a[0],\n  b)") == Match(Position(0, 1), Position(1, 3))
    assert match("f(a[0],\n  b)|") == Match(Position(1, 3), Position(0, 1))


@pytest.mark.parametrize("text", ["|(a]", "(a|]", "|(a"])
def test_a_wrong_bracket_has_no_partner(text: str) -> None:
    found = match(text)
    assert found is not None
    assert found.partner is None


def test_no_bracket_at_the_cursor_is_no_match() -> None:
    assert match("a|b()") is None


def test_open_brackets_are_those_without_partner() -> None:
    assert open_brackets(["f(a, [", "1]"]) == [(Position(0, 1), "(")]


@pytest.mark.parametrize(
    ("typed", "before", "after", "result"),
    [
        ("(", "f", "", Typing("(", ")")),
        ("(", "f", "x", None),
        (")", "f(", ")", Typing(steps_over=True)),
        (")", "f(", "x", None),
        ('"', "x = ", "", Typing('"', '"')),
        ('"', "x = f", "", Typing('"', '"')),
        ("'", "don", "", None),
        ('"', 'x = "a', '"', Typing(steps_over=True)),
        ('"', 'x = ""', "", Typing('"', '"""')),
        ("x", "", "", None),
    ],
)
def test_typing_pairs(typed: str, before: str, after: str, result: Typing | None) -> None:
    assert type_character(typed, before, after, in_string=False) == result


def test_nothing_pairs_in_a_string() -> None:
    assert type_character("(", "a", "", in_string=True) is None


def test_an_empty_pair_is_seen() -> None:
    assert is_empty_pair("f(", ")")
    assert is_empty_pair("x = '", "'")
    assert not is_empty_pair("f(", "x")
    assert not is_empty_pair("", "")
