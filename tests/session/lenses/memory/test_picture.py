"""The memory hierarchy of kernels as they are lowered, held to what a person works out by hand."""

from __future__ import annotations

import dataclasses
import pathlib
from functools import lru_cache
from typing import Any

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.data_files import find_data
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, CompileResult, KernelChoice, Resources, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.memory.model import Fill, Flow, Level, MemoryPicture
from workbench.session.lenses.subject import LensSubject, LensTarget

pytestmark = pytest.mark.slow
WITHOUT_CODE = "it takes machine code, which Analyze makes (F7, or --level 2)"
KIB, MIB, GIB = 1024, 1 << 20, 1 << 30
FLASH = pathlib.Path(__file__).parents[4].parent / "shared/oracle/kernels/c12_flash_sm80.py"
ASCEND = """
import tilelang
import tilelang.ascend.language as T

@tilelang.jit(target="ascend")
def product(M=1024, N=1024, K=512, block=128, block_K=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "bfloat16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel((M // block) * (N // block)) as bx:
            a = T.alloc_l1((block, block_K), "bfloat16")
            b = T.alloc_l1((block, block_K), "bfloat16")
            c = T.alloc_l0c((block, block), "float32")
            half = T.alloc_shared((block // 2, block), "float32")
            m = bx // (N // block) * block
            n = bx % (N // block) * block
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[m, k * block_K], a)
                T.copy(B[n, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=(k == 0))
            T.dual_copy(c, half)
            T.dual_copy(half, C[m : m + block, n : n + block])
    return main
"""


@lru_cache(maxsize=8)
def _analyzed(text: str, target: str) -> tuple[str, AnalyzeResult, dict[str, Any]]:
    from workbench.engine.analysis.job import analyze_kernel

    chosen = select(parse_document(text), None, None, {})[0]
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source("kernel.py", text, ".", trusted=True)
    lowered = load_targets().resolve(target).to_json()
    result = analyze_kernel(AnalyzeRequest(source, choice, lowered, 1), lambda *_: None)
    assert result.failure is None
    return kernel.name, from_plain(AnalyzeResult, to_plain(result)), chosen.args


def subject(text: str, *targets: str, registers: int | None = None) -> LensSubject:
    """A kernel for targets; `registers` are what a compile told of it."""
    compiled = CompileResult(None, resources=Resources(registers)) if registers else None
    found = [_analyzed(text, name) for name in targets]
    made = tuple(
        LensTarget(load_targets().resolve(name), mark, each[1], compiled, level=1)
        for mark, (name, each) in enumerate(zip(targets, found, strict=True))
    )
    return LensSubject("kernel.py", "kernel.py", text, found[0][0], "", found[0][2], made)


def picture(shown: LensSubject, place: int = 0) -> MemoryPicture:
    found = memory_picture(shown, shown.targets[place])
    assert found is not None
    return found


def blocks(found: MemoryPicture, level: Level) -> dict[str, float | None]:
    return {each.name: each.weight for each in found.lane(level).blocks}


def moved(found: MemoryPicture) -> dict[tuple[str | None, str | None], float | None]:
    return {(flow.source.buffer, flow.target.buffer): flow.moved for flow in found.flows}


def flow(found: MemoryPicture, source: str, target: str, at: Level) -> Flow:
    return next(
        f
        for f in found.flows
        if (f.source.buffer, f.target.buffer, f.target.level) == (source, target, at)
    )


def fill(found: MemoryPicture, level: Level, mark: int = 0) -> Fill:
    return next(each for each in found.lane(level).fills if each.mark == mark)


