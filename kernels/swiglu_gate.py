# /// workbench
# kernel = "silu_mul"
#
# [pattern]
# id = "elementwise"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# requirements = { M = 16384, N = 8192, op = "silu_mul", dtype = "float16" }
# tiles = { block_M = 4, block_N = 2048, threads = 256, min_blocks = 3 }
# text = "37867e5b70eb989c"
#
# [[case]]
# name = "tails"
# args = { M = 9, N = 2072 }
# targets = ["h200"]
# baseline = "torch_silu_mul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 12, N = 4096 }
# targets = ["h200"]
# baseline = "torch_silu_mul"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_silu_mul"
# ///
"""C = SiLU(A) B, element by element, computed in float32.

    kernel = silu_mul(16384, 8192)
    C = kernel(A, B)  # (M, N) float16

Hardware assumptions: none. Bound by memory: 6 bytes move for each element, and each byte once.
Block sizes: 4 × 2048 elements a block make 16384 blocks at 16384 × 8192; each of 256 threads has 32
elements of each tensor, 8 to an access of 16 bytes.
Performance: 186 µs on an NVIDIA H200, 4,326 GB/s, 102 % of a copy at 4,247 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(
    out_idx=[-1],
    # In full, exponential and division would take longer than the memory that they wait for.
    pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True},
)
def silu_mul(M, N, block_M=4, block_N=2048, threads=256, min_blocks=3, dtype="float16"):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), dtype),
        B: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # Rounding up gives the last row and column of blocks a partial tile.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            T.annotate_min_blocks_per_sm(min_blocks)
            # Nothing is used twice: tiles go through registers, and T.copy guards what lies
            # beyond M and N.
            A_local = T.alloc_fragment((block_M, block_N), "float32")
            B_local = T.alloc_fragment((block_M, block_N), "float32")

            T.copy(A[by * block_M, bx * block_N], A_local)
            T.copy(B[by * block_M, bx * block_N], B_local)
            for i, j in T.Parallel(block_M, block_N):
                # The result takes the place of A.
                A_local[i, j] = A_local[i, j] * T.sigmoid(A_local[i, j]) * B_local[i, j]
            T.copy(A_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    a = A.float()
    b = B.float()
    return (F.silu(a) * b).to(torch.float16)


def torch_silu_mul(A, B):
    return F.silu(A) * B
