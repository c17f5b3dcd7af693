# /// workbench
# kernel = "streamk_matmul"
#
# [pattern]
# id = "streamk_gemm"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# pipeline = { num_stages = 4 }
# text = "d2cb6ac8d5731abc"
#
# [pattern.requirements]
# M = 1536
# N = 3072
# K = 8192
# dtype = "float16"
# out_dtype = "float16"
# layout_B = "row"
#
# [pattern.tiles]
# block_M = 128
# block_N = 256
# block_K = 64
# threads = 256
# policy = "FullRow"
# programs = 132
#
# [[case]]
# name = "tails"
# args = { M = 144, N = 304, K = 272, programs = 3 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 768, K = 256, programs = 5 }
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

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 192 KiB of shared memory and 256
threads a block.
Block sizes: 144 tiles of 128 × 256 have 18432 steps, 140 for each of 132 programs; one tile a block
would be 1.09 waves.
Performance: 127 µs on an NVIDIA H200, 609 TFLOP/s, 0.84 times as fast as cuBLAS; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
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
    block_N=256,
    block_K=64,
    threads=256,
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
    # Rows of a tile that a block of the second launch adds up.
    rows = 8

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # What a program has of a tile that others work on too: first of one that another began,
        # then of one that it began itself.
        parts = T.alloc_global((2 * programs, block_M, block_N), accum_dtype)
        with T.Kernel(programs, threads=threads) as pid:
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            # The blocks of the second launch may come as soon as there is room, and wait there.
            T.pdl_trigger()
            first = pid * all_steps // programs
            last = (pid + 1) * all_steps // programs
            for turn in T.serial(touched):
                tile = first // steps + turn
                begin = T.max(first - tile * steps, 0)
                end = T.min(last - tile * steps, steps)
                row = tile // tiles_N * block_M
                column = tile % tiles_N * block_N
                slot = 2 * pid + T.if_then_else(begin > 0, 0, 1)
                if begin < end:
                    T.clear(C_local)
                    # Four stages: one tile is multiplied while three are on their way from global
                    # memory.
                    for k in T.Pipelined(end - begin, num_stages=num_stages):
                        T.copy(A[row, (begin + k) * block_K], A_shared)
                        T.copy(B[(begin + k) * block_K, column], B_shared)
                        T.gemm(A_shared, B_shared, C_local, policy=T.GemmWarpPolicy.FullRow)
                    if end - begin == steps:
                        T.copy(C_local, C[row, column])
                    else:
                        T.copy(C_local, parts[slot, 0, 0])

        with T.Kernel(tiles_M * tiles_N, block_M // rows, threads=128) as (bx, by):
            part = T.alloc_fragment((rows, block_N), accum_dtype)
            total = T.alloc_fragment((rows, block_N), accum_dtype)

            # The programs that have the first and the last step of this tile.
            begins = ((bx * steps + 1) * programs - 1) // all_steps
            ends = ((bx + 1) * steps * programs - 1) // all_steps
            T.pdl_sync()
            # A tile of one program is in C already. Parts are added in a fixed order: results do
            # not change from run to run.
            top = bx // tiles_N * block_M + by * rows
            if begins < ends and top < M:
                T.copy(parts[2 * begins + 1, by * rows, 0], total)
                for later in T.serial(ends - begins):
                    T.copy(parts[2 * (begins + 1 + later), by * rows, 0], part)
                    for i, j in T.Parallel(rows, block_N):
                        total[i, j] += part[i, j]
                T.copy(total, C[top, bx % tiles_N * block_N])

    return main


def ref_program(A, B):
    return (A.float() @ B.float()).to(torch.float16)


def torch_matmul(A, B):
    return torch.matmul(A, B)