def gemm() -> str:
    return (find_data("kernels") / "gemm.py").read_text()


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def test_gemm_of_1024_in_tiles_of_128_by_128_by_32() -> None:
    """64 blocks, 32 turns. A turn brings 8 KiB of each operand; warps of 64 by 64 in a block of
    128 by 128 read each of both twice."""
    found = picture(subject(gemm(), "a100", registers=226))
    assert blocks(found, Level.HBM) == {"A": 2 * MIB, "B": 2 * MIB, "C": 2 * MIB}
    assert blocks(found, Level.L2) == {"A": 256 * KIB, "B": 256 * KIB, "C": 32 * KIB}
    assert blocks(found, Level.SHARED) == {"A_shared": 24 * KIB, "B_shared": 24 * KIB}
    assert [each.copies for each in found.lane(Level.SHARED).blocks] == [3, 3]
    assert blocks(found, Level.REGISTERS) == {"C_local": 128, "other": 98}
    assert moved(found) == {
        ("A", "A"): 32 * KIB,
        ("B", "B"): 32 * KIB,
        ("C", "C"): 32 * KIB,
        ("A", "A_shared"): 32 * 8 * KIB,
        ("B", "B_shared"): 32 * 8 * KIB,
        ("C_local", "C"): 32 * KIB,
        ("A_shared", "C_local"): 2 * 32 * 8 * KIB,
        ("B_shared", "C_local"): 2 * 32 * 8 * KIB,
    }
    into = flow(found, "A", "A_shared", Level.SHARED)
    assert into.lines == (line_of(gemm(), "T.copy(A["),)


def test_bars_and_the_next_step_of_gemm() -> None:
    """226 registers are 7,424 a warp in units of 256: 116 KiB for 4 warps, twice in 256 KiB, and
    thrice from 168 on: 84 KiB. A block's 48 KiB and the driver's 1 KiB are thrice in 164 KiB."""
    found = picture(subject(gemm(), "a100", registers=226))
    registers, shared = fill(found, Level.REGISTERS), fill(found, Level.SHARED)
    assert (registers.used, registers.capacity) == (2 * 116 * KIB, 256 * KIB)
    assert (registers.step, registers.step_text) == (2 * 84 * KIB, "≤ 168: 3 blocks")
    assert (shared.used, shared.capacity, shared.step) == (2 * 49 * KIB, 164 * KIB, None)
    assert shared.told == "room for 3 blocks per SM"
    assert fill(found, Level.L2).used == 6 * MIB
    assert fill(found, Level.HBM).capacity == 80 * GIB
    assert found.conclusion == (
        "Registers, not shared memory, limit this kernel: 226 a thread leave room for 2 blocks "
        "per SM; 168 would give 3."
    )


def test_without_a_compile_registers_are_a_gap_that_says_why() -> None:
    found = picture(subject(gemm(), "a100"))
    assert blocks(found, Level.REGISTERS) == {"C_local": 128}
    assert WITHOUT_CODE in found.lane(Level.REGISTERS).gap
    bar = fill(found, Level.REGISTERS)
    assert (bar.used, bar.why) == (None, WITHOUT_CODE)
    assert found.conclusion == (
        "Shared memory (48 KiB a block) leaves room for at most 3 blocks per SM: registers, which "
        "Analyze (F7) counts, may allow fewer."
    )


def test_a_lds_of_64_kib_holds_four_blocks_and_is_called_so() -> None:
    found = picture(subject(gemm(), "mi300x"))
    assert found.lane(Level.SHARED).title == "LDS"
    held = fill(found, Level.SHARED)
    assert held.used is not None
    assert held.used <= 64 * KIB == held.capacity
    assert "per CU" in held.told


def test_a_ghost_shows_where_bars_were() -> None:
    now, was = subject(gemm(), "a100", registers=160), subject(gemm(), "a100", registers=226)
    found = picture(dataclasses.replace(now, before=was.targets))
    bar = fill(found, Level.REGISTERS)
    assert bar.used == 3 * 80 * KIB
    assert (bar.was, bar.was_text) == (2 * 116 * KIB, "2 × 116 KiB")
    assert fill(found, Level.L2).was is None


@pytest.fixture
def flash() -> str:
    if not FLASH.exists():
        pytest.skip("the measured kernels are not here")
    return FLASH.read_text()


