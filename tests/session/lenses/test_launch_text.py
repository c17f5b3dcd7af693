"""The launch is found in the text: its names, and where T.use_swizzle belongs."""

from __future__ import annotations

import pytest

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.diagnostics import Fix
from workbench.session.lenses.tiles.launch_text import block_names, swizzle_fix

PLAIN = """\
def main():
    with T.Kernel(8, 8) as (bx, by):  # é
        T.clear(C)
"""
SWIZZLED = """\
def main():
    with T.Kernel(
        8, 8
    ) as (bx, by):
        T.use_swizzle(panel_size=10)
        T.clear(C)
"""


def applied(text: str, fix: Fix | None) -> str:
    assert fix is not None
    (edit,) = fix.edits
    lines = text.splitlines(keepends=True)
    place = edit.range
    start = sum(map(len, lines[: place.line - 1])) + place.column - 1
    end = start
    if place.end_line is not None and place.end_column is not None:
        end = sum(map(len, lines[: place.end_line - 1])) + place.end_column - 1
    return text[:start] + edit.text + text[end:]


def test_it_is_the_first_statement_of_the_launch() -> None:
    fix = swizzle_fix(PLAIN, 2, Rasterization("row", 4))
    assert fix is not None
    assert fix.title == "Add T.use_swizzle(4)"
    assert applied(PLAIN, fix) == PLAIN.replace(
        "        T.clear", "        T.use_swizzle(4)\n        T.clear"
    )


@pytest.mark.parametrize("line", [2, 3, 5])
def test_it_replaces_the_one_that_is_there(line: int) -> None:
    fix = swizzle_fix(SWIZZLED, line, Rasterization("column", 6))
    assert applied(SWIZZLED, fix) == SWIZZLED.replace("panel_size=10", '6, order="column"')


def test_there_is_none_where_the_launch_is_not_found() -> None:
    for text, line in ((PLAIN, 1), (PLAIN, None), ("def (", 1), (PLAIN.replace("T.K", "T.k"), 2)):
        assert swizzle_fix(text, line, Rasterization("row", 4)) is None


def test_the_documents_names_of_the_indices() -> None:
    assert block_names(SWIZZLED, 2) == ("bx", "by")
    assert block_names(PLAIN.replace("(bx, by)", "head"), 2) == ("head",)
    assert block_names(PLAIN.replace("(bx, by)", "(a, *rest)"), 2) == ()
    assert block_names(PLAIN.replace(" as (bx, by)", ""), 2) == ()
    assert block_names(PLAIN, 1) == ()
