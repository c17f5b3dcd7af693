# /// workbench
# kernel = "kernel"
#
# [pattern]
# id = "scaffold"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { grid = "M, N", block = 64, memory = "shared", threads = 128 }
# pipeline = { loop = "", block_loop = 32, num_stages = 2 }
# text = "184dec25b459ff2b"
#
# [pattern.requirements]
# name = "kernel"
# sizes = "M=1000, N=1024"
# inputs = "A: (M, N) float16"
# outputs = "C: (M, N) float16"
# out_idx = "returned"
#
# [[case]]
# name = "tails"
# args = { M = 96, N = 96 }
# targets = ["h200"]
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 192 }
# targets = ["h200"]
#
# [[case]]
# name = "given"
# args = { M = 1000, N = 1024 }
# targets = ["h200"]
# ///
"""A kernel to fill in: it copies or clears its outputs until then.

    kernel = kernel(1000, 1024)
    C = kernel(A)  # A: (M, N) float16, C: (M, N) float16

Hardware assumptions: 128 threads a block.
Block sizes: 64 along each of M, N, to begin with.
Performance: not measured.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def kernel(
    M,
    N,
    block=64,
    threads=128,
):
    # Sizes are rounded up to whole blocks: T.copy guards what lies beyond the edges.
    tiles_M = T.ceildiv(M, block)
    tiles_N = T.ceildiv(N, block)

    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(tiles_N, tiles_M, threads=threads) as (bx, by):
            A_tile = T.alloc_shared((block, block), "float16")
            C_local = T.alloc_fragment((block, block), "float16")

            T.copy(A[by * block, bx * block], A_tile)
            # To be filled in: until then C is a copy of A.
            for i, j in T.Parallel(block, block):
                C_local[i, j] = A_tile[i, j]
            T.copy(C_local, C[by * block, bx * block])

    return main


def ref_program(A):
    # To be filled in: what the kernel is to compute, in PyTorch.
    return A.clone()
