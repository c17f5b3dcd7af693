# /// workbench
# kernel = "layer_norm"
#
# [pattern]
# id = "norm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# text = "e8dcadfe857d1909"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# kind = "layer"
# residual = false
# eps = 1e-06
#
# [pattern.tiles]
# block_M = 1
# block_N = 8192
# threads = 256
# min_blocks = 4
# streaming = true
# one_barrier = true
# bulk_row = false
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
Block sizes: 1 × 8192 a block are 32 values in fp16 for each of 256 threads.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F

EPS = 1e-06


@tilelang.jit(
    out_idx=[-1],
    # Lines that are read once are the first to leave the caches.
    pass_configs={tilelang.PassConfigKey.TL_DEVICE_COMPILE_FLAGS: ["-Xptxas=--def-load-cache=cs"]},
)
def layer_norm(
    M,
    N,
    block_N=8192,
    threads=256,
    min_blocks=4,
    eps=EPS,
    dtype="float16",
):
    vector, warps = 8, threads // 32
    runs = block_N // (threads * vector)

    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        Weight: T.Tensor((N,), dtype),
        Bias: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(M, threads=threads) as bx:
            T.annotate_min_blocks_per_sm(min_blocks)
            # A row stays in registers as it was read: a thread has 16 bytes of each run.
            x = T.alloc_fragment((runs, warps, 32, vector), dtype)
            sums = T.alloc_fragment((warps, 32), "float32")
            sum_of_warp = T.alloc_fragment((warps,), "float32")
            squares = T.alloc_fragment((warps, 32), "float32")
            squares_of_warp = T.alloc_fragment((warps,), "float32")
            of_warps = T.alloc_shared((2, warps), "float32")
            total = T.alloc_local((2,), "float32")
            first = T.alloc_var("float32")

            for r, p, t, v in T.Parallel(runs, warps, 32, vector):
                column = ((r * warps + p) * 32 + t) * vector + v
                x[r, p, t, v] = T.if_then_else(column < N, X[bx, column], 0)
            # Both sums are of differences to a value of the row: the mean square of the values
            # would lose its bits where the mean is large.
            first = T.cast(X[bx, 0], "float32")
            T.clear(sums)
            T.clear(squares)
            for r in T.unroll(runs):
                for v in T.unroll(vector):
                    for p, t in T.Parallel(warps, 32):
                        column = ((r * warps + p) * 32 + t) * vector + v
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
            for r, p, t, v in T.Parallel(runs, warps, 32, vector):
                column = ((r * warps + p) * 32 + t) * vector + v
                if column < N:
                    centred = T.cast(x[r, p, t, v], "float32") - first - mean
                    Y[bx, column] = centred * scale * Weight[column] + Bias[column]

    return main


def ref_program(X, Weight, Bias):
    Y = F.layer_norm(X.float(), Weight.shape, Weight.float(), Bias.float(), EPS)
    return Y.to(torch.float16)


def torch_layer_norm(X, Weight, Bias):
    return F.layer_norm(X, Weight.shape, Weight, Bias, EPS)
