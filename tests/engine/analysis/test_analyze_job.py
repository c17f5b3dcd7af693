"""The analyze job on real kernels: equal to what an H200 showed, true to the lines."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.register_budget import WarpGroup
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets

from .conftest import ORACLE, Analyze

KERNELS = sorted(path.stem for path in (ORACLE / "kernels").glob("[ch]*.py"))
# With roles, TMA and wgmma, and without any; cp.async and mma are in test_measured_kernels too.
OF_EACH_KIND = ("c01_transpose_naive", "c05_gemm_sm90")
COPIES = """
import tilelang
import tilelang.language as T

@tilelang.jit
def copies(M=64, N=20, K=64):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, K), "float16"),
             C: T.Tensor((M, K), "float32")):
        with T.Kernel(1, threads=128) as bx:
            narrow = T.alloc_shared((M, 12), "float16")
            wide = T.alloc_shared((M, K), "float16")
            rows = T.alloc_fragment((M, K), "float32")
            most = T.alloc_fragment((M,), "float32")
            T.copy(A[0, 0], narrow)  # narrow
            T.copy(B, wide)  # wide
            T.copy(wide, rows)  # convert
            T.reduce_max(rows, most, dim=1)  # reduce
            for i, j in T.Parallel(M, K):  # parallel
                rows[i, j] = rows[i, j] + most[i] + narrow[i, 0]
            T.copy(rows, C)  # out
    return main
"""

SWIZZLED = """
import tilelang
import tilelang.language as T

@tilelang.jit
def product(M=256, N=256, K=256):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            T.use_swizzle(panel_size=10)
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(8, num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])
    return main
"""

TWO = """
import tilelang
import tilelang.language as T

@tilelang.jit
def two(M=256, N=128):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, threads=128) as bx:
            first = T.alloc_shared((64, N), "float32")
            T.copy(A[bx * 64, 0], first)
            T.copy(first, B[bx * 64, 0])
        with T.Kernel(M // 128, threads=128) as bx:
            second = T.alloc_shared((64, N), "float32")
            T.copy(B[bx * 64, 0], second)
            T.copy(second, A[bx * 64, 0])
    return main
"""
ASCEND = """
import tilelang
import tilelang.ascend.language as T

@tilelang.jit
def copy(M=256, N=256):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64) as bx:
            held = T.alloc_shared((64, N), "float32")
            T.copy(A[bx * 64, 0], held)
            T.copy(held, B[bx * 64, 0])
    return main
"""
DYNAMIC = """
import tilelang
import tilelang.language as T

@tilelang.jit
def dynamic(N=128):
    M = T.dynamic("m")
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 64), threads=128) as bx:
            held = T.alloc_shared((64, N), "float32")
            T.copy(A[bx * 64, 0], held)
            T.copy(held, B[bx * 64, 0])
    return main
