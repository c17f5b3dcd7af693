from __future__ import annotations

import pytest

from workbench.ui.editor.indenting import NewLine, new_line, statement_lines

UNIT = "    "


def enter(text: str, after: str = "") -> NewLine:
    lines = text.split("\n")
    return new_line(lines, lines, UNIT, after)


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("x = 1", ""),
        ("    x = 1", "    "),
        ("if x:", "    "),
        ("    return x", ""),
        ("        pass", "    "),
        ("f(", "    "),
        ("f(a,", "  "),
        ("    x = f(a[0],", "          "),
        ("def f(\n    a,\n):", "    "),
        ("x = f(\n    a,\n)", ""),
        ("x = f(a,\n      b)", ""),
        ("    y = [\n        1,", "        "),
        ("returned = 1", ""),
    ],
)
def test_a_new_line_is_indented_as_python_goes_on(text: str, indent: str) -> None:
    assert enter(text).indent == indent


def test_enter_between_brackets_puts_the_closing_one_on_its_own_line() -> None:
    assert enter("    f(", ")") == NewLine("        ", "    ")
    assert enter("    f(", " x") == NewLine("        ", None)


def test_only_the_lines_of_the_statement_are_looked_at() -> None:
    assert statement_lines(["x = 1", "def f(", "    a", "    b"]) == 3
    assert statement_lines(["  a"]) == 1
