# /// workbench
# kernel = "cumsum"
#
# [pattern]
# id = "reduction"
# version = 1
# targets = ["h100"]
# goal = "throughput"
# tiles = { block_M = 1, block_N = 2048, threads = 64 }
# text = "8280557778436192"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# op = "cumsum"
# axis = "rows"
# out_dtype = "float32"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 2072 }
# targets = ["h100"]
# baseline = "torch_cumsum"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 2, N = 6144 }
# targets = ["h100"]
# baseline = "torch_cumsum"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h100"]
# baseline = "torch_cumsum"
# ///
"""Cumulative sum along the rows of a matrix, in fp32.

    kernel = cumsum(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16, Y: (M, N) float16

Hardware assumptions: none. Bound by memory: each element is read once.
Block sizes: 1 × 2048 fp16 values at once, 32 for each of 64 threads; 16384 blocks at 16384 × 8192.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def cumsum(M, N, block_M=1, block_N=2048, threads=64, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            # Threads need each other's values along a row: the tile lies in shared memory.
            x = T.alloc_shared((block_M, block_N), "float32")
            before = T.alloc_shared((block_M,), "float32")

            T.clear(before)
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[bx * block_M, k * block_N], x)
                T.cumsum(x, dim=1)
                # What the tiles before came to is added to each element of this one.
                for i, j in T.Parallel(block_M, block_N):
                    x[i, j] = x[i, j] + before[i]
                T.copy(x, Y[bx * block_M, k * block_N])
                for i in T.Parallel(block_M):
                    before[i] = x[i, block_N - 1]

    return main


def ref_program(X):
    return X.float().cumsum(dim=-1).to(torch.float16)


def torch_cumsum(X):
    return X.cumsum(dim=-1)
