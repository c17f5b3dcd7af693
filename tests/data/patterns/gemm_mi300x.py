# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["mi300x"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 128, block_K = 32, threads = 256, policy = "Square" }
# pipeline = { num_stages = 2, panel = 16, stays = false }
# epilogue = { bias = true, activation = "relu", staged = false }
# text = "306f52c856828150"
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
# args = { M = 144, N = 176, K = 80 }
# targets = ["mi300x"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 256, K = 64 }
# targets = ["mi300x"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "4096x4096x4096"
# args = { M = 4096, N = 4096, K = 4096 }
# targets = ["mi300x"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
# ///
"""C = ReLU(A B + bias) with fp16 operands, float32 sums.

    kernel = matmul(4096, 4096, 4096)
    C = kernel(A, B, Bias)  # A: (M, K), B: (K, N), Bias: (N,); operands float16, on the device

Hardware assumptions: matrix cores (MFMA) of MI300X; 32.2 KiB of shared memory and 256 threads a
block.
Block sizes: 128 × 128 of C a block makes 1024 blocks at 4096 × 4096, 3.37 waves of MI300X, and 64
FLOP for each byte from L2. Its sums take 64 registers a thread. A step of 32 is 64 B of a row. The
next tile is loaded while this one is multiplied; beside the largest tiles a third stage would cost
the second workgroup.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(out_idx=[-1])
def matmul(
    M,
    N,
    K,
    block_M=128,
    block_N=128,
    block_K=32,
    threads=256,
    num_stages=2,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        Bias: T.Tensor((N,), out_dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # bx runs fastest, so neighbouring blocks share a row of tiles of A in L2.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # TileLang swizzles shared operands of T.gemm itself: no padding is needed.
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            # A sum of K products loses bits in a short format: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            Bias_shared = T.alloc_shared((block_N,), out_dtype)

            # Blocks run in panels of 16 tiles, not row by row: those that run together share
            # operands in L2.
            T.use_swizzle(16)
            T.copy(Bias[bx * block_N], Bias_shared, coalesced_width=8)
            T.clear(C_local)
            # Two stages: one tile is multiplied while the next is on its way from global memory.
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)

            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] += Bias_shared[j]
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = T.max(C_local[i, j], 0)
            # Rounds to the format of C once; elements beyond the edge of C are not written.
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B, Bias):
    C = A.float() @ B.float()
    C = C + Bias.float()
    return F.relu(C).to(torch.float16)


def torch_matmul(A, B, Bias):
    C = torch.addmm(Bias, A, B)
    return F.relu(C)
