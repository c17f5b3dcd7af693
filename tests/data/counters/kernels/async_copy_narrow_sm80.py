# /// workbench
# kernel = "async_copy_narrow_sm80"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200:sm_80"]
# rtol = 1e-4
# atol = 1e-4
# ///
"""Asynchronous copies of 4 and 8 bytes: tiles of 3 and 6 floats a row, read backwards."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[2])
def async_copy_narrow_sm80():
    M, steps = 4096, 8
    rows = 128

    @T.prim_func
    def main(
        A: T.Tensor((M, steps * 6), "float32"),
        B: T.Tensor((M, steps * 3), "float32"),
        Y: T.Tensor((M, 9), "float32"),
    ):
        with T.Kernel(M // rows, threads=128) as bx:
            A_shared = T.alloc_shared((rows, 6), "float32")
            B_shared = T.alloc_shared((rows, 3), "float32")
            A_total = T.alloc_fragment((rows, 6), "float32")
            B_total = T.alloc_fragment((rows, 3), "float32")
            T.clear(A_total)
            T.clear(B_total)
            for k in T.Pipelined(steps, num_stages=2):
                T.copy(A[bx * rows, k * 6], A_shared)
                T.copy(B[bx * rows, k * 3], B_shared)
                for i, j in T.Parallel(rows, 6):
                    A_total[i, j] += A_shared[rows - 1 - i, j]
                for i, j in T.Parallel(rows, 3):
                    B_total[i, j] += B_shared[rows - 1 - i, j]
            for i, j in T.Parallel(rows, 6):
                Y[bx * rows + i, j] = A_total[i, j]
            for i, j in T.Parallel(rows, 3):
                Y[bx * rows + i, 6 + j] = B_total[i, j]

    return main


def ref_program(A, B):
    sums = [X.reshape(X.shape[0], 8, -1).sum(1) for X in (A, B)]
    return torch.cat(sums, dim=1).reshape(-1, 128, 9).flip(1).reshape(-1, 9)
