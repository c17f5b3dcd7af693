# /// workbench
# kernel = "product"
#
# [pattern]
# id = "scaffold"
# version = 1
# targets = ["a100"]
# goal = "throughput"
# tiles = { grid = "M, N", block = 64, memory = "shared", threads = 128 }
# pipeline = { loop = "K", block_loop = 32, num_stages = 2 }
# text = "ddc827ec4a077612"
#
# [pattern.requirements]
# name = "product"
# sizes = "M=500, N=320, K=200"
# inputs = "A: (M, K) float16; B: (K, N) float16"
# outputs = "C: (M, N) float32"
# out_idx = "returned"
#
# [[case]]
# name = "tails"
# args = { M = 96, N = 96, K = 48 }
# targets = ["a100"]
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 192, K = 128 }
# targets = ["a100"]
#
# [[case]]
# name = "given"
# args = { M = 500, N = 320, K = 200 }
# targets = ["a100"]
# ///
"""A kernel to fill in: it copies or clears its outputs until then.

    kernel = product(500, 320, 200)
    C = kernel(A, B)  # A: (M, K) float16, B: (K, N) float16, C: (M, N) float32

Hardware assumptions: 128 threads a block.
Block sizes: 64 along each of M, N, to begin with.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def product(
    M,
    N,
    K,
    block=64,
    block_loop=32,
    num_stages=2,
    threads=128,
):
    # Sizes are rounded up to whole blocks: T.copy guards what lies beyond the edges.
    tiles_M = T.ceildiv(M, block)
    tiles_N = T.ceildiv(N, block)

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(tiles_N, tiles_M, threads=threads) as (bx, by):
            A_tile = T.alloc_shared((block, block_loop), "float16")
            B_tile = T.alloc_shared((block_loop, block), "float16")
            C_local = T.alloc_fragment((block, block), "float32")

            T.clear(C_local)
            for step in T.Pipelined(T.ceildiv(K, block_loop), num_stages=num_stages):
                T.copy(A[by * block, step * block_loop], A_tile)
                T.copy(B[step * block_loop, bx * block], B_tile)
                # To be filled in: what one step adds to the tile of C.
            T.copy(C_local, C[by * block, bx * block])

    return main


def ref_program(A, B):
    # To be filled in: what the kernel is to compute, in PyTorch.
    return torch.zeros(A.shape[0], B.shape[1], dtype=torch.float32)
