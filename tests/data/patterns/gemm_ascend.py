# /// workbench
# kernel = "matmul"
#
# [pattern]
# id = "gemm"
# version = 1
# targets = ["ascend950pr"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 128, block_K = 64, threads = 128, policy = "Square" }
# pipeline = { num_stages = 2, panel = 0, stays = false }
# epilogue = { bias = true, activation = "relu", staged = false }
# text = "a6b69c3c48efee02"
#
# [pattern.requirements]
# M = 4096
# N = 4096
# K = 4096
# dynamic_M = false
# dtype = "bfloat16"
# out_dtype = "float32"
# layout_A = "row"
# layout_B = "column"
#
# [[case]]
# name = "flat"
# args = { M = 128, N = 256, K = 192 }
# targets = ["ascend950pr"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "tall"
# args = { M = 384, N = 128, K = 128 }
# targets = ["ascend950pr"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "4096x4096x4096"
# args = { M = 4096, N = 4096, K = 4096 }
# targets = ["ascend950pr"]
# flops = "2 * M * N * K"
# ///
"""C = ReLU(A B + bias) with bf16 operands, float32 sums.

    kernel = matmul(4096, 4096, 4096)
    kernel(A, B, Bias, C)  # A: (M, K), B: (N, K), bfloat16; C: (M, N) float32

Hardware assumptions: cube cores with two vector cores each; M, N and K are multiples of their
blocks.
Block sizes: 128 × 128 of C a block makes 1024 blocks at 4096 × 4096; a step of 64 keeps its
operands close to where they are multiplied.
Performance: not measured.
"""

import tilelang
import tilelang.ascend.language as T
import torch.nn.functional as F


@tilelang.jit(target="ascend")
def matmul(
    M,
    N,
    K,
    block_M=128,
    block_N=128,
    block_K=64,
    num_stages=2,
    dtype="bfloat16",
    accum_dtype="float32",
):
    columns = N // block_N

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        Bias: T.Tensor((N,), accum_dtype),
        C: T.Tensor((M, N), accum_dtype),
    ):
        # Ascend's grid has one dimension: a tile's number gives its row and column.
        with T.Kernel((M // block_M) * columns) as bx:
            A_l1 = T.alloc_l1((block_M, block_K), dtype)
            B_l1 = T.alloc_l1((block_N, block_K), dtype)
            C_l0 = T.alloc_l0c((block_M, block_N), accum_dtype)
            # One cube core feeds two vector cores: each writes half of the rows.
            C_half = T.alloc_shared((block_M // 2, block_N), accum_dtype)
            Bias_shared = T.alloc_shared((block_N,), accum_dtype)

            row = bx // columns * block_M
            column = bx % columns * block_N
            for k in T.Pipelined(K // block_K, num_stages=num_stages):
                T.copy(A[row, k * block_K], A_l1)
                T.copy(B[column, k * block_K], B_l1)
                # L0B is loaded along K, so B comes transposed; the first step overwrites L0C.
                T.gemm(A_l1, B_l1, C_l0, transpose_B=True, clear_accum=(k == 0))

            T.dual_copy(C_l0, C_half)
            T.copy(Bias[column : column + block_N], Bias_shared)
            with T.SimtVF(threads=128):
                for i, j in T.Parallel(block_M // 2, block_N):
                    C_half[i, j] += Bias_shared[j]
                    C_half[i, j] = T.max(C_half[i, j], 0)
            T.dual_copy(C_half, C[row : row + block_M, column : column + block_N])

    return main


def ref_program(A, B, Bias):
    C = A.float() @ B.T.float()
    C = C + Bias
    return F.relu(C)