def test_attention_of_64_by_64_tiles_keeps_q_and_o_at_the_same_bytes(flash: str) -> None:
    """64 blocks of 8 turns; each of 4 warps has 16 rows, so all of K and V goes to every warp."""
    found = picture(subject(flash, "a100", registers=138))
    assert blocks(found, Level.SHARED) == {"Q_s O_s": 8 * KIB, "K_s": 8 * KIB, "V_s": 8 * KIB}
    assert found.lane(Level.SHARED).blocks[0].is_merged
    assert blocks(found, Level.L2) == {"Q": 8 * KIB, "K": 64 * KIB, "V": 64 * KIB, "O": 8 * KIB}
    assert flow(found, "Q_s", "acc_s", Level.REGISTERS).moved == 8 * 8 * KIB
    assert flow(found, "K_s", "acc_s", Level.REGISTERS).moved == 8 * 4 * 8 * KIB
    assert flow(found, "V_s", "acc_o", Level.REGISTERS).moved == 8 * 4 * 8 * KIB
    assert flow(found, "acc_o", "O_s", Level.SHARED).moved == 8 * KIB
    assert flow(found, "O_s", "O", Level.L2).moved == 8 * KIB
    registers = blocks(found, Level.REGISTERS)
    assert registers == {
        "acc_s": 32, "acc_c": 16, "acc_o": 32, "mx": 2, "mp": 2, "sc": 2, "sm": 2, "ls": 2,
        "other": 138 - 90,
    }  # fmt: skip
    assert found.conclusion.endswith(
        "138 a thread leave room for 3 blocks per SM; 128 would give 4."
    )


def test_the_strip_keeps_buffers_for_all_of_the_loop_that_uses_them(flash: str) -> None:
    strip = picture(subject(flash, "a100")).strip
    assert strip is not None
    loop, last = line_of(flash, "T.copy(K["), line_of(flash, "T.gemm(acc_c")
    kept = {bar.name: (bar.first, bar.last, bar.rows) for bar in strip.bars}
    assert kept["Q_s"] == (line_of(flash, "T.copy(Q["), last, (0, 1))
    assert kept["K_s"] == (loop, last, (1, 2))
    assert kept["V_s"] == (loop, last, (2, 3))
    stored = line_of(flash, "T.copy(acc_o, O_s)")
    assert kept["O_s"] == (stored, stored + 1, (0, 1))
    assert (strip.peak_bytes, strip.peak, strip.saved_bytes) == (24 * KIB, (loop, last), 8 * KIB)
    assert strip.told == f"peak 24 KiB in lines {loop}–{last} · merging saves 8 KiB"


def test_buffers_that_lowering_makes_are_told_apart_by_their_lines() -> None:
    """Both reductions of softmax have a workspace of 128 float32, written and read twice by each
    of 128 threads in 4 turns: 4 KiB each way."""
    text = (find_data("kernels") / "softmax.py").read_text()
    found = picture(subject(text, "h100"))
    assert blocks(found, Level.SHARED) == {"workspace": 512, "workspace#2": 512}
    assert "lowering makes it" in found.lane(Level.SHARED).blocks[0].note
    read = {f.source.buffer: f for f in found.flows if f.source.level is Level.SHARED}
    assert read["workspace"].lines == (line_of(text, "T.reduce_sum("),)
    assert read["workspace#2"].lines == (line_of(text, "T.reduce_max("),)
    assert {each.moved for each in read.values()} == {4 * 2 * 128 * 4}


def test_an_ascend_core_has_its_own_levels() -> None:
    """8 turns of 16 KiB tiles, two stages of both in L1, a float32 tile of 128 by 128 in L0C."""
    found = picture(subject(ASCEND, "ascend910b"))
    assert [lane.title for lane in found.lanes] == ["GM", "L1", "L0", "UB"]
    assert blocks(found, Level.L1) == {"a": 32 * KIB, "b": 32 * KIB}
    assert [each.copies for each in found.lane(Level.L1).blocks] == [2, 2]
    assert blocks(found, Level.L0) == {"c": 64 * KIB}
    assert blocks(found, Level.UB) == {"half": 32 * KIB}
    assert moved(found) == {
        ("A", "a"): 8 * 16 * KIB,
        ("B", "b"): 8 * 16 * KIB,
        ("a", "c"): 8 * 16 * KIB,
        ("b", "c"): 8 * 16 * KIB,
        ("c", "half"): 64 * KIB,
        ("half", "C"): 64 * KIB,
    }
    assert [(f.name, f.used, f.capacity) for f in found.lane(Level.L0).fills] == [
        ("L0C", 64 * KIB, 128 * KIB)
    ]
    assert (fill(found, Level.L1).used, fill(found, Level.UB).capacity) == (64 * KIB, 192 * KIB)
    assert found.conclusion == (
        "All buffers fit on a core of Ascend 910B2: L0C is the fullest, with 64 KiB of 128 KiB "
        "(50%)."
    )
