# /// workbench
# kernel = "softmax"
#
# [pattern]
# id = "softmax"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# requirements = { M = 16384, N = 8192, dtype = "float16" }
# tiles = { block_M = 1, block_N = 8192, threads = 512, form = "whole" }
# text = "29be6c5c7ff8b42f"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 8168 }
# targets = ["h200"]
# baseline = "torch_softmax"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 4, N = 8192 }
# targets = ["h200"]
# baseline = "torch_softmax"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_softmax"
# ///
"""Softmax over the rows of a matrix, each row read once.

    kernel = softmax(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16

Hardware assumptions: a row fits the registers of one block. Bound by memory: 4 bytes move for each
element.
Block sizes: 1 × 8192 a block are 16 values in fp32 for each of 512 threads, which leaves registers
for several blocks.
Performance: 130 µs on an NVIDIA H200, 4,128 GB/s, 98 % of a copy at 4,219 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def softmax(M, N, block_M=1, block_N=8192, threads=512, dtype="float16"):
    # exp(x) = exp2(x * log2(e)): GPUs have an instruction for exp2.
    log2_e = 1.4426950408889634

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            # The whole row stays in registers: X is read once.
            x = T.alloc_fragment((block_M, block_N), "float32")
            maximum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")

            T.copy(X[bx * block_M, 0], x)
            if N % block_N:
                for i, j in T.Parallel(block_M, block_N):
                    # Beyond the edge T.copy gives 0, which would count as exp(0).
                    x[i, j] = T.if_then_else(j < N, x[i, j], -T.infinity("float32"))
            # Relative to its maximum no value of a row overflows.
            T.reduce_max(x, maximum, dim=1)
            for i, j in T.Parallel(block_M, block_N):
                x[i, j] = T.exp2((x[i, j] - maximum[i]) * log2_e)
            T.reduce_sum(x, total, dim=1)
            # One division a row: a division takes as long as several products.
            for i in T.Parallel(block_M):
                total[i] = 1 / total[i]
            for i, j in T.Parallel(block_M, block_N):
                x[i, j] = x[i, j] * total[i]
            T.copy(x, Y[bx * block_M, 0])

    return main


def ref_program(X):
    return X.float().softmax(dim=-1).to(torch.float16)


def torch_softmax(X):
    return X.softmax(dim=-1)
