from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.bank_rules import AccessKind, SharedAccess, ldmatrix
from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.analysis.layouts import TileLayout
from workbench.core.analysis.what_if import (
    TileAccess,
    alternatives,
    compare,
    with_layout,
    with_width,
)

LANES = np.arange(32)
LOAD4 = SharedAccess(AccessKind.LOAD, 4)


def column_of(layout: TileLayout) -> TileAccess:
    """A warp that reads a column of float32."""
    return TileAccess(LOAD4, layout, LANES[None], LANES[None] * 0)


def matrix_rows(layout: TileLayout) -> TileAccess:
    """Four 8x8 matrices below each other, of float16."""
    return TileAccess(ldmatrix(4), layout, LANES[None], LANES[None] * 0)


def test_one_element_of_padding_frees_a_column_of_words() -> None:
    tile = column_of(TileLayout(32, 32, 4))
    padded = with_layout(tile, tile.layout.padded_by(1))
    change = compare(tile, padded, NVIDIA, "pad rows by 1")
    assert (change.before.conflicts, change.after.conflicts) == (31, 0)
    assert (change.saved, change.extra_bytes) == (31, 32 * 4)


@pytest.mark.parametrize(("swizzle", "without"), [(32, 8), (64, 16), (128, 32)])
def test_a_swizzle_frees_the_rows_of_a_matrix(swizzle: int, without: int) -> None:
    """Panels of as many bytes as the swizzle, against rows of that length without it."""
    tile = matrix_rows(TileLayout(32, 64, 2))
    after = with_layout(tile, tile.layout.swizzled_by(swizzle)).count(NVIDIA)
    plain = matrix_rows(TileLayout(32, swizzle // 2, 2)).count(NVIDIA)
    assert (after.wavefronts, after.conflicts) == (4, 0)
    assert plain.wavefronts == without


def test_a_run_of_elements_stays_one_when_lanes_take_more() -> None:
    tile = TileAccess(
        SharedAccess(AccessKind.STORE, 2), TileLayout(64, 64, 2), LANES[None] * 0, LANES[None]
    )
    wide = with_width(tile, 16)
    assert wide is not None
    assert wide.rows[0].tolist() == (LANES // 8).tolist()
    assert wide.columns[0].tolist() == (LANES % 8 * 8).tolist()
    assert wide.count(NVIDIA).instructions == 1 / 8


def test_lanes_on_rows_of_their_own_stay_there() -> None:
    tile = column_of(TileLayout(32, 64, 4))
    wide = with_width(tile, 16)
    assert wide is not None
    assert wide.rows[0].tolist() == LANES.tolist()
    assert wide.count(NVIDIA).wavefronts == 32 / 4


def test_narrower_accesses_are_executed_more_often() -> None:
    tile = TileAccess(
        SharedAccess(AccessKind.LOAD, 16),
        TileLayout(8, 64, 2),
        LANES[None] // 8,
        LANES[None] % 8 * 8,
    )
    narrow = with_width(tile, 4)
    assert narrow is not None
    count = narrow.count(NVIDIA)
    assert (count.instructions, count.wavefronts) == (4, 4)


@pytest.mark.parametrize("width", [1, 3, 32])
def test_a_width_that_no_access_has_is_refused(width: int) -> None:
    assert with_width(column_of(TileLayout(32, 32, 4)), width) is None


def test_lanes_that_would_leave_the_tile_are_refused() -> None:
    tile = TileAccess(LOAD4, TileLayout(1, 32, 4), LANES[None] * 0, LANES[None])
    assert with_width(tile, 8) is None


def test_a_matrix_instruction_has_no_other_width() -> None:
    assert with_width(matrix_rows(TileLayout(32, 64, 2)), 8) is None


def test_alternatives_that_save_most_come_first() -> None:
    found = alternatives(matrix_rows(TileLayout(32, 64, 2)), NVIDIA)
    assert [(change.change, change.saved) for change in found] == [
        ("32-byte swizzle", 28),
        ("64-byte swizzle", 28),
        ("128-byte swizzle", 28),
        ("pad rows by 8", 28),
    ]
    assert [change.extra_bytes for change in found] == [0, 0, 0, 512]


def test_what_is_free_of_conflicts_has_no_alternatives() -> None:
    tile = TileAccess(
        SharedAccess(AccessKind.LOAD, 16),
        TileLayout(8, 64, 2),
        LANES[None] // 8,
        LANES[None] % 8 * 8,
    )
    assert alternatives(tile, NVIDIA) == []


def test_an_unknown_access_has_no_alternatives() -> None:
    tile = TileAccess(
        SharedAccess(AccessKind.FLOAT_ATOMIC, 4),
        TileLayout(32, 32, 4),
        LANES[None],
        LANES[None] * 0,
    )
    assert alternatives(tile, NVIDIA) == []
