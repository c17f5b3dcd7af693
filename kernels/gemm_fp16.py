# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 256, block_K = 64, threads = 256, policy = "FullRow" }
# pipeline = { num_stages = 3, panel = 16, stays = true }
# epilogue = { bias = false, activation = "none", staged = true }
# text = "72d25feda8b49755"
#
# [pattern.requirements]
# M = 4096
# N = 4096
# K = 4096
# dynamic_M = false
# dtype = "float16"
# out_dtype = "float16"
# layout_A = "row"
# layout_B = "row"
#
# [[case]]
# name = "tails"
# args = { M = 144, N = 304, K = 144, programs = 3 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 512, K = 128, programs = 2 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "4096x4096x4096"
# args = { M = 4096, N = 4096, K = 4096 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
# ///
"""C = A B with fp16 operands, float32 sums.

    kernel = matmul(4096, 4096, 4096)
    C = kernel(A, B)  # A: (M, K), B: (K, N); operands float16, on the device

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 176 KiB of shared memory and 384
threads a block.
Block sizes: 128 × 256 of C a block makes 512 blocks at 4096 × 4096, 3.88 waves of H200, and 85 FLOP
for each byte from L2. Its sums take 128 registers a thread. A step of 64 is 128 B of a row. Copies
never stop between tiles: three in flight cover the memory's latency; a fourth was slower on an
H200.
Performance: 200 µs on an NVIDIA H200, 686 TFLOP/s, 1.00 times as fast as cuBLAS; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def matmul(
    M,
    N,
    K,
    block_M=128,
    block_N=256,
    block_K=64,
    threads=256,
    num_stages=3,
    programs=132,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    tiles_M, tiles_N = T.ceildiv(M, block_M), T.ceildiv(N, block_N)
    tiles = tiles_M * tiles_N
    steps = T.ceildiv(K, block_K)
    # Rows of tiles in a panel: blocks that run together share operands in L2.
    panel = 16
    half = block_N // 2

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # A block a multiprocessor stays for all its tiles. A warpgroup beside those that multiply
        # copies, and is at the next tile while this one is written.
        with T.Kernel(programs, threads=threads + 128) as pid:
            # TileLang swizzles shared operands of T.gemm itself: no padding is needed.
            A_shared = T.alloc_shared((num_stages, block_M, block_K), dtype)
            B_shared = T.alloc_shared((num_stages, block_K, block_N), dtype)
            # A sum of K products loses bits in a short format: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            # The tile of C leaves through shared memory, whole rows at a time, half by half.
            C_shared = T.alloc_shared((block_M, half), out_dtype)
            # For each stage: its tiles have come, and they may be overwritten.
            here = T.alloc_barrier([128] * num_stages)
            free = T.alloc_barrier([threads] * num_stages)
            thread = T.get_thread_binding()

            if thread >= threads:
                # Copying takes few registers; those that multiply get the rest.
                T.set_max_nreg(24, 0)
                for turn in T.serial(T.ceildiv(tiles - pid, programs)):
                    tile = turn * programs + pid
                    top = tile // (panel * tiles_N) * panel
                    row = (top + tile % (panel * tiles_N) % T.min(panel, tiles_M - top)) * block_M
                    column = tile % (panel * tiles_N) // T.min(panel, tiles_M - top) * block_N
                    for k in T.serial(steps):
                        stage = (turn * steps + k) % num_stages
                        T.barrier_wait(free[stage], 1 - (turn * steps + k) // num_stages % 2)
                        # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                        T.tma_copy(
                            A[row : row + block_M, k * block_K : (k + 1) * block_K],
                            A_shared[stage, :, :],
                            barrier=here[stage],
                        )
                        T.tma_copy(
                            B[k * block_K : (k + 1) * block_K, column : column + block_N],
                            B_shared[stage, :, :],
                            barrier=here[stage],
                        )
                        T.barrier_arrive(here[stage])
            else:
                T.set_max_nreg(240, 1)
                for turn in T.serial(T.ceildiv(tiles - pid, programs)):
                    tile = turn * programs + pid
                    top = tile // (panel * tiles_N) * panel
                    row = (top + tile % (panel * tiles_N) % T.min(panel, tiles_M - top)) * block_M
                    column = tile % (panel * tiles_N) // T.min(panel, tiles_M - top) * block_N
                    T.clear(C_local)
                    for k in T.serial(steps):
                        stage = (turn * steps + k) % num_stages
                        T.barrier_wait(here[stage], (turn * steps + k) // num_stages % 2)
                        T.gemm(
                            A_shared[stage, :, :],
                            B_shared[stage, :, :],
                            C_local,
                            policy=T.GemmWarpPolicy.FullRow,
                        )
                        T.barrier_arrive(free[stage])
                    # Rounds to the format of C once; elements beyond its edge are not written.
                    for part in T.unroll(2):
                        if column + part * half < N:
                            T.copy(C_local[:, part * half : (part + 1) * half], C_shared)
                            T.copy(C_shared, C[row, column + part * half])

    return main


def ref_program(A, B):
    return (A.float() @ B.float()).to(torch.float16)


def torch_matmul(A, B):
    return torch.matmul(A, B)
