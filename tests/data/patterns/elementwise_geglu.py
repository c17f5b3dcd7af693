# /// workbench
# kernel = "gelu_mul"
#
# [pattern]
# id = "elementwise"
# version = 2
# targets = ["a100", "mi300x"]
# goal = "throughput"
# requirements = { M = 1000, N = 1000, op = "gelu_mul", dtype = "bfloat16" }
# tiles = { block_M = 8, block_N = 1024, threads = 256 }
# text = "88d34e20a69a8b0a"
#
# [[case]]
# name = "tails"
# args = { M = 17, N = 1048 }
# targets = ["a100", "mi300x"]
# baseline = "torch_gelu_mul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 24, N = 2048 }
# targets = ["a100", "mi300x"]
# baseline = "torch_gelu_mul"
#
# [[case]]
# name = "1000x1000"
# args = { M = 1000, N = 1000 }
# targets = ["a100", "mi300x"]
# baseline = "torch_gelu_mul"
# ///
"""C = GELU(A) B, element by element, computed in float32.

    kernel = gelu_mul(1000, 1000)
    C = kernel(A, B)  # (M, N) bfloat16

Hardware assumptions: none. Bound by memory: 6 bytes move for each element, and each byte once.
Block sizes: 8 × 1024 elements a block make 125 blocks at 1000 × 1000; each of 256 threads has 32
elements of each tensor, 8 to an access of 16 bytes.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(out_idx=[-1])
def gelu_mul(M, N, block_M=8, block_N=1024, threads=256, dtype="bfloat16"):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), dtype),
        B: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # Rounding up gives the last row and column of blocks a partial tile.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # Nothing is used twice: tiles go through registers, and T.copy guards what lies
            # beyond M and N.
            A_local = T.alloc_fragment((block_M, block_N), "float32")
            B_local = T.alloc_fragment((block_M, block_N), "float32")

            T.copy(A[by * block_M, bx * block_N], A_local)
            T.copy(B[by * block_M, bx * block_N], B_local)
            for i, j in T.Parallel(block_M, block_N):
                # The result takes the place of A.
                A_local[i, j] = (
                    A_local[i, j] * 0.5 * (1 + T.erf(A_local[i, j] * 0.70710678)) * B_local[i, j]
                )
            T.copy(A_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    a = A.float()
    b = B.float()
    return (F.gelu(a) * b).to(torch.bfloat16)


def torch_gelu_mul(A, B):
    return F.gelu(A) * B
