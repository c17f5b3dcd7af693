"""Layouts that TileLang infers, said in words, on kernels that ask for each kind."""

from __future__ import annotations

import pytest

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
                own[i, j] = T.float32(1)
                padded[i, j] = T.float32(1)
            for i, j in T.Parallel(16, 16):
                C[i, j] = own[i, j] + padded[j, i]
            T.reduce_max(c, most, dim=1)
            T.copy(c, C)
    return main
"""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
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
    return {each.name: each.text for each in analysis.layouts}


def test_operands_of_a_product_are_swizzled(texts: dict[str, str]) -> None:
    assert texts["a"] == "64-byte swizzle"
    assert texts["b"] == "128-byte swizzle in 2 panels of 128 B a row"


def test_a_fragment_tells_registers_and_threads(texts: dict[str, str]) -> None:
    assert texts["c"] == "128 registers a thread over 128 threads"


def test_padding_and_what_has_no_name_are_told(texts: dict[str, str]) -> None:
    assert texts["padded"] == "row-major, 16 B of padding a row"
    assert texts["own"].startswith("(_i, _j) → (_i, ")
