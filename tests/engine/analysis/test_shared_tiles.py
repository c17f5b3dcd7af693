"""Which elements lanes access, worked by hand for a transpose, and that layouts are undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.banked_tiles import TRANSPOSE
from tests.support.lowering_faults import analyzed_text
from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.layouts import TileLayout
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.analysis.shared_tiles import SharedTile
from workbench.core.analysis.what_if import TileAccess

PRODUCT = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def product():
    @T.prim_func
    def main(
        A: T.Tensor((128, 128), "float16"),
        B: T.Tensor((128, 128), "float16"),
        C: T.Tensor((128, 128), "float16"),
    ):
        with T.Kernel(1, threads=128) as bx:
            A_s = T.alloc_shared((128, 32), "float16")
            B_s = T.alloc_shared((32, 128), "float16")
            C_s = T.alloc_shared((128, 128), "float16")
            C_l = T.alloc_fragment((128, 128), "float32")
            T.clear(C_l)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[0, k * 32], A_s)
                T.copy(B[k * 32, 0], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C_s)
            T.copy(C_s, C)
    return main
"""
LANES = np.arange(32)


def analysis_of(path: Path, text: str) -> KernelAnalysis:
    result = analyzed_text(path / "kernel.py", text)
    assert "shared tiles" not in result.missing
    return result.kernels[0]


def test_the_elements_of_a_transpose(tmp_path: Path) -> None:
    """Warp w stores row 8r+w at turn r, and loads column 8r+w: 32 kinds of each, 4 blocks."""
    kernel = analysis_of(tmp_path, TRANSPOSE)
    assert kernel.shared_tiles is not None
    assert kernel.shared_tiles.tiles == (SharedTile("S", 32, 32, 4, 1, 0, 0),)
    store, load = kernel.shared_tiles.sites
    rows = {pattern.elements for pattern in store.patterns}
    columns = {pattern.elements for pattern in load.patterns}
    assert rows == {tuple((row * 32 + LANES).tolist()) for row in range(32)}
    assert columns == {tuple((LANES * 32 + column).tolist()) for column in range(32)}
    assert {pattern.weight for pattern in load.patterns} == {4}
    step = load.steps[7]  # four warps a turn
    assert (step.warp, step.turns) == (3, (("r", 1),))
    assert step.addresses == tuple((LANES * 128 + 44).tolist())


def test_layouts_of_pipelined_operands_are_undone(tmp_path: Path) -> None:
    """The elements laid out anew as the kernel lays them cost what the kernel costs."""
    kernel = analysis_of(tmp_path, PRODUCT)
    tiles, report = kernel.shared_tiles, kernel.shared
    assert tiles is not None
    assert report is not None
    left, right = tiles.tile("A_s"), tiles.tile("B_s")
    assert left is not None
    assert right is not None
    assert (left.copies, left.swizzle_bytes) == (2, 64)
    assert (right.copies, right.swizzle_bytes) == (2, 128)
    assert all(not site.patterns for site in tiles.sites if site.buffer in ("A_s", "B_s"))
    conflicting = [
        (own, counted)
        for own, counted in zip(tiles.sites, report.ir_sites, strict=True)
        if own.buffer == "C_s"
    ]
    assert {own.kind for own, _ in conflicting} == {SharedKind.STORE, SharedKind.LOAD}
    for own, counted in conflicting:
        elements = np.array([pattern.elements for pattern in own.patterns])
        rows, columns = np.where(elements < 0, -1, elements // 128), elements % 128
        weights = np.array([pattern.weight for pattern in own.patterns])
        assert own.access is not None
        again = TileAccess(own.access, TileLayout(128, 128, 2), rows, columns, weights)
        assert again.count(NVIDIA).wavefronts == counted.wavefronts
