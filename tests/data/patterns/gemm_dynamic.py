# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["h100"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 256, block_K = 64, threads = 256, policy = "FullRow" }
# pipeline = { num_stages = 4, panel = 0, stays = false }
# epilogue = { bias = false, activation = "none", staged = true }
# text = "a83df53e978f91df"
#
# [pattern.requirements]
# M = 1000
# N = 4096
# K = 4096
# dynamic_M = true
# dtype = "float16"
# out_dtype = "float16"
# layout_A = "row"
# layout_B = "row"
#
# [[case]]
# name = "tails"
# args = { N = 304, K = 144 }
# targets = ["h100"]
# dims = { m = 144 }
# flops = "2 * 144 * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { N = 512, K = 128 }
# targets = ["h100"]
# dims = { m = 128 }
# flops = "2 * 128 * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "1000x4096x4096"
# args = { N = 4096, K = 4096 }
# targets = ["h100"]
# dims = { m = 1000 }
# flops = "2 * 1000 * N * K"
# baseline = "torch_matmul"
# ///
"""C = A B with fp16 operands, float32 sums and a number of rows that is known at the launch.

    kernel = matmul(4096, 4096)
    C = kernel(A, B)  # A: (M, K), B: (K, N); operands float16, on the device

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 192 KiB of shared memory and 256
threads a block.
Block sizes: 128 × 256 of C a block makes 128 blocks at 1000 × 4096, 0.97 waves of H100, and 85 FLOP
for each byte from L2. Its sums take 128 registers a thread. A step of 64 is 128 B of a row.
Hopper's copies run ahead of wgmma in a warp of their own: each further tile in flight covers more
of the memory's latency, and shared memory has room for them.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def matmul(
    N,
    K,
    block_M=128,
    block_N=256,
    block_K=64,
    threads=256,
    num_stages=4,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    # The number of rows is known at the launch: one compiled kernel serves every batch.
    M = T.dynamic("m")

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # bx runs fastest, so neighbouring blocks share a row of tiles of A in L2.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # TileLang swizzles shared operands of T.gemm itself: no padding is needed.
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            # A sum of K products loses bits in a short format: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            # The tile of C leaves through shared memory, whole rows at a time. It takes the place
            # of A_shared and B_shared, which are done by then.
            C_shared = T.alloc_shared((block_M, block_N), out_dtype)

            T.clear(C_local)
            # Four stages: one tile is multiplied while three are on their way from global memory.
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, policy=T.GemmWarpPolicy.FullRow)

            # Rounds to the format of C once; elements beyond the edge of C are not written.
            T.copy(C_local, C_shared)
            T.copy(C_shared, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return (A.float() @ B.float()).to(torch.float16)


def torch_matmul(A, B):
    return torch.matmul(A, B)
