from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.analysis.layouts import SWIZZLES, LayoutError, TileLayout, swizzled

LANES = np.arange(32)


def test_rows_follow_each_other() -> None:
    layout = TileLayout(16, 64, 2, base_bytes=1024)
    assert layout.addresses([0, 1], [3, 0]).tolist() == [1030, 1152]
    assert layout.size_bytes == 2048


def test_padding_moves_each_row_further() -> None:
    layout = TileLayout(16, 64, 2).padded_by(8)
    assert layout.addresses([0, 1, 2], [0, 0, 0]).tolist() == [0, 144, 288]
    assert layout.size_bytes == 16 * 144


def test_a_negative_row_is_an_inactive_lane() -> None:
    assert TileLayout(16, 64, 2).addresses([-1, 0], [0, 0]).tolist() == [-1, 0]


@pytest.mark.parametrize("swizzle", [64, 128])
def test_swizzles_are_those_of_the_measured_patterns(
    calibration: list[dict[str, Any]], swizzle: int
) -> None:
    pattern = f"swz{swizzle}"
    row = next(r for r in calibration if (r["instruction"], r["pattern"]) == ("ldsm4", pattern))
    layout = TileLayout(32, swizzle // 2, 2).swizzled_by(swizzle)
    assert layout.addresses(LANES, LANES * 0).tolist() == row["addresses"]


def test_a_swizzled_tile_lies_in_panels() -> None:
    layout = TileLayout(8, 128, 2).swizzled_by(128)
    assert layout.addresses([0, 0, 1], [64, 127, 0]).tolist() == [1024, 1150, 128 + 16]
    assert layout.size_bytes == TileLayout(8, 128, 2).size_bytes


@pytest.mark.parametrize(
    ("layout", "swizzle", "why"),
    [
        (TileLayout(8, 48, 2), 64, "96 bytes"),
        (TileLayout(8, 64, 2), 256, "256"),
    ],
)
def test_what_cannot_be_swizzled_is_refused(layout: TileLayout, swizzle: int, why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        layout.swizzled_by(swizzle)


def test_a_swizzled_tile_is_not_padded() -> None:
    with pytest.raises(LayoutError, match="padding"):
        TileLayout(8, 64, 2, padding=8, swizzle_bytes=128)


@given(st.sampled_from(SWIZZLES), st.integers(1, 4), st.integers(1, 32))
def test_each_element_has_a_place_of_its_own(swizzle: int, panels: int, rows: int) -> None:
    layout = TileLayout(rows, panels * swizzle // 2, 2).swizzled_by(swizzle)
    row, column = np.divmod(np.arange(rows * layout.columns), layout.columns)
    places = layout.addresses(row, column)
    assert len(set(places.tolist())) == len(places)
    assert places.min() >= 0


@given(st.lists(st.integers(0, 1 << 20), min_size=1), st.sampled_from([0, *SWIZZLES]))
def test_a_swizzle_undoes_itself(addresses: list[int], swizzle: int) -> None:
    once = swizzled(np.array(addresses), swizzle)
    assert swizzled(once, swizzle).tolist() == addresses
    assert (once // 128).tolist() == [address // 128 for address in addresses]
