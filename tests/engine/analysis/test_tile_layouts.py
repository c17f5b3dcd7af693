"""Layouts that TileLang infers, said in words, on kernels that ask for each kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.documents.reading import read_document
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets

TEXT = """
import tilelang
import tilelang.language as T

@tilelang.jit
def product(M=128, N=128, K=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            own = T.alloc_shared((16, 16), "float32")
            padded = T.alloc_shared((16, 16), "float32")
            c = T.alloc_fragment((128, 128), "float32")
            most = T.alloc_fragment((128,), "float32")
            plain = T.alloc_shared((16, 16), "float32")
            T.annotate_layout({
                own: T.Layout((16, 16), lambda i, j: (i, (j + 3 * i) % 16)),
                padded: T.Layout((16, 16), lambda i, j: i * 20 + j),
            })
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            for i, j in T.Parallel(16, 16):
                plain[i, j] = T.float32(2)
                own[i, j] = T.float32(1)
                padded[i, j] = T.float32(1)
            for i, j in T.Parallel(16, 16):
                C[i, j] = own[i, j] + padded[j, i] + plain[i, j]
            T.reduce_max(c, most, dim=1)
            T.copy(c, C)
    return main
"""


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BufferLayout]:
    from workbench.engine.analysis.job import analyze_kernel

    path = tmp_path_factory.mktemp("layouts") / "k.py"
    path.write_text(TEXT)
    (kernel,) = read_document(path).kernels
    choice = KernelChoice(kernel.name, kernel.style.value, {}, kernel.line)
    source = Source(str(path), TEXT, str(path.parent), trusted=True)
    target = load_targets().resolve("a100").to_json()
    result = analyze_kernel(AnalyzeRequest(source, choice, target, 1), lambda *_: None)
    (analysis,) = result.kernels
    assert from_plain(KernelAnalysis, to_plain(analysis)) == analysis
    assert analysis.layouts is not None, result.missing
    return {each.name: each for each in analysis.layouts}


@pytest.fixture(scope="module")
def texts(layouts: dict[str, BufferLayout]) -> dict[str, str]:
    return {name: each.text for name, each in layouts.items()}


def test_operands_of_a_product_are_swizzled(texts: dict[str, str]) -> None:
    assert texts["a"] == "64-byte swizzle"
    assert texts["b"] == "128-byte swizzle in 2 panels of 128 B a row"


def test_a_fragment_tells_registers_and_threads(texts: dict[str, str]) -> None:
    assert texts["c"] == "128 registers a thread over 128 threads"


def test_padding_and_what_has_no_name_are_told(texts: dict[str, str]) -> None:
    assert texts["padded"] == "row-major, 16 B of padding a row"
    assert texts["own"].startswith("(_i, _j) → (_i, ")


def test_what_is_left_as_it_is_allocated_is_told(layouts: dict[str, BufferLayout]) -> None:
    plain = layouts["plain"]
    assert plain.text == "row-major, as it is allocated"
    assert plain.map is not None
    assert np.array_equal(plain.map.places(), np.arange(256).reshape(16, 16))


def made_by_tilelang(kind: str) -> Any:
    from tilelang.layout import Fragment, make_swizzled_layout
    from tvm import tirx

    if kind == "swizzle":
        return make_swizzled_layout(tirx.decl_buffer((64, 64), "float16", scope="shared"))
    # The accumulator of wgmma m64n16, and a vector that the four threads of a quad hold alike.
    if kind == "wgmma":
        return Fragment(
            (64, 16),
            forward_thread_fn=lambda i, j: i // 16 * 32 + i % 8 * 4 + j % 8 // 2,
            forward_index_fn=lambda i, j: j // 8 * 4 + i % 16 // 8 * 2 + j % 2,
        )
    return Fragment(
        (16,),
        forward_thread_fn=lambda i, rep: i % 8 * 4 + rep,
        replicate=4,
        forward_index_fn=lambda i: i // 8,
    )


@pytest.mark.parametrize("kind", ["swizzle", "wgmma", "vector"])
def test_cells_are_those_of_tilelangs_own_functions(kind: str) -> None:
    from workbench.engine.analysis.tile_layouts import layout_map

    layout = made_by_tilelang(kind)
    known = layout_map(layout)
    assert known is not None
    places = known.places()
    generator = np.random.default_rng(0)
    for row, column in generator.integers(0, known.tile, (40, 2)).tolist():
        replica = [0] * (known.copies > 1)
        index = [*replica, *[row, column][-len(known.shape) :]]
        own = [int(each) for each in layout.map_forward_index(index)]
        assert places[row, column] == np.ravel_multi_index(own, known.extents)
        if known.thread is not None:
            (thread,) = layout.map_forward_thread(index)
            assert known.holders()[row, column] == int(thread)


def test_the_copies_of_an_element_lie_in_the_threads_of_a_quad() -> None:
    from workbench.engine.analysis.tile_layouts import layout_map

    known = layout_map(made_by_tilelang("vector"))
    assert known is not None
    assert known.copies == 4
    assert [int(known.holders(copy)[0, 11]) for copy in range(4)] == [12, 13, 14, 15]


def test_a_128_byte_swizzle_permutes_chunks_by_the_row() -> None:
    """Chunk c of row r lies at chunk c xor r mod 8 of the same row (CUDA's swizzle of 128 B)."""
    from workbench.engine.analysis.tile_layouts import layout_map

    known = layout_map(made_by_tilelang("swizzle"))
    assert known is not None
    row, column = np.indices((64, 64))
    chunk = column // 8 ^ row % 8
    assert np.array_equal(known.places(), row * 64 + chunk * 8 + column % 8)


def test_the_accumulator_of_a_product_is_that_of_mma(layouts: dict[str, BufferLayout]) -> None:
    """PTX ISA, mma.m16n8k16: row = lane / 4 (+ 8), column = lane % 4 * 2 + register % 2."""
    known = layouts["c"].map
    assert known is not None
    lanes, registers = known.holders() % 32, known.places()
    row, column = np.indices((128, 128))
    assert np.array_equal(row % 8, lanes // 4)
    assert np.array_equal(row % 16 // 8, registers % 4 // 2)
    assert np.array_equal(column % 8, lanes % 4 * 2 + registers % 2)
