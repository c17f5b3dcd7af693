# /// workbench
# kernel = "layer_norm"
#
# [pattern]
# id = "norm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 1, block_N = 4096, threads = 256, min_blocks = 8, reread_N = 2048 }
# text = "f5c45e6ac0d4eafe"
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
# args = { M = 3, N = 4072 }
# targets = ["h200"]
# baseline = "torch_layer_norm"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 4, N = 4096 }
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

Hardware assumptions: rows stay in a multiprocessor's L1 cache until they are read again. Bound by
memory: 4 bytes move for each element, each of them once.
Block sizes: the 256 threads of a block read 4096 columns of its row at once, and 2048 when they
read it again.
Performance: not measured.
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
    block_N=4096,
    reread_N=2048,
    threads=256,
    min_blocks=8,
    eps=EPS,
    dtype="float16",
):
    vector, warps = 8, threads // 32
    runs, reread_runs = block_N // (threads * vector), reread_N // (threads * vector)

    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        Weight: T.Tensor((N,), dtype),
        Bias: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(M, threads=threads) as bx:
            T.annotate_min_blocks_per_sm(min_blocks)
            # A row is read twice, the second time from a cache: few registers let many rows be at
            # work at once, of which some write while others read.
            x = T.alloc_fragment((runs, warps, 32, vector), dtype)
            sums = T.alloc_fragment((warps, 32), "float32")
            sum_of_warp = T.alloc_fragment((warps,), "float32")
            squares = T.alloc_fragment((warps, 32), "float32")
            squares_of_warp = T.alloc_fragment((warps,), "float32")
            of_warps = T.alloc_shared((2, warps), "float32")
            total = T.alloc_local((2,), "float32")
            first = T.alloc_var("float32")

            # Both sums are of differences to a value of the row: the mean square of the values
            # would lose its bits where the mean is large.
            first = T.cast(X[bx, 0], "float32")
            T.clear(sums)
            T.clear(squares)
            # Unrolled loops would let the compiler keep the row for the second reading.
            for k in T.unroll(T.ceildiv(N, block_N), unroll_factor=1):
                for r, p, t, v in T.Parallel(runs, warps, 32, vector):
                    column = k * block_N + ((r * warps + p) * 32 + t) * vector + v
                    x[r, p, t, v] = T.if_then_else(column < N, X[bx, column], 0)
                for r in T.unroll(runs):
                    for v in T.unroll(vector):
                        for p, t in T.Parallel(warps, 32):
                            column = k * block_N + ((r * warps + p) * 32 + t) * vector + v
                            difference = T.if_then_else(
                                column < N, T.cast(x[r, p, t, v], "float32") - first, 0
                            )
                            sums[p, t] += difference
                            squares[p, t] += difference * difference
            # Warps add up by shuffles, and every thread adds the warps: one barrier a row.
            T.reduce_sum(sums, sum_of_warp, dim=1)
            T.reduce_sum(squares, squares_of_warp, dim=1)
            for p in T.Parallel(warps):
                of_warps[0, p] = squares_of_warp[p]
                of_warps[1, p] = sum_of_warp[p]
            T.clear(total)
            for p in T.unroll(warps):
                total[0] += of_warps[0, p]
                total[1] += of_warps[1, p]
            mean = total[1] / N
            # eps keeps a row of equal values from dividing by zero.
            scale = T.rsqrt(T.max(total[0] / N - mean * mean, 0) + eps)
            for k in T.unroll(T.ceildiv(N, reread_N), unroll_factor=1):
                for r, p, t, v in T.Parallel(reread_runs, warps, 32, vector):
                    column = k * reread_N + ((r * warps + p) * 32 + t) * vector + v
                    if column < N:
                        centred = T.cast(X[bx, column], "float32") - first - mean
                        Y[bx, column] = centred * scale * Weight[column] + Bias[column]

    return main


def ref_program(X, Weight, Bias):
    Y = F.layer_norm(X.float(), Weight.shape, Weight.float(), Bias.float(), EPS)
    return Y.to(torch.float16)


def torch_layer_norm(X, Weight, Bias):
    return F.layer_norm(X, Weight.shape, Weight, Bias, EPS)
