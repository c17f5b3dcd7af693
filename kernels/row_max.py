# /// workbench
# kernel = "reduce_max"
#
# [pattern]
# id = "reduction"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 1, block_N = 8192, threads = 256 }
# pipeline = { num_stages = 4 }
# text = "fe45673bae0022e7"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# op = "max"
# axis = "rows"
# out_dtype = "float32"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 8216 }
# targets = ["h200"]
# baseline = "torch_max"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 2, N = 24576 }
# targets = ["h200"]
# baseline = "torch_max"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_max"
# ///
"""Maximum along the rows of a matrix, in fp32.

    kernel = reduce_max(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16, Y: (M,) float32

Hardware assumptions: none. Bound by memory: each element is read once.
Block sizes: 1 × 8192 fp16 values at once, 32 for each of 256 threads; 16384 blocks at 16384 × 8192.
Performance: 67.6 µs on an NVIDIA H200, 3,972 GB/s, 94 % of a copy at 4,219 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def reduce_max(
    M,
    N,
    block_M=1,
    block_N=8192,
    threads=256,
    dtype="float16",
    out_dtype="float32",
):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M,), out_dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, block_N), "float32")
            parts = T.alloc_fragment((block_M, block_N), "float32")
            result = T.alloc_fragment((block_M,), "float32")

            # Tiles are compared place by place: threads meet once, after the loop.
            T.fill(parts, -T.infinity("float32"))
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[bx * block_M, k * block_N], x)
                if N % block_N:
                    for i, j in T.Parallel(block_M, block_N):
                        # Beyond the edge T.copy gives 0, which may be the largest.
                        x[i, j] = T.if_then_else(
                            k * block_N + j < N, x[i, j], -T.infinity("float32")
                        )
                for i, j in T.Parallel(block_M, block_N):
                    parts[i, j] = T.max(parts[i, j], x[i, j])
            T.reduce_max(parts, result, dim=1)
            T.copy(result, Y[bx * block_M])

    return main


def ref_program(X):
    return X.float().amax(dim=-1).to(torch.float32)


def torch_max(X):
    return X.amax(dim=-1)
