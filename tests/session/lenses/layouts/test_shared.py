"""The banks of tiles, worked by hand: 32 banks of 4 bytes, rows of 128 bytes and their like."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.layout_buffers import padded, plain, swizzled
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.session.lenses.layouts.shared import SharedTile, shared_conclusion, shared_tile


def tile(layout: BufferLayout, banks: int = 32) -> SharedTile:
    assert layout.map is not None
    return shared_tile(layout, layout.map, banks)


def test_a_swizzle_gives_each_row_of_a_phase_other_banks() -> None:
    """Rows of 128 B begin at bank 0; chunk 0 of row r lies at chunk r, so at bank 4r."""
    found = tile(swizzled())
    assert (found.rows, found.parts, found.part_elements, found.phase_rows) == (64, 8, 8, 8)
    assert found.after is not None
    assert found.before.first_banks[:8, 0].tolist() == [0] * 8
    assert found.after.first_banks[:8, 0].tolist() == [0, 4, 8, 12, 16, 20, 24, 28]
    assert found.after.first_banks[:8, 3].tolist() == [12, 8, 4, 0, 28, 24, 20, 16]
    assert np.array_equal(found.after.lines, np.arange(64)[:, None].repeat(8, axis=1))


def test_the_rows_of_a_phase_pile_up_where_banks_are_the_same() -> None:
    found = tile(swizzled())
    assert found.after is not None
    rows = found.phase(11)
    assert rows == range(8, 16)
    assert found.before.stacks(rows, 0)[0] == tuple(range(8, 16))
    assert found.after.stacks(rows, 0) == tuple((row,) for row in range(8, 16))
    assert (found.before.passes(rows, 0), found.after.passes(rows, 0)) == (8, 1)
    assert (found.before.banks_met(rows, 0), found.after.banks_met(rows, 0)) == (4, 32)
    assert shared_conclusion(found, 11, 0) == (
        "The 128-byte swizzle spreads 8 rows of A_shared over all 32 banks, read in 1 pass. "
        "Row by row they would share 4, and take 8 passes."
    )


def test_a_column_of_words_lies_in_one_bank() -> None:
    found = tile(plain())
    assert found.after is None
    assert (found.part_elements, found.phase_rows) == (1, 32)
    assert found.before.passes(found.phase(0), 5) == 32
    assert "share 1 of 32 banks, and take 32 passes" in shared_conclusion(found, 0, 5)


def test_a_word_of_padding_gives_a_column_all_banks() -> None:
    found = tile(padded())
    assert found.after is not None
    assert found.after.title == "Row-major, 4 B of padding a row"
    assert found.after.first_banks[:, 0].tolist() == list(range(32))
    assert found.after.passes(found.phase(0), 0) == 1


def test_of_64_banks_a_phase_takes_sixteen_rows() -> None:
    found = tile(swizzled(), banks=64)
    assert found.phase_rows == 16
    # Rows of 128 B fill half of the banks: even rows begin at bank 0, odd ones at bank 32.
    assert found.before.first_banks[:4, 0].tolist() == [0, 32, 0, 32]
    assert found.before.passes(found.phase(0), 0) == 8


def test_parts_of_a_byte_have_no_banks() -> None:
    with pytest.raises(ValueError, match="parts of a byte"):
        tile(plain("int4", 4))
