from __future__ import annotations

import pytest

from workbench.core.diagnostics import Edit, Fix, TextRange
from workbench.session.fixes import StaleFixError, apply_fix

TEXT = "one\ntwo\nthree\n"


def fix(*edits: tuple[int, int, int, int, str]) -> Fix:
    return Fix("test", tuple(Edit(TextRange(a, b, c, d), text) for a, b, c, d, text in edits))


def test_a_range_is_replaced() -> None:
    assert apply_fix(TEXT, fix((2, 1, 2, 4, "TWO"))) == "one\nTWO\nthree\n"


def test_an_empty_range_inserts() -> None:
    assert apply_fix(TEXT, fix((3, 1, 3, 1, "# "))) == "one\ntwo\n# three\n"


def test_several_edits_are_made_whatever_their_order() -> None:
    edits = fix((3, 1, 3, 6, "3"), (1, 1, 1, 4, "1"))
    assert apply_fix(TEXT, edits) == "1\ntwo\n3\n"


def test_a_whole_line_can_go() -> None:
    assert apply_fix(TEXT, fix((2, 1, 3, 1, ""))) == "one\nthree\n"


@pytest.mark.parametrize(
    "edit", [(9, 1, 9, 2, "x"), (1, 5, 1, 6, "x"), (2, 3, 1, 1, "x"), (0, 1, 0, 1, "x")]
)
def test_a_range_outside_the_text_is_stale(edit: tuple[int, int, int, int, str]) -> None:
    with pytest.raises(StaleFixError):
        apply_fix(TEXT, fix(edit))


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(StaleFixError, match="overlap"):
        apply_fix(TEXT, fix((1, 1, 1, 3, "x"), (1, 2, 1, 4, "y")))
