from __future__ import annotations

import pytest

from workbench.ui.widgets.data_table.cells import UNKNOWN, Cell, SortKey, precedes


@pytest.mark.parametrize(
    ("left", "right", "descending", "result"),
    [
        (1.0, 2.0, False, True),
        (2.0, 1.0, False, False),
        ("a", "b", False, True),
        (9.0, "a", False, True),
        (1.0, None, False, True),
        (None, 1.0, False, False),
        (1.0, None, True, False),
        (None, 1.0, True, True),
        (None, None, False, False),
        (None, None, True, False),
    ],
)
def test_what_is_unknown_stands_last_in_both_orders(
    left: SortKey, right: SortKey, descending: bool, result: bool
) -> None:
    assert precedes(left, right, descending) is result


def test_a_cell_is_ordered_by_its_text_in_any_case() -> None:
    assert Cell("Gemm").sort_key == "gemm"


def test_a_cell_is_ordered_by_its_value_where_it_has_one() -> None:
    assert Cell("1,500", "µs", 1500.0).sort_key == 1500.0


def test_the_unknown_has_no_order() -> None:
    assert UNKNOWN.sort_key is None


def test_the_full_text_has_the_unit() -> None:
    assert Cell("48", "KiB").full_text == "48 KiB"
    assert Cell("gemm").full_text == "gemm"
