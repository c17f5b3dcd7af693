"""Steps of blocks and their regions, worked by hand."""

from __future__ import annotations

from dataclasses import replace

from tests.support.tile_regions import attention_regions, gemm_regions, half, read, write
from workbench.core.analysis.tile_regions import TileLoop, TileRegions
from workbench.core.analysis.tile_steps import Box, box_at, steps_of


def test_a_product_reads_two_tiles_a_step_and_writes_one() -> None:
    regions = gemm_regions()
    steps = steps_of(regions, (9, 12, 0))
    assert len(steps) == 64 + 1
    assert steps[23].accesses == (0, 1)
    turn = steps[23].turns[0]
    assert (turn.number, turn.count, turn.value) == (23, 64, 23)
    assert box_at(regions, 0, (9, 12, 0), steps[23].turns) == Box((1536, 1472), (1664, 1536))
    assert box_at(regions, 1, (9, 12, 0), steps[23].turns) == Box((1472, 2304), (1536, 2560))
    assert steps[64].accesses == (2,)


def test_a_tile_at_the_edge_is_cut() -> None:
    regions = gemm_regions()  # 4000 = 31 * 128 + 32 = 15 * 256 + 160
    box = box_at(regions, 2, (15, 31, 0), ())
    assert box is not None
    inside = box.inside(regions.tensor("C").shape)
    assert inside == Box((3968, 3840), (4000, 4000))
    assert (box.elements, inside.elements) == (128 * 256, 32 * 160)


def test_a_causal_block_stops_at_its_diagonal() -> None:
    regions = attention_regions()
    assert [len(steps_of(regions, (bx, 0, 0))) for bx in (0, 7)] == [1 + 1 + 1, 1 + 8 + 1]
    steps = steps_of(regions, (2, 5, 0))
    assert [step.accesses for step in steps] == [(0,), (1, 2), (1, 2), (1, 2), (3,)]
    assert box_at(regions, 1, (2, 5, 0), steps[3].turns) == Box((5, 128, 0), (6, 192, 64))


def test_loops_within_loops_and_guards() -> None:
    # for i in 2: read A; for k in i + 1: read B where k + i < 2
    loops = (TileLoop("i", "i", "0", "2"), TileLoop("k", "k", "0", "i + 1"))
    a = read("A", 1, ("i",), (1,), (0,))
    b = read("B", 2, ("i * 4 + k",), (1,), (0, 1), guards=("k + i < 2",))
    tensors = (half("A", 8), half("B", 8))
    regions = TileRegions((1, 1, 1), ("bx",), tensors, loops, (a, b))
    steps = steps_of(regions, (0, 0, 0))
    assert [step.accesses for step in steps] == [(0,), (1,), (0,), (1,)]  # not i = 1, k = 1
    assert [[t.value for t in step.turns] for step in steps] == [[0], [0, 0], [1], [1, 0]]


def test_a_loop_may_begin_later() -> None:
    loop = TileLoop("k", "k", "max(bx - 1, 0)", "2")
    a = read("A", 1, ("k * 8",), (8,), (0,))
    regions = TileRegions((4, 1, 1), ("bx",), (half("A", 64),), (loop,), (a,))
    steps = steps_of(regions, (3, 0, 0))
    assert [(t.number, t.value) for step in steps for t in step.turns] == [(0, 2), (1, 3)]


def test_what_is_not_known_has_no_region_and_steps_end_somewhere() -> None:
    regions = gemm_regions()
    hidden = replace(regions.accesses[0], unknown="table decides", offset=(), extent=())
    regions = replace(regions, accesses=(hidden, write("C", 8, ("0", "0"), (1, 1))))
    steps = steps_of(regions, (0, 0, 0), most=10)
    assert len(steps) == 10
    assert box_at(regions, 0, (0, 0, 0), steps[0].turns) is None
