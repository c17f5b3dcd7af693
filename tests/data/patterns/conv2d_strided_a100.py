# /// workbench
# kernel = "conv2d"
#
# [pattern]
# id = "conv2d"
# version = 1
# targets = ["a100"]
# goal = "throughput"
# tiles = { block_M = 128, block_N = 64, block_K = 64, threads = 128, policy = "Square" }
# pipeline = { num_stages = 3, loads = "gather" }
# epilogue = { bias = true, activation = "relu", staged = true }
# text = "2044107c79ea300e"
#
# [pattern.requirements]
# N = 8
# H = 57
# W = 41
# C = 128
# filters = 192
# KH = 3
# KW = 5
# stride = 2
# padding = 2
# dilation = 1
# dtype = "float16"
# layout = "filters-first"
#
# [[case]]
# name = "tails"
# args = { N = 2, H = 7, W = 5, C = 72, filters = 88, KH = 3, KW = 5 }
# targets = ["a100"]
# flops = "2 * N * 5 * 3 * filters * KH * KW * C"
# baseline = "torch_conv2d"
#
# [[case]]
# name = "two-steps"
# args = { N = 1, H = 5, W = 9, C = 128, filters = 64, KH = 3, KW = 5 }
# targets = ["a100"]
# flops = "2 * N * 4 * 5 * filters * KH * KW * C"
# baseline = "torch_conv2d"
#
# [[case]]
# name = "8x57x41x128x192"
# args = { N = 8, H = 57, W = 41, C = 128, filters = 192, KH = 3, KW = 5 }
# targets = ["a100"]
# flops = "2 * N * 30 * 21 * filters * KH * KW * C"
# baseline = "torch_conv2d"
# ///
"""2-D convolution of channels-last images with bias and ReLU, fp16, as an implicit matrix product.

    kernel = conv2d(8, 57, 41, 128, 192)
    Y = kernel(X, Filters, Bias)  # X: (N, H, W, C), Filters: (F, KH, KW, C), fp16, on the device

Hardware assumptions: tensor cores with mma.sync (A100 or newer); 72.1 KiB of shared memory and 128
threads a block.
Block sizes: 8 images of 30 × 21 pixels are 5040 rows of a matrix product with 192 columns and a sum
of 1920: 128 × 64 a block make 120 blocks, 1.11 waves of A100. A step of 64 is part of the channels
under a tap.
Performance: not measured.
"""

import math

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F

# Of the kernel, its reference and its baseline alike.
STRIDE, PADDING, DILATION = 2, 2, 1


@tilelang.jit(out_idx=[-1])
def conv2d(
    N,
    H,
    W,
    C,
    filters,
    KH=3,
    KW=5,
    block_M=128,
    block_N=64,
    block_K=64,
    threads=128,
    num_stages=3,
    dtype="float16",
    accum_dtype="float32",
):
    OH = (H + 2 * PADDING - DILATION * (KH - 1) - 1) // STRIDE + 1
    OW = (W + 2 * PADDING - DILATION * (KW - 1) - 1) // STRIDE + 1
    # The matrix product: a row for each pixel of Y, a column for each filter, summed over the taps.
    pixels, depth = N * OH * OW, KH * KW * C
    tiles = T.ceildiv(pixels, block_M)
    # Channels that a thread copies at once, all under one tap: 16 bytes of them if C has as many.
    vector = math.gcd(C, 8)

    @T.prim_func
    def main(
        X: T.Tensor((N, H, W, C), dtype),
        Filters: T.Tensor((filters, KH, KW, C), dtype),
        Bias: T.Tensor((filters,), dtype),
        Y: T.Tensor((N, OH, OW, filters), dtype),
    ):
        # bx runs fastest: blocks of the same pixels and other filters share the image in L2.
        with T.Kernel(T.ceildiv(filters, block_N), tiles, threads=threads) as (bx, by):
            # The same memory as matrices: channels lie last, so that no element moves.
            Filters_flat = T.Tensor((filters, depth), dtype, Filters.data)
            Y_flat = T.Tensor((pixels, filters), dtype, Y.data)
            X_shared = T.alloc_shared((block_M, block_K), dtype)
            Filters_shared = T.alloc_shared((block_N, block_K), dtype)
            # A sum of many products loses bits in a short format: it is kept in float32 registers.
            Y_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            # The tile of Y leaves through shared memory, whole rows at a time. It takes the place
            # of the stages, which are done by then.
            Y_shared = T.alloc_shared((block_M, block_N), dtype)
            Bias_shared = T.alloc_shared((block_N,), dtype)

            # In plain rows the lanes of a warp would write to one bank.
            T.annotate_layout({Y_shared: tilelang.layout.make_swizzled_layout(Y_shared)})
            T.copy(Bias[bx * block_N], Bias_shared, coalesced_width=8)
            T.clear(Y_local)
            # Three stages: one tile is multiplied while two are on their way from global memory.
            for k in T.Pipelined(T.ceildiv(depth, block_K), num_stages=num_stages):
                for i, j, v in T.Parallel(block_M, block_K // vector, vector):
                    pixel, part = by * block_M + i, k * (block_K // vector) + j
                    tap, channel = part // (C // vector), part % (C // vector) * vector + v
                    y = pixel % (OH * OW) // OW * STRIDE + tap // KW * DILATION - PADDING
                    x = pixel % OW * STRIDE + tap % KW * DILATION - PADDING
                    # Where an index is outside of X, TileLang copies a zero, which adds nothing;
                    # so it does for steps beyond the last tap, which are put below the image.
                    y += tap // (KH * KW) * (H + PADDING)
                    X_shared[i, j * vector + v] = X[pixel // (OH * OW), y, x, channel]
                T.copy(Filters_flat[bx * block_N, k * block_K], Filters_shared)
                T.gemm(X_shared, Filters_shared, Y_local, transpose_B=True)

            for i, j in T.Parallel(block_M, block_N):
                Y_local[i, j] += Bias_shared[j]
            for i, j in T.Parallel(block_M, block_N):
                Y_local[i, j] = T.max(Y_local[i, j], 0)
            # Rounds to the format of Y once; elements beyond the edge of Y are not written.
            T.copy(Y_local, Y_shared)
            T.copy(Y_shared, Y_flat[by * block_M, bx * block_N])

    return main


def ref_program(X, Filters, Bias):
    x = X.permute(0, 3, 1, 2).float()
    filters = Filters.permute(0, 3, 1, 2).float()
    y = F.conv2d(x, filters, Bias.float(), STRIDE, PADDING, DILATION)
    y = F.relu(y)
    return y.permute(0, 2, 3, 1).to(torch.float16)


def torch_conv2d(X, Filters, Bias):
    # Views of channels-last tensors, as cuDNN takes them without a copy.
    x = X.permute(0, 3, 1, 2)
    filters = Filters.permute(0, 3, 1, 2)
    y = F.conv2d(x, filters, Bias, STRIDE, PADDING, DILATION)
    y = F.relu(y)
    return y.permute(0, 2, 3, 1)
