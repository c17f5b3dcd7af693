# /// workbench
# kernel = "reduce_sum"
#
# [pattern]
# id = "reduction"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 64, threads = 256 }
# pipeline = { num_stages = 4 }
# text = "f67bdd7190c6d148"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# op = "sum"
# axis = "columns"
# out_dtype = "float32"
#
# [[case]]
# name = "tails"
# args = { M = 257, N = 88 }
# targets = ["h200"]
# baseline = "torch_sum"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 256, N = 192 }
# targets = ["h200"]
# baseline = "torch_sum"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_sum"
# ///
"""Sum along the columns of a matrix, in fp32.

    kernel = reduce_sum(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16, Y: (N,) float32

Hardware assumptions: none. Bound by memory: each element is read once.
Block sizes: 128 × 64 fp16 values at once, 32 for each of 256 threads; 128 blocks at 16384 × 8192.
Performance: 69.6 µs on an NVIDIA H200, 3,859 GB/s, 91 % of a copy at 4,219 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def reduce_sum(
    M,
    N,
    block_M=128,
    block_N=64,
    threads=256,
    num_stages=4,
    dtype="float16",
    out_dtype="float32",
):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((N,), out_dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            tile = T.alloc_shared((block_M, block_N), dtype)
            x = T.alloc_fragment((block_M, block_N), "float32")
            parts = T.alloc_fragment((block_M, block_N), "float32")
            result = T.alloc_fragment((block_N,), "float32")

            # Tiles are added place by place: threads meet once, after the loop.
            T.fill(parts, 0)
            # A block has its columns to itself, and few blocks have much to read each: the next
            # tiles are on their way to shared memory meanwhile.
            for k in T.Pipelined(T.ceildiv(M, block_M), num_stages=num_stages):
                T.copy(X[k * block_M, bx * block_N], tile)
                T.copy(tile, x)
                for i, j in T.Parallel(block_M, block_N):
                    parts[i, j] = parts[i, j] + x[i, j]
            T.reduce_sum(parts, result, dim=0)
            T.copy(result, Y[bx * block_N])

    return main


def ref_program(X):
    return X.float().sum(dim=0).to(torch.float32)


def torch_sum(X):
    return X.sum(dim=0)
