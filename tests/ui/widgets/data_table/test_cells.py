from __future__ import annotations

import pytest

from workbench.ui.widgets.data_table.cells import UNKNOWN, Cell, SortKey, ordered


@pytest.mark.parametrize(
    ("keys", "ascending", "descending"),
    [
        ([2.0, 1.0, 3.0], [1, 0, 2], [2, 0, 1]),
        (["b", "a"], [1, 0], [0, 1]),
        ([None, 1.0, 2.0], [1, 2, 0], [2, 1, 0]),
        (["a", 9.0], [1, 0], [0, 1]),
        ([1.0, 1.0], [0, 1], [0, 1]),
        ([None, None], [0, 1], [0, 1]),
        ([], [], []),
    ],
)
def test_what_is_unknown_stands_last_in_both_orders(
    keys: list[SortKey], ascending: list[int], descending: list[int]
) -> None:
    assert ordered(keys, descending=False) == ascending
    assert ordered(keys, descending=True) == descending


def test_a_cell_is_ordered_by_its_text_in_any_case() -> None:
    assert Cell("Gemm").sort_key == "gemm"


def test_a_cell_is_ordered_by_its_value_where_it_has_one() -> None:
    assert Cell("1,500", "µs", 1500.0).sort_key == 1500.0


def test_the_unknown_has_no_order() -> None:
    assert UNKNOWN.sort_key is None


def test_the_full_text_has_the_unit() -> None:
    assert Cell("48", "KiB").full_text == "48 KiB"
    assert Cell("gemm").full_text == "gemm"
