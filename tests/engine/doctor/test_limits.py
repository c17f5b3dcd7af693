"""What a kernel needs too much of is told at the tile that takes it, with what would fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lowering_faults import analyzed_text

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"

GUARD = """
@tilelang.jit(out_idx=[2])
def guard(M={rows}, N=512):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float32"), G: T.Tensor((M,), "float32"), B: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(1, threads=128) as bx:
            g = T.alloc_fragment((M,), "float32")  # here
            T.copy(G, g)
            for i, j in T.Parallel(M, N):
                B[i, j] = g[i] * A[i, j]

    return main
"""

TILED = """
@tilelang.jit(out_idx=[2])
def matmul(M=512, N={n}, K=512, block_k={k}):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // {n}, M // 128, threads=128) as (bx, by):
            b = T.alloc_shared((block_k, {n}), "float16")  # shared
            a = T.alloc_shared((128, block_k), "float16")
            c = T.alloc_fragment((128, {n}), "float32")  # registers
            T.clear(c)
            for k in T.Pipelined(K // block_k, num_stages={stages}):
                T.copy(A[by * 128, k * block_k], a)
                T.copy(B[k * block_k, bx * {n}], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * {n}])

    return main
"""


@pytest.mark.parametrize(
    ("body", "code", "mark", "fits"),
    [
        (GUARD.format(rows=4), "idle-threads", "# here", "shared memory"),
        (
            TILED.format(n=128, k=64, stages=6),
            "shared-memory-over-limit",
            "# shared",
            "num_stages=5 fits",
        ),
        (TILED.format(n=256, k=32, stages=2), "registers-over-limit", "# registers", "threads=256"),
    ],
)
def test_the_tile_that_takes_too_much_is_marked(
    tmp_path: Path, body: str, code: str, mark: str, fits: str
) -> None:
    text = HEAD + body.lstrip("\n")
    result = analyzed_text(tmp_path / "document.py", text)
    (found,) = [each for each in result.diagnostics if each.code == code]
    marked = [n for n, line in enumerate(text.splitlines(), 1) if mark in line]
    assert found.range is not None
    assert found.range.line == marked[0]
    assert fits in (found.help or "")
    assert found.targets == ("sm_80",)


@pytest.mark.parametrize("body", [GUARD.format(rows=128), TILED.format(n=128, k=32, stages=2)])
def test_a_kernel_within_the_limits_is_clean(tmp_path: Path, body: str) -> None:
    result = analyzed_text(tmp_path / "document.py", HEAD + body.lstrip("\n"))
    assert result.failure is None
    assert {found.code for found in result.diagnostics} <= {"bank-conflict", "grid-too-small"}
    assert "limits" not in result.missing
