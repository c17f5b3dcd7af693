# /// workbench
# kernel = "softmax"
#
# [pattern]
# id = "softmax"
# version = 1
# targets = ["h100"]
# goal = "throughput"
# requirements = { M = 512, N = 100000, dtype = "float16" }
# tiles = { block_M = 1, block_N = 4096, threads = 256, form = "online" }
# text = "5b4e1fca8f43f7c8"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 8168 }
# targets = ["h100"]
# baseline = "torch_softmax"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 4, N = 8192 }
# targets = ["h100"]
# baseline = "torch_softmax"
#
# [[case]]
# name = "512x100000"
# args = { M = 512, N = 100000 }
# targets = ["h100"]
# baseline = "torch_softmax"
# ///
"""Softmax over the rows of a matrix, maximum and sum in one pass.

    kernel = softmax(512, 100000)
    Y = kernel(X)  # X: (M, N) float16

Hardware assumptions: none. Bound by memory: X is read twice, the second time from L2 where it has
stayed.
Block sizes: 1 × 4096 a block are 16 values in fp32 for each of 256 threads, which leaves registers
for several blocks.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def softmax(M, N, block_M=1, block_N=4096, threads=256, dtype="float16"):
    # exp(x) = exp2(x * log2(e)): GPUs have an instruction for exp2.
    log2_e = 1.4426950408889634

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, block_N), "float32")
            maximum = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            tile_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")

            T.fill(maximum, -T.infinity("float32"))
            T.clear(total)
            # Maximum and sum in one pass: a row too long for registers is read twice, not thrice.
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[bx * block_M, k * block_N], x)
                if N % block_N:
                    for i, j in T.Parallel(block_M, block_N):
                        # Beyond the edge T.copy gives 0, which would count as exp(0).
                        x[i, j] = T.if_then_else(
                            k * block_N + j < N, x[i, j], -T.infinity("float32")
                        )
                T.copy(maximum, previous)
                # clear=False goes on from the maximum of the tiles before.
                T.reduce_max(x, maximum, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    x[i, j] = T.exp2((x[i, j] - maximum[i]) * log2_e)
                T.reduce_sum(x, tile_sum, dim=1)
                # The sum so far was relative to the smaller maximum: scale it before adding.
                for i in T.Parallel(block_M):
                    total[i] = total[i] * T.exp2((previous[i] - maximum[i]) * log2_e) + tile_sum[i]

            # One division a row: a division takes as long as several products.
            for i in T.Parallel(block_M):
                total[i] = 1 / total[i]
            # The second reading comes from L2 as far as the row has stayed there.
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[bx * block_M, k * block_N], x)
                for i, j in T.Parallel(block_M, block_N):
                    x[i, j] = T.exp2((x[i, j] - maximum[i]) * log2_e) * total[i]
                T.copy(x, Y[bx * block_M, k * block_N])

    return main


def ref_program(X):
    return X.float().softmax(dim=-1).to(torch.float16)


def torch_softmax(X):
    return X.softmax(dim=-1)
