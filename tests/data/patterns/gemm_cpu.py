# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["cpu"]
# goal = "throughput"
# tiles = { block_M = 64, block_N = 64, block_K = 64, threads = 128, policy = "Square" }
# pipeline = { num_stages = 3, panel = 0, stays = false }
# epilogue = { bias = true, activation = "silu", staged = false }
# text = "f42cabff062c0b21"
#
# [pattern.requirements]
# M = 500
# N = 300
# K = 200
# dynamic_M = false
# dtype = "float32"
# out_dtype = "float32"
# layout_A = "row"
# layout_B = "row"
#
# [[case]]
# name = "tails"
# args = { M = 80, N = 112, K = 144 }
# targets = ["cpu"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 64, N = 128, K = 128 }
# targets = ["cpu"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "500x300x200"
# args = { M = 500, N = 300, K = 200 }
# targets = ["cpu"]
# flops = "2 * M * N * K"
# ///
"""C = SiLU(A B + bias) with fp32 operands, float32 sums.

    kernel = matmul(500, 300, 200)
    C = kernel(A, B, Bias)  # A: (M, K), B: (K, N), Bias: (N,); operands float32, in main memory

Hardware assumptions: three tiles of 16 KiB fit the L1 data cache; the compiler vectorises.
Block sizes: 64 × 64 of C a block makes 40 blocks at 500 × 300; a step of 64 keeps its operands
close to where they are multiplied.
Results: tensor cores round fp32 operands to TF32 (10 bits of mantissa), so single results differ
from fp32 arithmetic by about 0.1 %.
Performance: not measured.
"""

import tilelang
import tilelang.cpu.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def matmul(
    M,
    N,
    K,
    block_M=64,
    block_N=64,
    block_K=64,
    dtype="float32",
    accum_dtype="float32",
    out_dtype="float32",
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        Bias: T.Tensor((N,), out_dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        # The grid becomes the outer loops; this dialect has neither threads nor shared memory.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M)) as (bx, by):
            A_local = T.alloc_local((block_M, block_K), dtype)
            B_local = T.alloc_local((block_K, block_N), dtype)
            C_local = T.alloc_local((block_M, block_N), accum_dtype)

            T.clear(C_local)
            for ko in T.serial(T.ceildiv(K, block_K)):
                # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                T.copy(A[by * block_M, ko * block_K], A_local)
                T.copy(B[ko * block_K, bx * block_N], B_local)
                # j innermost: B and C are walked along their rows, which the compiler vectorises.
                for i, k, j in T.grid(block_M, block_K, block_N):
                    C_local[i, j] += A_local[i, k] * B_local[k, j]
            for i, j in T.grid(block_M, block_N):
                C_local[i, j] += T.if_then_else(bx * block_N + j < N, Bias[bx * block_N + j], 0)
                C_local[i, j] = C_local[i, j] * T.sigmoid(C_local[i, j])
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B, Bias):
    C = A @ B
    C = C + Bias
    return F.silu(C)
