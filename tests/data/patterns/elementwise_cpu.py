# /// workbench
# kernel = "silu_mul"
#
# [pattern]
# id = "elementwise"
# version = 2
# targets = ["cpu"]
# goal = "throughput"
# requirements = { M = 300, N = 500, op = "silu_mul", dtype = "float32" }
# tiles = { block_M = 1, block_N = 1024, threads = 256 }
# text = "7c456689bab1d11c"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 1036 }
# targets = ["cpu"]
#
# [[case]]
# name = "whole-tiles"
# args = { M = 3, N = 2048 }
# targets = ["cpu"]
#
# [[case]]
# name = "300x500"
# args = { M = 300, N = 500 }
# targets = ["cpu"]
# ///
"""C = SiLU(A) B, element by element, computed in float32.

    kernel = silu_mul(300, 500)
    C = kernel(A, B)  # (M, N) float32

Hardware assumptions: none. Bound by memory: 12 bytes move for each element, and each byte once.
Block sizes: 1 × 1024 elements a block make 300 blocks at 300 × 500.
Performance: not measured.
"""

import tilelang
import tilelang.cpu.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def silu_mul(M, N, block_M=1, block_N=1024, dtype="float32"):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), dtype),
        B: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # The grid becomes the outer loops; the last tile of each row and column may be partial.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M)) as (bx, by):
            A_local = T.alloc_local((block_M, block_N), "float32")
            B_local = T.alloc_local((block_M, block_N), "float32")

            T.copy(A[by * block_M, bx * block_N], A_local)
            T.copy(B[by * block_M, bx * block_N], B_local)
            for i, j in T.grid(block_M, block_N):
                # The result takes the place of A.
                A_local[i, j] = A_local[i, j] * T.sigmoid(A_local[i, j]) * B_local[i, j]
            T.copy(A_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return F.silu(A) * B
