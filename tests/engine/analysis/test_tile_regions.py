"""Regions of blocks read off tile-level functions, worked by hand from the documents."""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Callable

import pytest

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import TileAccess, TileRegions
from workbench.core.analysis.tile_steps import box_at, steps_of
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets

Read = Callable[[str], TileRegions]
HEAD = """
import tilelang
import tilelang.language as T

@tilelang.jit
def made({sizes}):
    @T.prim_func
    def main({tensors}):
        {body}
    return main
"""
PRODUCT = HEAD.format(
    sizes="M=300, N=520, K=200",
    tensors='A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), '
    'C: T.Tensor((M, N), "float16")',
    body="""with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            T.use_swizzle(4, order="column")
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])""",
)
THREADS = HEAD.format(
    sizes="N=1024",
    tensors='A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float32"), '
    'which: T.Tensor((32,), "int32"), Out: T.Tensor((N, N), "float32")',
    body="""with T.Kernel(32, 32, threads=256) as (bx, by):
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                Out[by * 32 + r * 8 + tx // 32, bx * 32 + tx % 32] = A[
                    bx * 32 + tx % 32, by * 32 + r * 8 + tx // 32]
            for i, j in T.Parallel(32, 32):
                if i < 8:
                    Out[by * 32 + i, bx * 32 + j] = T.if_then_else(
                        j < 4, B[by, (bx // 2) * 32 + 2 * j], T.float32(0))
            for i in T.Parallel(32):
                Out[by * 32 + i, 0] = B[which[by], bx * 32 + i]""",
)
GUARDED = HEAD.format(
    sizes="N=1000",
    tensors='A: T.Tensor((N,), "float32"), B: T.Tensor((8, N), "float32")',
    body="""with T.Kernel(8, threads=128) as bx:
            a = T.alloc_shared((128,), "float32")
            for w in T.serial(2):
                tile = w * 4 + bx // 2
                for k in T.serial(tile + 1):
                    if tile < 7:
                        T.copy(A[k * 128], a)
                T.atomic_add(B[bx, tile * 128], a[0])""",
)

WINDOWS = HEAD.format(
    sizes="N=2048",
    tensors='A: T.Tensor((2, 32, 32, 64), "float16"), B: T.Tensor((2, 32, 32, 64), "float16")',
    body="""with T.Kernel(32, threads=128) as by:
            flat = T.Tensor((2048, 64), "float16", B.data)
            a = T.alloc_shared((64, 32), "float16")
            for k in T.serial(18):
                for i, j in T.Parallel(64, 32):
                    tap = k * 32 + j
                    pixel = by * 64 + i
                    y = pixel % 1024 // 32 + tap // 64 // 3 - 1
                    x = pixel % 32 + tap // 64 % 3 - 1
                    a[i, j] = T.if_then_else(y >= 0 and x >= 0 and y < 32 and x < 32,
                        A[pixel // 1024, y, x, tap % 64], T.float16(0))
            T.copy(a, flat[by * 64, 0])""",
)


@pytest.fixture
def read(tmp_path: pathlib.Path) -> Read:
    from workbench.engine import compiling
    from workbench.engine.analysis.tile_regions import tile_regions
    from workbench.engine.user_lines import user_lines

    def regions(text: str) -> TileRegions:
        path = tmp_path / "k.py"
        path.write_text(text)
        (kernel,) = read_document(path).kernels
        choice = KernelChoice(kernel.name, kernel.style.value, {}, kernel.line)
        source = Source(str(path), text, str(path.parent), trusted=True)
        target = load_targets().resolve("h100")
        with user_lines(str(path)):
            built = compiling.build(AnalyzeRequest(source, choice, target.to_json(), 1), target)
        return tile_regions(built.func, str(path))

    return regions


def told(access: TileAccess) -> tuple[str, str]:
    """Tensor with what is done, and the region."""
    does = "rw"[not access.reads : 1 + access.writes]
    region = zip(access.offset, access.extent, strict=True)
    return f"{does} {access.tensor}", "; ".join(f"{a} + {n}" for a, n in region)


def test_a_product_in_a_pipeline(read: Read) -> None:
    regions = read(PRODUCT)
    assert regions.grid == (9, 5, 1)
    assert regions.swizzle == Rasterization("column", 4)
    (loop,) = regions.loops
    assert (loop.name, loop.start, loop.extent, loop.stages) == ("k", "0", "7", 3)
    assert [told(each) for each in regions.accesses] == [
        ("r A", "by * 64 + 64; k * 32 + 32"),
        ("r B", "k * 32 + 32; bx * 64 + 64"),
        ("w C", "by * 64 + 64; bx * 64 + 64"),
    ]
    assert [each.into for each in regions.accesses] == ["a", "b", None]
    assert [each.loops for each in regions.accesses] == [(0,), (0,), ()]
    assert regions.tensor("A").shape == (300, 200)
    lines = PRODUCT.splitlines()
    named = [lines[(each.line or 0) - 1].split("(")[0].strip() for each in regions.accesses]
    assert named == ["T.copy"] * 3
    assert regions.line is not None
    assert "T.Kernel" in lines[regions.line - 1]


