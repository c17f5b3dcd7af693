"""Reuse of tiles within waves, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.tile_regions import attention_regions, gemm_regions, half, read
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import TileLoop, TileRegions
from workbench.core.analysis.tile_reuse import best_swizzle, mean_reuse, wave_reuse

KIB = 1024


def test_a_wave_of_rows_shares_their_tiles() -> None:
    # 16 blocks a row: 132 blocks are 8 rows and 4 blocks, so 9 tiles of A and all 16 of B a step.
    reuse = wave_reuse(gemm_regions(), None, 132, 0)
    assert reuse is not None
    a, b = reuse.tensors
    assert (a.first_tiles, b.first_tiles) == (9, 16)
    assert (a.reads, a.distinct) == (132 * 64, 9 * 64)
    assert reuse.asked_bytes == 132 * 64 * 48 * KIB
    assert reuse.distinct_bytes == 64 * (9 * 16 + 16 * 32) * KIB
    assert reuse.factor == pytest.approx(132 * 48 / 656)


def test_a_panel_of_eleven_rows_is_a_square() -> None:
    # Panels of 11 rows: 132 blocks are 12 columns of 11.
    reuse = wave_reuse(gemm_regions(), Rasterization("row", 11), 132, 0)
    assert reuse is not None
    assert [each.first_tiles for each in reuse.tensors] == [11, 12]


def test_the_last_wave_is_what_is_left() -> None:
    reuse = wave_reuse(gemm_regions(), None, 132, 3)  # 512 - 396 = 116 blocks
    assert reuse is not None
    assert reuse.tensors[0].reads == 116 * 64


def test_the_best_panel_reads_least() -> None:
    regions = gemm_regions(m=8192, n=8192, tile=(128, 128, 64))
    found = best_swizzle(regions, 132)
    assert found is not None
    swizzle, reuse = found
    present = mean_reuse(regions, None, 132)
    assert present is not None
    assert reuse.distinct_bytes < present.distinct_bytes
    assert swizzle.order in ("row", "column")
    assert best_swizzle(replace(regions, swizzle=swizzle), 132) is None
    assert best_swizzle(replace(regions, grid=(4096, 1, 1)), 132) is None


def test_causal_blocks_share_the_longest_of_their_walks() -> None:
    reuse = wave_reuse(attention_regions(), None, 8, 0)  # the 8 blocks of head 0
    assert reuse is not None
    q, k, _ = reuse.tensors
    assert (q.reads, q.distinct) == (8, 8)
    assert (k.reads, k.distinct) == (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8, 8)


def test_windows_are_united() -> None:
    # Block bx reads the tiles bx and bx + 1 of A: of 4 blocks 8 reads, 5 tiles.
    loop = TileLoop("k", "k", "bx", "2")
    regions = TileRegions(
        (4, 1, 1), ("bx",), (half("A", 64),), (loop,), (read("A", 1, ("k * 8",), (8,), (0,)),)
    )
    reuse = wave_reuse(regions, None, 4, 0)
    assert reuse is not None
    assert (reuse.tensors[0].reads, reuse.tensors[0].distinct) == (8, 5)


def test_blocks_that_overlap_share_what_they_share() -> None:
    # Block bx reads A at (bx + k) * 8 for k in 3, as a stencil does: 4 blocks reach 6 tiles.
    loop = TileLoop("k", "k", "0", "3")
    a = read("A", 1, ("(bx + k) * 8",), (8,), (0,))
    regions = TileRegions((4, 1, 1), ("bx",), (half("A", 64),), (loop,), (a,))
    reuse = wave_reuse(regions, None, 4, 0)
    assert reuse is not None
    assert (reuse.tensors[0].reads, reuse.tensors[0].distinct) == (12, 6)


def test_turns_within_a_block_are_its_own() -> None:
    # Rows of eight within tiles of 32, as a transpose reads them: every row once.
    loop = TileLoop("r", "r", "0", "4")
    a = read("A", 1, ("bx * 32 + r * 8",), (8,), (0,))
    regions = TileRegions((4, 1, 1), ("bx",), (half("A", 128),), (loop,), (a,))
    reuse = wave_reuse(regions, None, 4, 0)
    assert reuse is not None
    assert (reuse.tensors[0].reads, reuse.tensors[0].distinct) == (16, 16)


def test_what_a_loop_reads_again_is_one_tile() -> None:
    loop = TileLoop("k", "k", "0", "6")
    regions = TileRegions(
        (4, 1, 1), ("bx",), (half("A", 64),), (loop,), (read("A", 1, ("bx * 8",), (8,), (0,)),)
    )
    reuse = wave_reuse(regions, None, 4, 0)
    assert reuse is not None
    assert (reuse.tensors[0].reads, reuse.tensors[0].distinct) == (24, 4)


def test_uneven_walks_are_looked_at_tile_by_tile() -> None:
    # A persistent kernel: block bx works on the tiles bx, bx + 4 of rows of three; 7 tiles in all.
    loop = TileLoop("w", "w", "0", "2")
    place = "(w * 4 + bx) // 3"
    a = read("A", 1, (f"{place} * 8",), (8,), (0,), guards=("w * 4 + bx < 7",))
    regions = TileRegions((4, 1, 1), ("bx",), (half("A", 64),), (loop,), (a,))
    reuse = wave_reuse(regions, None, 4, 0)
    assert reuse is not None
    assert (reuse.tensors[0].reads, reuse.tensors[0].distinct) == (7, 3)


def test_nothing_is_told_of_what_is_not_known() -> None:
    regions = gemm_regions()
    hidden = replace(regions.accesses[0], unknown="table decides")
    regions = replace(regions, accesses=(hidden, *regions.accesses[1:]))
    assert wave_reuse(regions, None, 132, 0) is None
    assert mean_reuse(regions, None, 132) is None
    assert best_swizzle(regions, 132) is None
