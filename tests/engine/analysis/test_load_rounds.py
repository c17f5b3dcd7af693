from __future__ import annotations

from typing import Any

import pytest

from .conftest import Analyze

HEAD = """import tilelang
import tilelang.language as T

@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8, 4096), "float32"), Y: T.Tensor((8, 4096), "float32")):
"""
COPY = f"""{HEAD}
        with T.Kernel(8, threads=128) as bx:
            for j in T.Parallel(4096):
                Y[bx, j] = X[bx, j] + 1.0
    return main
"""
GUARDED = COPY.replace("4096", "4095")  # no vector fits a row, and a thread's last turn is cut
BARRIERS = f"""{HEAD}
        with T.Kernel(8, threads=128) as bx:
            x = T.alloc_fragment((1, 512), "float32")
            m = T.alloc_fragment((1,), "float32")
            T.fill(m, 0.0)
            for k in T.serial(8):
                T.copy(X[bx, k * 512], x)
                T.reduce_max(x, m, dim=1, clear=False)
            for j in T.Parallel(4096):
                Y[bx, j] = m[0]
    return main
"""
ADDITIONS = f"""{HEAD}
        with T.Kernel(8, threads=128) as bx:
            S = T.alloc_shared((32,), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                T.atomic_add(S[(tx + r) % 32], X[bx, r * 128 + tx])
            T.sync_threads()
            Y[bx, tx] = S[tx % 32]
    return main
"""


def rounds_of(kernel: Any, registers: int = 255) -> float:
    from workbench.engine.analysis.load_rounds import load_rounds

    return load_rounds(kernel.func, kernel.document, 32, registers)


def test_loads_of_a_straight_stretch_are_under_way_together(analyze: Analyze) -> None:
    assert rounds_of(analyze(COPY, "h200").kernel) == 1


def test_registers_bound_what_is_under_way(analyze: Analyze) -> None:
    kernel = analyze(COPY, "h200").kernel  # 32 values a thread
    assert rounds_of(kernel, 16) == 2
    assert rounds_of(kernel, 8) == 4


def test_a_branch_around_a_load_makes_every_turn_wait(analyze: Analyze) -> None:
    assert rounds_of(analyze(GUARDED, "h200").kernel) == 32


def test_a_barrier_in_a_loop_parts_its_turns(analyze: Analyze) -> None:
    assert rounds_of(analyze(BARRIERS, "h200").kernel) == 8


def test_additions_to_the_word_that_gets_most_are_counted(analyze: Analyze) -> None:
    from workbench.engine.analysis.load_rounds import atomic_chain
    from workbench.engine.analysis.shared_memory import accesses_of

    kernel = analyze(ADDITIONS, "h200").kernel
    assert atomic_chain(accesses_of(kernel)) == 4 * 128 / 32
    assert rounds_of(kernel) == 4  # each waits for its compare-and-swap
    assert atomic_chain(accesses_of(analyze(COPY, "h200").kernel)) == 0


def test_a_quotient_is_thirteen_instructions(analyze: Analyze) -> None:
    from workbench.engine.analysis.work_ir import work_of

    kernel = analyze(COPY.replace("+ 1.0", "/ (X[bx, j] + 1.0)"), "h200").kernel
    assert work_of(kernel.func, kernel.document, 32).instructions() == 8 * 4096 * (13 + 1)


@pytest.mark.parametrize("target", ["a100", "mi300x"])
def test_rounds_are_told_for_other_targets_too(analyze: Analyze, target: str) -> None:
    assert rounds_of(analyze(COPY, target).kernel) == 1