"""


@lru_cache(maxsize=64)
def _analyzed(
    path: pathlib.Path, target: str | None, level: int, carveout: int | None
) -> AnalyzeResult:
    from workbench.engine.analysis.job import analyze_kernel

    document = read_document(path)
    chosen = select(document, None, None, {})[0]
    found = load_targets().resolve(target or chosen.case.targets[0])
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    request = AnalyzeRequest(source, choice, found.to_json(), level, carveout)
    return analyze_kernel(request, lambda *_: None)


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], AnalyzeResult]:
    """The analysis at level 1 of a document with copies of several kinds."""
    path = tmp_path_factory.mktemp("copies") / "copies.py"
    path.write_text(COPIES)
    return lambda target: _analyzed(path, target, 1, None)


def _operation(result: AnalyzeResult, mark: str) -> Operation:
    line = next(n for n, text in enumerate(COPIES.splitlines(), 1) if text.endswith(f"# {mark}"))
    return next(each for each in result.kernels[0].operations or () if each.line == line)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        name if name in OF_EACH_KIND else pytest.param(name, marks=pytest.mark.thorough)
        for name in KERNELS
    ],
)
def test_resources_and_occupancy_are_those_that_the_hardware_showed(
    name: str, counters: dict[str, Any]
) -> None:
    measured = counters[name]
    carveout = int(measured["shared_carveout_bytes"])
    result = _analyzed(ORACLE / "kernels" / f"{name}.py", None, 2, carveout)
    assert result.failure is None
    assert result.resources is not None
    assert result.resources.registers is not None
    # The counter never reads below 16.
    assert max(16, result.resources.registers) == measured["registers_per_thread"]
    assert result.resources.shared_static_bytes == measured["shared_static_bytes"]
    assert result.resources.shared_dynamic_bytes == measured["shared_dynamic_bytes"]
    block, occupancy = result.kernels[0].block_resources, result.kernels[0].occupancy
    assert block is not None
    assert (block.threads, block.registers) == (measured["block_size"], result.resources.registers)
    assert occupancy is not None
    limits = {limit.resource: limit.blocks for limit in occupancy.limits}
    for resource, blocks in measured["occupancy_limits"].items():
        assert limits[Resource(resource)] == (blocks or 1), resource  # 0, it said, of one that ran
    percent = measured["theoretical_occupancy_pct"]
    if percent is not None:
        assert occupancy.fraction is not None
        assert occupancy.fraction * 100 == pytest.approx(percent, abs=0.01)


@pytest.mark.slow
def test_the_warp_specialised_gemm_is_told_by_line(counters: dict[str, Any]) -> None:
    path = ORACLE / "kernels" / "h03_gemm_epi_swz.py"
    kernel = _analyzed(path, None, 2, int(counters[path.stem]["shared_carveout_bytes"])).kernels[0]
    lines = {each.line: each.instruction for each in kernel.operations or ()}
    source = path.read_text().splitlines()
    told = {source[line - 1].split("(")[0].strip(): lines[line] for line in lines if line}
    assert told["T.gemm"] == "wgmma m64n64k16 fp16, fp16 -> fp32"
    assert lines[28] == "TMA load, box 64x64 of 16 bits, swizzle 128 B (cp.async.bulk.tensor)"
    assert (lines[31], lines[32] or "") == ("stmatrix.x4", lines[28].replace("load", "store"))
    lives = kernel.lifetimes
    assert lives is not None
    assert (lives.allocated_bytes, lives.peak_bytes, lives.peak_line) == (32768, 32768, 28)
    assert {each.name: each.shares_with for each in lives.buffers}["C_s"] == ("A_s",)
    budget = kernel.register_budget
    assert budget is not None
    assert (budget.allocated, budget.wanted, budget.fits) == (61440, 33792, True)
    assert max(each.live for each in kernel.line_registers or ()) <= 240


def test_why_a_copy_is_no_bulk_copy(copies: Callable[[str], AnalyzeResult]) -> None:
    narrow = _operation(copies("h200"), "narrow")
    assert narrow.note is not None
    assert narrow.note.startswith("no TMA: box inner extent 24 B is not a multiple of 16")
    wide = _operation(copies("h200"), "wide")
    assert (wide.instruction, wide.bytes) == ("load 16 B from global, store 16 B to shared", 16)
    assert wide.note is not None
    assert "outside T.Pipelined" in wide.note
    assert _operation(copies("t4"), "wide").note == "sm_75 has neither TMA nor cp.async"


def test_reductions_and_parallel_loops_are_told(copies: Callable[[str], AnalyzeResult]) -> None:
    reduce = _operation(copies("h200"), "reduce")
    assert (reduce.op, reduce.kind) == ("T.reduce_max rows -> most", "reduce")
    assert reduce.instruction is not None
    assert "threads" in reduce.instruction
    parallel = _operation(copies("h200"), "parallel")
    assert parallel.op == "T.Parallel(64, 64)"
    assert parallel.instruction is not None
    assert "from shared" in parallel.instruction
    assert "to global" in (_operation(copies("h200"), "out").instruction or "")


def test_a_bulk_copy_within_an_attribute_is_at_its_own_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "swizzled.py"
    path.write_text(SWIZZLED)
    kernel = _analyzed(path, "h200", 1, None).kernels[0]
    text = SWIZZLED.splitlines()
    bulk = [row for row in kernel.operations or () if "TMA" in (row.instruction or "")]
    assert [text[(row.line or 1) - 1].strip()[:8] for row in bulk] == ["T.copy(A", "T.copy(B"]
    assert kernel.shared is not None
    copies = [site for site in kernel.shared.sites if site.kind.value == "bulk-copy"]
    assert {site.line for site in copies} == {row.line for row in bulk}


def test_each_of_several_kernels_has_its_own_operations(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(TWO)
    kernels = _analyzed(path, "h200", 1, None).kernels
    lines = [{row.line for row in kernel.operations or ()} for kernel in kernels]
    assert [kernel.grid for kernel in kernels] == [(4, 1, 1), (2, 1, 1)]
    assert not lines[0] & lines[1]
    assert all(lines)


def test_a_launch_of_unknown_size_leaves_what_does_not_depend_on_it(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "dynamic.py"
    path.write_text(DYNAMIC)
    result = _analyzed(path, "h200", 1, None)
    kernel = result.kernels[0]
    assert (kernel.grid, kernel.shared) == ((None, 1, 1), None)
    assert "known at launch only" in result.missing["shared"]
    assert kernel.occupancy is not None
    assert kernel.operations


def test_warps_that_hand_registers_on_are_told_by_their_branch(analyze: Analyze) -> None:
    from workbench.engine.analysis.resources import warp_groups

    func = analyze(SWIZZLED, "h200").kernel.func
    assert warp_groups(func, 256) == (WarpGroup(4, 24), WarpGroup(4, 240))
    assert warp_groups(analyze(SWIZZLED, "a100").kernel.func, 128) == (WarpGroup(4, None),)


def test_buffers_of_an_ascend_core_are_held_against_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "ascend.py"
    path.write_text(ASCEND)
    result = _analyzed(path, "ascend910b", 2, None)
    buffers = {each.name: each for each in result.kernels[0].unit_buffers or ()}
    assert (buffers["unified buffer"].used_bytes, buffers["unified buffer"].fits) == (65536, True)
    assert "buffers instead of registers" in result.missing["registers"]


def test_a_result_survives_the_wire(copies: Callable[[str], AnalyzeResult]) -> None:
    result = copies("mi300x")
    assert from_plain(AnalyzeResult, to_plain(result)) == result
    assert "AMD" in result.missing["registers"]


def test_level_1_promises_no_machine_code_that_no_compiler_makes(
    copies: Callable[[str], AnalyzeResult],
) -> None:
    assert "no compiler" in copies("mi300x").missing["machine code"]
    assert "--level 2" in copies("h100").missing["machine code"]
