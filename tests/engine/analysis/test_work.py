from __future__ import annotations

from typing import Any

import pytest

from workbench.core.analysis.work import Work, WorkUnit

from .conftest import Analyze

HEAD = """import tilelang
import tilelang.language as T

@tilelang.jit
def kernel():
    @T.prim_func
"""
EXPONENTIAL = f"""{HEAD}
    def main(X: T.Tensor((1000,), "float32"), Y: T.Tensor((1000,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            tx = T.get_thread_binding(0)
            if bx * 128 + tx < 1000:
                for r in T.serial(4):
                    Y[bx * 128 + tx] = T.exp2(X[bx * 128 + tx] * 2.0 + 1.0)
    return main
"""
GEMM = f"""{HEAD}
    def main(
        A: T.Tensor((256, 128), "float16"),
        B: T.Tensor((128, 256), "float16"),
        C: T.Tensor((256, 256), "float16"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            A_s = T.alloc_shared((128, 32), "float16")
            B_s = T.alloc_shared((32, 128), "float16")
            C_l = T.alloc_fragment((128, 128), "float32")
            T.clear(C_l)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[by * 128, k * 32], A_s)
                T.copy(B[k * 32, bx * 128], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C[by * 128, bx * 128])
    return main
"""


COMPARED = f"""{HEAD}
    def main(X: T.Tensor((128,), "int32"), Y: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                if tx + r < 100:
                    Y[tx] = T.max(X[tx], X[tx] >> 3)
    return main
"""


def work_of(kernel: Any) -> Work:
    from workbench.engine.analysis import work_ir

    return work_ir.work_of(kernel.func, kernel.document, 32)


def test_operations_count_the_threads_that_come_there(analyze: Analyze) -> None:
    work = work_of(analyze(EXPONENTIAL, "h200").kernel)
    assert work.operations(WorkUnit.SPECIAL) == 4 * 1000
    assert work.operations(WorkUnit.FLOAT) == 2 * 4 * 1000
    assert (work.scalar_flops, work.tensor_flops) == (3 * 4 * 1000, 0)


def test_what_compares_data_is_told_as_uncounted_and_indices_are_not(analyze: Analyze) -> None:
    assert work_of(analyze(COMPARED, "h200").kernel).uncounted == 2 * 4 * 128
    assert work_of(analyze(EXPONENTIAL, "h200").kernel).uncounted == 0


@pytest.mark.parametrize(
    ("target", "instruction"), [("h200", "ptx_wgmma_ss m64n128k16"), ("a100", "ptx_mma m16n8k16")]
)
def test_a_gemm_is_two_operations_a_product(
    analyze: Analyze, target: str, instruction: str
) -> None:
    work = work_of(analyze(GEMM, target).kernel)
    assert work.tensor_formats() == {"float16": 2 * 256 * 256 * 128}
    assert {s.operation for s in work.sites if s.unit is WorkUnit.TENSOR} == {instruction}


def test_facts_tell_pipeline_and_registers(analyze: Analyze) -> None:
    from workbench.engine.analysis import shared_memory, work_facts
    from workbench.engine.analysis.global_traffic import global_report

    kernel = analyze(GEMM, "h200").kernel
    found, work = shared_memory.accesses_of(kernel), work_of(kernel)
    memory = global_report(kernel, found, 132)
    sites = shared_memory.ir_sites_of(kernel, found)
    facts = work_facts.kernel_facts(kernel, found, work, sites, memory)
    assert (facts.blocks, facts.threads, facts.specialized) == (4, 256, True)
    assert (facts.stages, facts.depth, facts.waits) == (2, 2, 4)
    assert (facts.registers, facts.most_registers, facts.estimated_registers) == (240, 240, True)
    assert facts.live_registers == 128  # the accumulators of 128 threads
    # A block of A is 128 rows of 64 bytes, one of B two boxes of 32 rows of 128 bytes.
    assert facts.bulk_lines == 4 * 4 * (128 + 2 * 32)


def test_blocks_that_are_asked_for_share_the_registers(analyze: Analyze) -> None:
    from workbench.engine.analysis import shared_memory
    from workbench.engine.analysis.work_facts import launch_registers, min_blocks

    wide = """
        with T.Kernel(8, threads=512) as bx:
            %sx = T.alloc_fragment((512, 32), "float32")
            T.copy(X[bx * 512, 0], x)
            T.copy(x, Y[bx * 512, 0])
    return main
"""
    head = (
        HEAD
        + """    def main(
        X: T.Tensor((4096, 32), "float32"), Y: T.Tensor((4096, 32), "float32")
    ):"""
    )
    asked = "T.annotate_min_blocks_per_sm(3)\n            "
    found = {}
    for text in ("", asked):
        kernel = analyze(head + wide % text, "h200").kernel
        blocks = min_blocks(kernel.func)
        accesses = shared_memory.accesses_of(kernel)
        found[blocks] = launch_registers(kernel, accesses, work_of(kernel))
    assert found == {None: 32 * 5 // 4 + 24, 3: 65536 // 512 // 3 // 8 * 8}


ROLES = f"""{HEAD}
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((2, 64, 64), "float32")):
        with T.Kernel(3, threads=256) as bx:
            A_s = T.alloc_shared((64, 64), "float16")
            one = T.alloc_fragment((64, 64), "float32")
            two = T.alloc_fragment((64, 64), "float32")
            ready = T.alloc_barrier(256)
            T.copy(A, A_s)
            T.fence_proxy_async()
            T.barrier_arrive(ready)
            thread = T.get_thread_binding()
            if thread < 128:
                T.barrier_wait(ready, 0)
                for k in T.serial(4):
                    T.wgmma_gemm(A_s, A_s, one, clear_accum=True)
                    T.wait_wgmma(0)
                T.copy(one, C[0, :, :])
            else:
                T.barrier_wait(ready, 0)
                T.wgmma_gemm(A_s, A_s, two, clear_accum=True)
                T.wait_wgmma(0)
                for i, j in T.Parallel(64, 64):
                    two[i, j] = T.exp2(two[i, j])
                T.copy(two, C[1, :, :])
    return main
"""


def test_warps_that_compute_something_else_have_roles_of_their_own(analyze: Analyze) -> None:
    work = work_of(analyze(ROLES, "h200").kernel)
    product = 2 * 64**3 * 3
    assert [role.threads for role in work.roles] == [128, 128]
    assert [role.tensor_flops for role in work.roles] == [
        {"float16": 4 * product},
        {"float16": product},
    ]
    assert [role.special_operations for role in work.roles] == [0, 64 * 64 * 3]
    assert [role.waits for role in work.roles] == [1, 1]
    # Each has the 32 accumulators of a thread, which are no thread's at once.
    assert [role.live_registers for role in work.roles] == [32, 32]
    assert work.live_registers == 32
    assert work.tensor_flops == 5 * product


def test_warps_that_multiply_alike_have_no_roles(analyze: Analyze) -> None:
    assert work_of(analyze(GEMM, "h200").kernel).roles == ()
