# /// workbench
# kernel = "reduce_min"
#
# [pattern]
# id = "reduction"
# version = 2
# targets = ["h100"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 64, threads = 256 }
# pipeline = { num_stages = 4 }
# text = "eec26af1bea8d5bc"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# op = "min"
# axis = "columns"
# out_dtype = "float32"
#
# [[case]]
# name = "tails"
# args = { M = 257, N = 88 }
# targets = ["h100"]
# baseline = "torch_min"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 256, N = 192 }
# targets = ["h100"]
# baseline = "torch_min"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h100"]
# baseline = "torch_min"
# ///
"""Minimum along the columns of a matrix, in fp32.

    kernel = reduce_min(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16, Y: (N,) float32

Hardware assumptions: none. Bound by memory: each element is read once.
Block sizes: 128 × 64 fp16 values at once, 32 for each of 256 threads; 128 blocks at 16384 × 8192.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def reduce_min(
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

            # Tiles are compared place by place: threads meet once, after the loop.
            T.fill(parts, T.infinity("float32"))
            # A block has its columns to itself, and few blocks have much to read each: the next
            # tiles are on their way to shared memory meanwhile.
            for k in T.Pipelined(T.ceildiv(M, block_M), num_stages=num_stages):
                T.copy(X[k * block_M, bx * block_N], tile)
                T.copy(tile, x)
                if M % block_M:
                    for i, j in T.Parallel(block_M, block_N):
                        # Beyond the edge T.copy gives 0, which may be the smallest.
                        x[i, j] = T.if_then_else(
                            k * block_M + i < M, x[i, j], T.infinity("float32")
                        )
                for i, j in T.Parallel(block_M, block_N):
                    parts[i, j] = T.min(parts[i, j], x[i, j])
            T.reduce_min(parts, result, dim=0)
            T.copy(result, Y[bx * block_N])

    return main


def ref_program(X):
    return X.float().amin(dim=0).to(torch.float32)


def torch_min(X):
    return X.amin(dim=0)
