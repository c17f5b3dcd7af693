"""Layouts written as index expressions, against the figures of the PTX ISA and worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.layout_maps import LayoutMap, printed_fragment, row_major
from workbench.core.plain import from_plain, to_plain

PRINTED = (
    "loop Fragment((64, 64) -> (32,), replicate: 2, thread: 256, forward_thread: _rep * 128 + "
    "_i // 16 * 32 + _i % 8 * 4 + _j % 8 // 2, forward_index: (_j // 8 * 4 + _i % 16 // 8 * 2 + "
    "_j % 2,), thread_range: I.Range(0, 256))"
)
# PTX ISA, "Matrix Fragments for mma.m16n8k16": of C, lane t holds row t/4 in its first two
# registers and row t/4+8 in the others, columns 2*(t%4) and the one after it.
ACCUMULATOR = LayoutMap(
    (16, 8), ("i", "j"), ("i // 8 * 2 + j % 2",), (4,), "i % 8 * 4 + j // 2", threads=32
)


def test_an_accumulator_has_the_rows_and_columns_of_the_isa() -> None:
    registers, lanes = ACCUMULATOR.places(), ACCUMULATOR.holders()
    for row, column in np.ndindex(16, 8):
        lane, register = lanes[row, column], registers[row, column]
        assert row == lane // 4 + 8 * (register // 2)
        assert column == lane % 4 * 2 + register % 2


def test_threads_count_from_the_first_of_those_that_take_part() -> None:
    consumer = from_plain(LayoutMap, {**to_plain(ACCUMULATOR), "first_thread": 128})
    assert np.array_equal(consumer.holders(), ACCUMULATOR.holders() + 128)


def test_of_many_stages_the_first_tile_is_looked_at() -> None:
    known = row_major((3, 4, 8))
    assert known.tile == (4, 8)
    assert known.lead == (3,)
    assert np.array_equal(known.places(), np.arange(32).reshape(4, 8))


@pytest.mark.parametrize("shape", [(6,), (1, 6)])
def test_a_vector_is_one_row(shape: tuple[int, ...]) -> None:
    assert np.array_equal(row_major(shape).places(), [[0, 1, 2, 3, 4, 5]])


def test_a_fragment_is_read_off_a_message() -> None:
    known = printed_fragment(PRINTED)
    assert known is not None
    assert (known.shape, known.extents, known.copies, known.threads) == ((64, 64), (32,), 2, 256)
    # Row 17 is row 1 of the second strip of 16, column 9 the second of lane 0's quad: by hand.
    assert known.holders()[17, 9] == 32 + 4 + 0
    assert known.holders(1)[17, 9] == 128 + 36
    assert known.places()[17, 9] == 4 + 1


def test_what_is_no_fragment_or_has_other_words_is_none() -> None:
    assert printed_fragment("Layout((4,) -> (4,), transform: (_i) -> (_i))") is None
    assert printed_fragment(PRINTED.replace("_i % 8 * 4", "T.exotic(_i)")) is None


def test_a_tile_of_shared_memory_has_no_holders() -> None:
    with pytest.raises(ValueError, match="no thread"):
        row_major((4, 4)).holders()
