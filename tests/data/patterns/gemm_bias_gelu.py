# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["a100"]
# goal = "throughput"
# tiles = { block_M = 32, block_N = 64, block_K = 64, threads = 128, policy = "Square" }
# pipeline = { num_stages = 3, panel = 0, stays = false }
# epilogue = { bias = true, activation = "gelu", staged = false }
# text = "1719c931904e37b5"
#
# [pattern.requirements]
# M = 300
# N = 520
# K = 200
# dynamic_M = false
# dtype = "float16"
# out_dtype = "float16"
# layout_A = "row"
# layout_B = "column"
#
# [[case]]
# name = "tails"
# args = { M = 48, N = 112, K = 144 }
# targets = ["a100"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 32, N = 128, K = 128 }
# targets = ["a100"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "300x520x200"
# args = { M = 300, N = 520, K = 200 }
# targets = ["a100"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
# ///
"""C = GELU(A B + bias) with fp16 operands, float32 sums.

    kernel = matmul(300, 520, 200)
    C = kernel(A, B, Bias)  # A: (M, K), B: (N, K), Bias: (N,); operands float16, on the device

Hardware assumptions: tensor cores with mma.sync (A100 or newer); 36.1 KiB of shared memory and 128
threads a block.
Block sizes: 32 × 64 of C a block makes 90 blocks at 300 × 520, 0.83 waves of A100, and 21 FLOP for
each byte from L2. Its sums take 16 registers a thread. A step of 64 is 128 B of a row. While one
tile is multiplied two are copied by cp.async, which needs no registers.
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
    block_M=32,
    block_N=64,
    block_K=64,
    threads=128,
    num_stages=3,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        Bias: T.Tensor((N,), out_dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # bx runs fastest, so neighbouring blocks share a row of tiles of A in L2.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # TileLang swizzles shared operands of T.gemm itself: no padding is needed.
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            # A sum of K products loses bits in a short format: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            Bias_shared = T.alloc_shared((block_N,), out_dtype)

            T.copy(Bias[bx * block_N], Bias_shared, coalesced_width=8)
            T.clear(C_local)
            # Three stages: one tile is multiplied while two are on their way from global memory.
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)

            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] += Bias_shared[j]
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = C_local[i, j] * 0.5 * (1 + T.erf(C_local[i, j] * 0.70710678))
            # Rounds to the format of C once; elements beyond the edge of C are not written.
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B, Bias):
    C = A.float() @ B.T.float()
    C = C + Bias.float()
    return F.gelu(C).to(torch.float16)


def torch_matmul(A, B, Bias):
    C = torch.addmm(Bias, A, B.T)
    return F.gelu(C)
