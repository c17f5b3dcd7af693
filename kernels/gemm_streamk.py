# /// workbench
# kernel = "streamk_matmul"
#
# [pattern]
# id = "streamk_gemm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 128, block_K = 64, threads = 128, programs = 132 }
# pipeline = { num_stages = 4 }
# text = "5724cc1d17b95f28"
#
# [pattern.requirements]
# M = 1536
# N = 3072
# K = 8192
# dtype = "float16"
# out_dtype = "float16"
# layout_B = "row"
#
# [[case]]
# name = "tails"
# args = { M = 144, N = 176, K = 272, programs = 3 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 384, K = 256, programs = 5 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "1536x3072x8192"
# args = { M = 1536, N = 3072, K = 8192 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
# ///
"""C = A B with the steps of all tiles divided evenly among a fixed number of programs.

    kernel = streamk_matmul(1536, 3072, 8192)
    C = kernel(A, B)  # A: (M, K), B: (K, N), float16

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 128 KiB of shared memory and 128
threads a block.
Block sizes: 288 tiles of 128 × 128 have 36864 steps, 280 for each of 132 programs; one tile a block
would be 2.18 waves.
Results: parts of a tile are added in any order, so that the last bits differ from run to run.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def streamk_matmul(
    M,
    N,
    K,
    programs=132,
    block_M=128,
    block_N=128,
    block_K=64,
    threads=128,
    num_stages=4,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    tiles_M, tiles_N = T.ceildiv(M, block_M), T.ceildiv(N, block_N)
    steps = T.ceildiv(K, block_K)
    # The steps of all tiles in one row, of which each program takes an equal share.
    all_steps = tiles_M * tiles_N * steps
    # A share begins and ends within a tile: it touches at most so many.
    touched = T.ceildiv(T.ceildiv(all_steps, programs), steps) + 1
    # Rows of a tile that a block of the first and the last launch works on.
    rows = 8

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # The workspace has whole tiles, since nothing guards what TileLang allocates itself.
        sums = T.alloc_global((tiles_M * block_M, tiles_N * block_N), accum_dtype)
        with T.Kernel(tiles_N, tiles_M * block_M // rows, threads=128) as (bx, by):
            zeros = T.alloc_fragment((rows, block_N), accum_dtype)
            T.clear(zeros)
            T.copy(zeros, sums[by * rows, bx * block_N])

        with T.Kernel(programs, threads=threads) as pid:
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            first = pid * all_steps // programs
            last = (pid + 1) * all_steps // programs
            for turn in T.serial(touched):
                tile = first // steps + turn
                begin = T.max(first - tile * steps, 0)
                end = T.min(last - tile * steps, steps)
                row = tile // tiles_N * block_M
                column = tile % tiles_N * block_N
                if begin < end:
                    T.clear(C_local)
                    # Four stages: one tile is multiplied while three are on their way from global
                    # memory.
                    for k in T.Pipelined(end - begin, num_stages=num_stages):
                        T.copy(A[row, (begin + k) * block_K], A_shared)
                        T.copy(B[(begin + k) * block_K, column], B_shared)
                        T.gemm(A_shared, B_shared, C_local)
                    # Programs that share a tile add their parts in any order.
                    for i, j in T.Parallel(block_M, block_N):
                        T.atomic_add(sums[row + i, column + j], C_local[i, j])

        with T.Kernel(tiles_N, T.ceildiv(M, rows), threads=128) as (bx, by):
            total = T.alloc_fragment((rows, block_N), accum_dtype)
            T.copy(sums[by * rows, bx * block_N], total)
            T.copy(total, C[by * rows, bx * block_N])

    return main


def ref_program(A, B):
    return (A.float() @ B.float()).to(torch.float16)


def torch_matmul(A, B):
    return torch.matmul(A, B)
