"""A fragment's cells, against the figures of the PTX ISA and worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.layout_buffers import accumulator, row_sums, wide_accumulator
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap, row_major
from workbench.session.lenses.layouts.formulas import digit_formula
from workbench.session.lenses.layouts.fragment import (
    NOBODY,
    Fragment,
    Held,
    fragment_conclusion,
    fragment_of,
    thread_text,
)


def fragment(layout: BufferLayout) -> Fragment:
    assert layout.map is not None
    return fragment_of(layout, layout.map, 32)


def test_a_thread_holds_the_cells_that_the_isa_gives_its_lane() -> None:
    # Lane 13: row 13 / 4 = 3 and 11, columns 13 % 4 * 2 = 2 and 3.
    held = fragment(accumulator()).held_by(13, 16, 8)
    assert held == (Held(0, 3, 2), Held(1, 3, 3), Held(2, 11, 2), Held(3, 11, 3))


def test_a_warpgroup_has_sixteen_rows_a_warp() -> None:
    # Thread 77 is lane 13 of warp 2: rows 32 + 3 and 32 + 11; columns 2, 3 and 8 further.
    held = fragment(wide_accumulator()).held_by(77, 64, 16)
    places = [(each.row, each.column) for each in held]
    assert places[:4] == [(35, 2), (35, 3), (43, 2), (43, 3)]
    assert places[4:] == [(35, 10), (35, 11), (43, 10), (43, 11)]
    assert fragment(wide_accumulator()).warps(16, 16) == (0, 0)
    assert fragment(wide_accumulator()).warps(64, 16) == (0, 3)


def test_a_rule_tells_where_a_threads_registers_lie() -> None:
    wide = fragment(wide_accumulator())
    assert wide.formula(13, 64, 16) == ("row 3 + 8·(r ÷ 2 mod 2), column 2 + (r mod 2) + 8·(r ÷ 4)")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([5], "5"),
        ([0, 0, 0, 0], "0"),
        ([0, 1, 2, 3], "r"),
        ([0, 8, 16, 24], "8·r"),
        ([2, 3, 2, 3], "2 + (r mod 2)"),
        ([0, 0, 1, 1], "(r ÷ 2)"),
        ([0, 1, 2, 9], None),
        ([3, 1, 2, 0], None),
    ],
)
def test_sums_of_digits_are_found_or_there_are_none(values: list[int], text: str | None) -> None:
    assert digit_formula(values, "r") == text


def test_cells_beside_each_other_are_moved_at_once() -> None:
    assert fragment(accumulator()).run == 2
    assert fragment_conclusion(fragment(accumulator())) == (
        "C_local is spread over 32 threads, 4 cells each, in pairs: a thread can move 8 B at once."
    )
    assert fragment_conclusion(fragment(accumulator(16))).endswith("can move 4 B at once.")


def test_copies_are_told_with_all_their_holders() -> None:
    sums = fragment(row_sums())
    assert sums.holders_at(0, 11) == (12, 13, 14, 15)
    assert [(each.slot, each.column) for each in sums.held_by(14, 1, 16)] == [(0, 3), (1, 11)]
    assert fragment_conclusion(sums) == (
        "Each cell of sums lies in 4 threads at once: 16 cells over 32 threads, 2 in each."
    )


def test_what_all_threads_hold_is_told_so() -> None:
    known = replace(row_major((1,)), index=("0",), thread="_rep", copies=128, threads=128)
    scalar = fragment(BufferLayout("most", "local.fragment", "", 1, "float32", 32, known))
    assert fragment_conclusion(scalar) == "Each of the 128 threads holds most: 1 cell, 128 times."


def test_a_thread_without_a_rule_is_told_by_its_count() -> None:
    wide = fragment(wide_accumulator())
    assert thread_text(wide, 77, 16, 16) == "holds 0 of the 256 in view"
    assert thread_text(wide, None, 16, 16).startswith("Click a cell")


def test_a_long_vector_is_cut_into_lines() -> None:
    plain = row_major((1, 100))
    known = replace(plain, index=("0",), extents=(1,), thread="i1", threads=100)
    cut = fragment(BufferLayout("x", "local.fragment", "", 1, "float32", 32, known))
    assert cut.wraps
    assert (cut.rows, cut.columns) == (7, 16)
    assert cut.coordinate(1, 3) == (0, 19)
    assert cut.index(1, 3) == 19
    assert cut.holders_at(6, 3) == (99,)
    assert cut.holders_at(6, 4) == ()
    assert (cut.holders[0, 6, 4:] == NOBODY).all()


def test_threads_of_consumers_begin_after_the_producers() -> None:
    late = fragment(accumulator(first_thread=128))
    assert late.holders_at(3, 2) == (141,)
    assert late.warps(16, 8) == (4, 4)


def test_a_lifted_thread_is_the_same_in_mask_and_list() -> None:
    wide = fragment(wide_accumulator())
    for thread in (0, 77, 127):
        listed = {(each.row, each.column) for each in wide.held_by(thread, 64, 16)}
        assert listed == {tuple(place) for place in np.argwhere(wide.is_held_by(thread)).tolist()}


def test_a_fragment_of_four_dimensions_tells_all_that_a_thread_holds() -> None:
    # 2 runs of 4 warps whose 32 lanes hold 8 elements each: of the last two dimensions one warp.
    known = LayoutMap(
        (2, 4, 32, 8), ("r", "p", "t", "v"), ("r * 8 + v",), (16,), "p * 32 + t", threads=128
    )
    layout = BufferLayout("x", "local.fragment", "16 elements", 16, "float16", 16, known)
    assert fragment_conclusion(fragment(layout)) == (
        "x is spread over 128 threads, 16 cells each, in runs of 8: a thread can move 16 B at once."
    )
