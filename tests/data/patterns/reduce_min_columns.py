# /// workbench
# kernel = "reduce_min"
#
# [pattern]
# id = "reduction"
# version = 1
# targets = ["h100"]
# goal = "throughput"
# tiles = { block_M = 64, block_N = 64, threads = 256 }
# text = "f2786ddeee219b50"
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
# args = { M = 129, N = 88 }
# targets = ["h100"]
# baseline = "torch_min"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 128, N = 192 }
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
Block sizes: 64 × 64 fp16 values at once, 16 for each of 256 threads; 128 blocks at 16384 × 8192.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def reduce_min(
    M,
    N,
    block_M=64,
    block_N=64,
    threads=256,
    dtype="float16",
    out_dtype="float32",
):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((N,), out_dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            x = T.alloc_fragment((block_M, block_N), "float32")
            result = T.alloc_fragment((block_N,), "float32")

            T.fill(result, T.infinity("float32"))
            for k in T.serial(T.ceildiv(M, block_M)):
                T.copy(X[k * block_M, bx * block_N], x)
                if M % block_M:
                    for i, j in T.Parallel(block_M, block_N):
                        # Beyond the edge T.copy gives 0, which may be the smallest.
                        x[i, j] = T.if_then_else(
                            k * block_M + i < M, x[i, j], T.infinity("float32")
                        )
                # clear=False goes on from the result of the tiles before.
                T.reduce_min(x, result, dim=0, clear=False)
            T.copy(result, Y[bx * block_N])

    return main


def ref_program(X):
    return X.float().amin(dim=0).to(torch.float32)


def torch_min(X):
    return X.amin(dim=0)
