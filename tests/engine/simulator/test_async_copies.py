"""Copies that each thread orders for itself."""

# ruff: noqa: N803, N806, N812 - kernels are written in TileLang's own style

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def gathered():
    @T.prim_func
    def main(
        Rows: T.Tensor((16,), "int32"),
        A: T.Tensor((32, 64), "float16"),
        B: T.Tensor((16, 64), "float16"),
    ):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding(0)
            S = T.alloc_shared((16, 64), "float16")
            row = T.alloc_var("int32")
            row = Rows[tx // 8]
            T.ptx_cp_async(
                T.access_ptr(S[tx // 8, tx % 8 * 8], "w", 8),
                T.access_ptr(A[row, tx % 8 * 8], "r", 8),
                8,
                row % 2 == 0,
            )
            T.sync_threads()
            for j in T.serial(8):
                B[tx // 8, tx % 8 * 8 + j] = S[tx // 8, tx % 8 * 8 + j]

    return main


def test_every_thread_copies_its_elements_and_zeros_where_its_condition_does_not_hold(
    build, simulate
):
    rows = torch.randperm(32)[:16].int()
    a = torch.randn(32, 64).half()
    result = simulate(build(gathered), rows, a).tensors[2]
    assert torch.equal(result, torch.where((rows % 2 == 0)[:, None], a[rows.long()], 0))


@tilelang.jit
def handed_over():
    @T.prim_func
    def main(A: T.Tensor((64, 8), "float16"), B: T.Tensor((64, 8), "float16")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding(0)
            warp = tx // 32
            S = T.alloc_shared((2, 32, 8), "float16")
            T.ptx_cp_async(
                T.access_ptr(S[warp, tx % 32, 0], "w", 8), T.access_ptr(A[tx, 0], "r", 8), 8
            )
            T.sync_threads()
            for j in T.serial(8):
                B[tx, j] = S[warp, tx % 32, j]

    return main


def test_an_index_held_in_a_variable_is_each_thread_s_own(build, simulate):
    a = torch.randn(64, 8).half()
    assert torch.equal(simulate(build(handed_over), a).tensors[1], a)
