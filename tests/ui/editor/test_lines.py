from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.editor.lines import (
    backspace_length,
    dedented,
    home_column,
    indent_unit,
    indented,
    smallest_change,
    tab_text,
    toggle_comment,
)

LINES = st.text(alphabet="ab #\t", max_size=12)


def test_the_indentation_of_a_file_is_found() -> None:
    assert indent_unit(["def f():", "  if x:", "    y", "  z"]) == "  "
    assert indent_unit(["def f():", "\tx"]) == "\t"
    assert indent_unit(["x"]) == "    "


def test_empty_lines_are_not_indented() -> None:
    assert [indented(line, "    ") for line in ("a", "", "  ")] == ["    a", "", "  "]


@pytest.mark.parametrize(("line", "result"), [("      a", "  a"), ("  a", "a"), ("\ta", "a")])
def test_dedenting_takes_one_level_or_what_there_is(line: str, result: str) -> None:
    assert dedented(line, "    ") == result


def test_comments_stand_at_the_least_indentation() -> None:
    assert toggle_comment(["  a", "", "    b"]) == ["  # a", "", "  #   b"]


@given(st.lists(LINES, min_size=1, max_size=5))
def test_commenting_twice_gives_the_lines_back(lines: list[str]) -> None:
    is_comment = [line.lstrip().startswith("#") for line in lines if line.strip()]
    if all(is_comment) or any(line.startswith(("\t", " ")) and not line.strip() for line in lines):
        return
    assert toggle_comment(toggle_comment(lines)) == lines


@pytest.mark.parametrize(
    ("before", "length"), [("        ", 4), ("      ", 2), ("  x ", 1), ("", 1)]
)
def test_backspace_goes_to_the_previous_level(before: str, length: int) -> None:
    assert backspace_length(before, "    ") == length


def test_tab_fills_up_to_the_next_level() -> None:
    assert tab_text("ab", "    ") == "  "
    assert tab_text("ab", "\t") == "\t"


def test_home_alternates_between_the_code_and_the_edge() -> None:
    assert home_column("    a", 5) == 4
    assert home_column("    a", 4) == 0
    assert home_column("    a", 0) == 4


@given(LINES, LINES)
def test_the_smallest_change_turns_one_line_into_the_other(old: str, new: str) -> None:
    change = smallest_change(old, new)
    if change is None:
        assert old == new
    else:
        assert old[: change.start] + change.text + old[change.end :] == new
