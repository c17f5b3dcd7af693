# /// workbench
# kernel = "layer_norm"
#
# [pattern]
# id = "norm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 1, block_N = 8192, threads = 256, min_blocks = 4 }
# text = "f329d8f2ddbfc608"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# kind = "layer"
# residual = false
# eps = 1e-06
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 8168 }
# targets = ["h200"]
# baseline = "torch_layer_norm"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 4, N = 8192 }
# targets = ["h200"]
# baseline = "torch_layer_norm"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_layer_norm"
# ///
"""Y = LayerNorm(X) over rows, with weight and bias.

    kernel = layer_norm(16384, 8192)
    Y = kernel(X, Weight, Bias)  # (M, N) and (N,), float16

Hardware assumptions: a row fits the registers of one block. Bound by memory: 4 bytes move for each
element, each of them once.
Block sizes: 1 × 8192 a block are 32 values in fp32 for each of 256 threads.
Performance: 132 µs on an NVIDIA H200, 4,075 GB/s, 96% of a copy at 4,247 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F

EPS = 1e-06


@tilelang.jit(out_idx=[-1])
def layer_norm(
    M,
    N,
    block_M=1,
    block_N=8192,
    threads=256,
    min_blocks=4,
    eps=EPS,
    dtype="float16",
):
    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        Weight: T.Tensor((N,), dtype),
        Bias: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            T.annotate_min_blocks_per_sm(min_blocks)
            # Whole rows stay in registers: X is read once. Beyond the edge they hold zeros.
            x = T.alloc_fragment((block_M, block_N), "float32")
            squared = T.alloc_fragment((block_M, block_N), "float32")
            scale = T.alloc_fragment((block_M,), "float32")
            mean = T.alloc_fragment((block_M,), "float32")

            T.copy(X[bx * block_M, 0], x)
            T.reduce_sum(x, mean, dim=1)
            for i in T.Parallel(block_M):
                mean[i] = mean[i] / N
            # The differences are squared, not the values: their mean square would lose its bits
            # where the mean is large.
            for i, j in T.Parallel(block_M, block_N):
                x[i, j] = T.if_then_else(j < N, x[i, j] - mean[i], 0)
            for i, j in T.Parallel(block_M, block_N):
                squared[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squared, scale, dim=1)
            # eps keeps a row of equal values from dividing by zero.
            for i in T.Parallel(block_M):
                scale[i] = T.rsqrt(scale[i] / N + eps)
            for i, j in T.Parallel(block_M, block_N):
                x[i, j] = x[i, j] * scale[i] * Weight[j] + Bias[j]
            T.copy(x, Y[bx * block_M, 0])

    return main


def ref_program(X, Weight, Bias):
    Y = F.layer_norm(X.float(), Weight.shape, Weight.float(), Bias.float(), EPS)
    return Y.to(torch.float16)


def torch_layer_norm(X, Weight, Bias):
    return F.layer_norm(X, Weight.shape, Weight, Bias, EPS)