def test_threads_and_parallel_loops_make_boxes(read: Read) -> None:
    regions = read(THREADS)
    assert [told(each) for each in regions.accesses if each.unknown is None] == [
        ("r A", "bx * 32 + 32; by * 32 + r * 8 + 8"),
        ("w Out", "by * 32 + r * 8 + 8; bx * 32 + 32"),
        ("r B", "by + 1; bx // 2 * 32 + 7"),
        ("w Out", "by * 32 + 8; bx * 32 + 32"),
        ("r which", "by + 1"),
        ("w Out", "by * 32 + 32; 0 + 1"),
    ]
    gaps = [each.bounded for each in regions.accesses if each.tensor == "B"]
    assert gaps == [True, False]  # of seven columns every other one


def test_what_data_decide_is_unknown_with_the_reason(read: Read) -> None:
    (hidden,) = [each for each in read(THREADS).accesses if each.unknown is not None]
    assert hidden.tensor == "B"
    assert hidden.unknown == "it depends on the data in which"


def test_loops_by_the_block_and_conditions_on_it(read: Read) -> None:
    regions = read(GUARDED)
    assert [loop.extent for loop in regions.loops] == ["2", "w * 4 + bx // 2 + 1"]
    copied, added = regions.accesses
    assert copied.guards == ("w * 4 + bx // 2 < 7",)
    assert copied.loops == (0, 1)
    assert (added.reads, added.writes) == (True, True)
    assert added.offset == ("bx", "(w * 4 + bx // 2) * 128")


def test_a_window_of_an_image_and_another_view_of_a_tensor(read: Read) -> None:
    regions = read(WINDOWS)
    window, stored = regions.accesses
    # 64 pixels are two rows of 32; 32 taps lie in one place of the window, in half its channels.
    assert told(window) == (
        "r A",
        "bx * 64 // 1024 + 1; (-1) + bx * 64 % 1024 // 32 + k * 32 // 64 // 3 + 2; "
        "(-1) + k * 32 // 64 % 3 + 32; k * 32 % 64 + 32",
    )
    assert window.bounded  # what lies outside of the image is left out
    assert told(stored) == ("w flat", "bx * 64 + 64; 0 + 32")
    assert regions.tensor("flat").shape == (2048, 64)


COUNTED = ("gemm_ragged_sm80", "attention_causal_sm90", "gqa_decode_sm90", "transpose_f64")


@pytest.mark.parametrize("name", COUNTED)
def test_all_regions_together_are_what_the_lowered_code_asks_for(name: str) -> None:
    from workbench.engine.analysis.job import analyze_kernel

    path = pathlib.Path(__file__).parents[2] / "data" / "counters" / "kernels" / f"{name}.py"
    document = read_document(path)
    chosen = select(document, None, None, {})[0]
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    target = load_targets().resolve(chosen.case.targets[0]).to_json()
    result = analyze_kernel(AnalyzeRequest(source, choice, target, 1), lambda *_: None)
    (analysis,) = result.kernels
    assert analysis.tiles is not None
    assert analysis.global_memory is not None
    report = analysis.global_memory
    assert _moved(analysis.tiles) == (report.load_bytes, report.store_bytes)


def _moved(regions: TileRegions) -> tuple[int, int]:
    """Bytes that all blocks read and write, what lies outside of tensors left out."""
    read = written = 0
    for block in itertools.product(*(range(n) for n in regions.grid)):
        for step in steps_of(regions, block):
            for place in step.accesses:
                access, box = regions.accesses[place], box_at(regions, place, block, step.turns)
                assert box is not None
                tensor = regions.tensor(access.tensor)
                size = box.inside(tensor.shape).elements * tensor.bits // 8
                read, written = read + size * access.reads, written + size * access.writes
    return read, written


def test_it_is_a_part_of_the_analysis_and_survives_the_wire(tmp_path: pathlib.Path) -> None:
    from workbench.engine.analysis.job import analyze_kernel

    path = tmp_path / "k.py"
    path.write_text(PRODUCT)
    (kernel,) = read_document(path).kernels
    choice = KernelChoice(kernel.name, kernel.style.value, {}, kernel.line)
    source = Source(str(path), PRODUCT, str(path.parent), trusted=True)
    target = load_targets().resolve("a100").to_json()
    result = analyze_kernel(AnalyzeRequest(source, choice, target, 1), lambda *_: None)
    (analysis,) = result.kernels
    assert analysis.tiles is not None
    assert from_plain(TileRegions, to_plain(analysis.tiles)) == analysis.tiles
