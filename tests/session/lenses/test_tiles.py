"""The tile map's figures, worked by hand on a product, attention and grids of other forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.analysis_results import analysis, analyzed, global_report
from tests.support.lens_subjects import lens_target
from tests.support.tile_regions import ALONE, attention_regions, gemm_regions, half, read, write
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import TileLoop, TileRegions
from workbench.core.jobs import Resources
from workbench.session.lenses.subject import LensTarget
from workbench.session.lenses.tiles.figures import tile_figures
from workbench.session.lenses.tiles.panel import needless_share, panel_numbers, panel_of
from workbench.session.lenses.tiles.picture import TileMap, block_walk, tile_map, tiles_at
from workbench.session.lenses.tiles.slots import SlotState
from workbench.session.lenses.tiles.tensors import Patch
from workbench.session.lenses.tiles.waves import BlockWaves, block_waves


def shown(regions: TileRegions, name: str = "h100", **parts: Any) -> TileMap:
    usual = {"block_resources": ALONE}
    found = tile_map(lens_target(name, tiles=regions, **{**usual, **parts}))
    assert found is not None
    return found


def test_a_product_in_waves_with_partial_tiles() -> None:
    # 16 x 32 blocks of 128 x 256 on 132 SMs, one each: 512 = 3 * 132 + 116. The tiles cover
    # 4096 x 4096, of which 4000 x 4000 are C: 1 - 4000^2 / 4096^2 = 4.63 %.
    found = shown(gemm_regions())
    assert found.waves is not None
    assert (found.waves.count, found.waves.last, found.waves.idle) == (4, 116, 16)
    assert found.conclusion.startswith(
        "512 blocks run in 4 waves on H100; the last leaves 16 of 132 SMs idle. Tiles at the right "
        "and bottom edge are partial: 4.6\N{NO-BREAK SPACE}% needless work."
    )
    panel = found.panel
    assert (panel.rows, panel.columns, panel.tile) == (32, 16, (128, 256))
    assert panel.outside == (96 / 128, 96 / 256)


def test_a_block_at_a_step() -> None:
    found = shown(gemm_regions())
    number = int(found.numbers(0, False)[12, 9])
    at = tiles_at(found, block_walk(found, (9, 12, 0)), 23, number, False)
    assert (at.number, at.wave, at.count) == (201, 1, 65)
    assert at.step_text == "k 23 of 64"
    assert at.reads == (("A", 16384), ("B", 32768))
    a, b = at.inputs
    assert a.now == (Patch(1536, 1472, 1664, 1536),)
    assert a.before == (Patch(1536, 0, 1664, 1472),)
    assert a.later == (Patch(1536, 1536, 1664, 4096),)
    assert b.now == (Patch(1472, 2304, 1536, 2560),)
    assert at.lines == (6, 7)
    last = tiles_at(found, block_walk(found, (15, 31, 0)), 64, 511, False)
    assert last.step_text == "writes, after the loops"
    assert last.writes == (("C", 32 * 160 * 2),)


def test_the_numbers_beside_the_map() -> None:
    found = shown(gemm_regions())
    at = tiles_at(found, block_walk(found, (9, 12, 0)), 23, 201, False)
    told = [(f.label, f.value, f.rest) for f in tile_figures(found, at)]
    assert told == [
        ("Block", "bx 9, by 12", "number 201, wave 2 of 4"),
        ("Reads at this step", "48 KiB", "A 16 KiB + B 32 KiB"),
        # The second wave: the last 12 blocks of row 8, rows 9 to 15 and 8 blocks of row 16.
        ("Different tiles a step", "9 + 16", "of A, B"),
        ("L2 reuse in the wave", "9.7\N{NO-BREAK SPACE}×", "396 MiB asked, 41 MiB different"),
    ]
    first, *others = found.regions.accesses
    regions = replace(found.regions, accesses=(replace(first, bounded=True), *others))
    found = shown(regions)
    at = tiles_at(found, block_walk(found, (9, 12, 0)), 23, 201, False)
    assert tile_figures(found, at)[1].value == "≤ 48 KiB"


def test_slots_of_three_stages() -> None:
    found = shown(gemm_regions())
    walk = block_walk(found, (0, 0, 0))
    slots = tiles_at(found, walk, 23, 0, False).slots
    assert slots is not None
    assert slots.buffers == ("A_shared", "B_shared")
    assert [(s.state, s.turn) for s in slots.slots] == [
        (SlotState.ARRIVING, 24),
        (SlotState.ARRIVING, 25),
        (SlotState.IN_USE, 23),  # 23 = 3 * 7 + 2
    ]
    end = tiles_at(found, walk, 63, 0, False).slots
    assert end is not None
    assert [s.state for s in end.slots] == [SlotState.IN_USE, SlotState.FREE, SlotState.FREE]
    assert tiles_at(found, walk, 64, 0, False).slots is None


def test_slots_are_as_many_as_the_lowered_code_has() -> None:
    held = Lifetime("A_shared", "float16", 0, 2 * 128 * 64 * 2, 5, 8, ())
    found = shown(gemm_regions(), lifetimes=Lifetimes((held,), None, 0, None, ()))
    slots = tiles_at(found, block_walk(found, (0, 0, 0)), 5, 0, False).slots
    assert slots is not None
    assert [(s.state, s.turn) for s in slots.slots] == [
        (SlotState.ARRIVING, 6),
        (SlotState.IN_USE, 5),
    ]


def test_a_swizzle_that_pays_is_offered_and_previewed() -> None:
    found = shown(gemm_regions(m=8192, n=8192, tile=(128, 128, 64)))
    assert found.offer is not None
    assert found.offer.then.distinct_bytes < found.offer.now.distinct_bytes
    assert "T.use_swizzle(" in found.conclusion
    plain, other = found.numbers(0, False), found.numbers(0, True)
    assert plain[0].tolist() == list(range(64))
    assert not np.array_equal(plain, other)
    assert shown(gemm_regions(m=512, n=512)).offer is None  # 4 x 2 blocks: one wave
    report = global_report()
    held = replace(report, traffic=replace(report.traffic, fits_l2=True))
    large = gemm_regions(m=8192, n=8192, tile=(128, 128, 64))
    assert shown(large, global_memory=held).offer is None  # the L2 holds it in any order


def test_attention_stands_as_its_output_does() -> None:
    found = shown(attention_regions())
    # Out[by, bx * 64, 0]: by moves the first dimension, so it makes up the rows.
    assert (found.panel.row_axis, found.panel.column_axis) == (1, 0)
    at = tiles_at(found, block_walk(found, (2, 5, 0)), 2, 42, False)
    q, k, _ = at.inputs
    assert (q.now, q.before) == ((), (Patch(128, 0, 192, 64),))
    assert q.part == "[5, :, :]"
    assert k.now == (Patch(64, 0, 128, 64),)
    assert k.before == (Patch(0, 0, 64, 64),)
    assert k.later == (Patch(128, 0, 192, 64),)  # and no further: causal
    # 64 tiles of Q once, and for each head 1 + ... + 8 = 36 tiles of K and V each, 8 different:
    # 64 + 2 * 8 * 36 = 640 tiles asked for, 64 + 2 * 8 * 8 = 192 different ones.
    assert found.conclusion == (
        "64 blocks run at once on H100 and leave 68 of 132 SMs idle. "
        "L2 reuse in the wave is 3.3\N{NO-BREAK SPACE}×."
    )


def test_a_transposed_output_is_turned() -> None:
    own, turned = ("by * 32", "bx * 32"), ("bx * 32", "by * 32")
    accesses = (read("A", 1, own, (32, 32)), write("B", 2, turned, (32, 32)))
    tensors = (half("A", 64, 96), half("B", 96, 64))
    regions = TileRegions((3, 2, 1), ("bx", "by"), tensors, (), accesses)
    panel = panel_of(regions)
    assert (panel.rows, panel.columns) == (3, 2)
    assert panel.cell_of((2, 1, 0)) == (2, 1)
    assert panel_numbers(regions, panel, None, 0).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_an_output_written_in_turns_is_one_tile() -> None:
    # B[bx * 32 + r * 8 : + 8, by * 32 : + 32] for r in 4: 32 rows in all, next to each other.
    loop = TileLoop("r", "r", "0", "4")
    out = replace(write("B", 2, ("bx * 32 + r * 8", "by * 32"), (8, 32)), loops=(0,))
    regions = TileRegions((3, 2, 1), ("bx", "by"), (half("B", 90, 64),), (loop,), (out,))
    panel = panel_of(regions)
    assert (panel.row_axis, panel.column_axis, panel.tile) == (0, 1, (32, 32))
    assert panel.outside == (6 / 32, 0)
    assert needless_share(regions) == pytest.approx(1 - 90 / 96)


def test_three_axes_have_slices() -> None:
    regions = replace(gemm_regions(), grid=(2, 3, 4))
    panel = panel_of(regions)
    assert (panel.rows, panel.columns, panel.slice_axis, panel.slices) == (3, 2, 2, 4)
    assert panel_numbers(regions, panel, None, 2).tolist() == [[12, 13], [14, 15], [16, 17]]
    assert panel.block_of(1, 0, 2, 24) == (0, 1, 2)


def test_one_axis_is_a_strip_or_wrapped() -> None:
    def rows(count: int) -> TileRegions:
        accesses = (
            read("X", 1, ("bx * 4", "0"), (4, 512)),
            write("Y", 2, ("bx * 4", "0"), (4, 512)),
        )
        tensors = (half("X", count * 4, 512), half("Y", count * 4, 512))
        return TileRegions((count, 1, 1), ("bx",), tensors, (), accesses)

    strip = panel_of(rows(128))
    assert (strip.rows, strip.columns, strip.tile) == (128, 1, (4, 512))
    wrapped = panel_of(rows(1000))
    assert (wrapped.rows, wrapped.columns, wrapped.wrapped) == (32, 32, True)
    assert wrapped.cell_of((70, 0, 0)) == (2, 6)
    assert wrapped.block_of(31, 7, 0, 1000) == (999, 0, 0)
    assert wrapped.block_of(31, 8, 0, 1000) is None
    assert panel_numbers(rows(1000), wrapped, None, 0)[31, 6:10].tolist() == [998, 999, -1, -1]


def test_a_persistent_kernel_shows_its_output_beside_the_grid() -> None:
    loop = TileLoop("w", "w", "0", "2")
    place = ("(w * 4 + bx) // 2 * 8", "(w * 4 + bx) % 2 * 8")
    out = replace(write("C", 2, place, (8, 8)), loops=(0,))
    regions = TileRegions((4, 1, 1), ("bx",), (half("C", 32, 16),), (loop,), (out,))
    found = shown(regions)
    assert found.panel.tile is None
    at = tiles_at(found, block_walk(found, (1, 0, 0)), 1, 1, False)
    assert at.outputs[0].before == (Patch(0, 8, 8, 16),)
    assert at.outputs[0].now == (Patch(16, 8, 24, 16),)


def test_registers_that_nobody_told_leave_a_lower_bound() -> None:
    # 100 KiB and 1 KiB of the system's: two blocks in the 228 KiB of an SM.
    unsure = replace(ALONE, threads=128, registers=None, dynamic_shared_bytes=100 * 1024)
    target = lens_target("h100", tiles=gemm_regions(), block_resources=unsure)
    found = block_waves(target, 512)
    assert isinstance(found, BlockWaves)
    assert (found.per_core, found.count, found.exact) == (2, 2, False)
    bare = tile_map(target)
    assert bare is not None
    assert bare.conclusion.startswith("512 blocks run in at least 2 waves on H100")
    # A compiler's registers settle it: 255, in units 256 a thread, times 128 leave room for two.
    resources = Resources(registers=255, shared_static_bytes=0, shared_dynamic_bytes=100 * 1024)
    kernel = analysis(tiles=gemm_regions(), block_resources=unsure)
    told = replace(target, analysis=analyzed(kernel, resources=resources))
    settled = block_waves(told, 512)
    assert isinstance(settled, BlockWaves)
    assert (settled.per_core, settled.exact) == (2, True)


@pytest.mark.parametrize(
    ("name", "word"), [("mi300x", "304 CUs"), ("rtx4090", "128 SMs"), ("ascend910b", "24 cores")]
)
def test_each_maker_has_its_word_for_a_core(name: str, word: str) -> None:
    regions = gemm_regions(m=256, n=256)
    assert word in shown(regions, name).conclusion


def test_a_tensor_read_at_two_lines_stands_for_both() -> None:
    # Softmax reads its rows twice: for the sum, and to divide by it.
    loops = (TileLoop("k", "k", "0", "4", 0, 3), TileLoop("k_1", "k", "0", "4", 0, 7))
    x = read("X", 4, ("bx", "k * 64"), (1, 64), (0,))
    again = replace(x, line=8, loops=(1,), offset=("bx", "k_1 * 64"))
    y = replace(again, tensor="Y", reads=False, writes=True, line=9)
    tensors = (half("X", 256, 256), half("Y", 256, 256))
    regions = TileRegions((256, 1, 1), ("bx",), tensors, loops, (x, again, y))
    found = shown(regions)
    assert found.inputs[0].lines == (4, 8)
    at = tiles_at(found, block_walk(found, (5, 0, 0)), 6, 5, False)
    assert (at.step_text, at.inputs[0].lines) == ("k 2 of 4, line 7", (8,))
    assert at.inputs[0].before == (Patch(5, 0, 6, 256),)  # the first loop has read the whole row
    assert found.reuse is not None
    assert found.reuse.factor == 2


def test_what_is_not_known_is_said() -> None:
    assert tile_map(lens_target("h100")) is None
    target = lens_target("h100", tiles=gemm_regions())
    assert target.analysis is not None
    missing = {"block": "the launch decides the threads"}
    target = LensTarget(target.target, 0, replace(target.analysis, missing=missing))
    found = tile_map(target)
    assert found is not None
    assert "unknown, as the launch decides the threads" in found.conclusion
    hidden = replace(gemm_regions().accesses[0], unknown="table decides", offset=(), extent=())
    regions = gemm_regions()
    regions = replace(regions, accesses=(hidden, *regions.accesses[1:]))
    found = shown(regions)
    assert found.reuse is None
    assert found.inputs[0].unknown == "table decides"
    assert tiles_at(found, block_walk(found, (0, 0, 0)), 0, 0, False).reads == (("B", 32768),)


def test_whole_tiles_need_no_more_than_they_are() -> None:
    assert needless_share(gemm_regions(m=4096, n=4096)) == 0
    swizzled = gemm_regions(m=4096, n=4096, swizzle=Rasterization("row", 4))
    assert shown(swizzled).numbers(0, False)[:4, 0].tolist() == [0, 1, 2, 3]
