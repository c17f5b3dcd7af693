from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.layout_words import fragment_words, tile_words
from workbench.core.analysis.layouts import TileLayout

ROW, COLUMN = np.indices((16, 64))


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (TileLayout(16, 64, 2), "row-major"),
        (TileLayout(16, 64, 2, padding=8), "row-major, 16 B of padding a row"),
        (TileLayout(16, 64, 2, swizzle_bytes=128), "128-byte swizzle"),
        (TileLayout(16, 64, 2, swizzle_bytes=64), "64-byte swizzle in 2 panels of 64 B a row"),
        (TileLayout(16, 64, 4, swizzle_bytes=32), "32-byte swizzle in 8 panels of 32 B a row"),
    ],
)
def test_a_layout_is_recognised(layout: TileLayout, words: str) -> None:
    size = layout.element_bytes
    assert tile_words(layout.addresses(ROW, COLUMN) // size, size) == words


def test_columns_one_after_the_other_are_told() -> None:
    assert tile_words(COLUMN * 16 + ROW, 2) == "column-major"


def test_a_layout_without_a_name_has_no_words() -> None:
    assert tile_words(ROW * 64 + (COLUMN + ROW) % 64, 2) is None


def test_one_row_is_row_major() -> None:
    assert tile_words(np.arange(8)[np.newaxis], 4) == "row-major"


def test_fragments() -> None:
    assert fragment_words(32, 128, 1) == "32 registers a thread over 128 threads"
    assert fragment_words(1, 128, 4) == (
        "1 register a thread over 128 threads, each element in 4 of them"
    )
