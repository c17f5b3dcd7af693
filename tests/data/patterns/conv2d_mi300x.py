# /// workbench
# kernel = "conv2d"
#
# [pattern]
# id = "conv2d"
# version = 1
# targets = ["mi300x"]
# goal = "throughput"
# tiles = { block_M = 32, block_N = 64, block_K = 32, threads = 128, policy = "Square" }
# pipeline = { num_stages = 2, loads = "gather" }
# epilogue = { bias = false, activation = "none", staged = false }
# text = "080e1e015da8ca7a"
#
# [pattern.requirements]
# N = 4
# H = 40
# W = 30
# C = 64
# filters = 96
# KH = 3
# KW = 3
# stride = 1
# padding = 2
# dilation = 2
# dtype = "float16"
# layout = "filters-last"
#
# [[case]]
# name = "tails"
# args = { N = 2, H = 7, W = 5, C = 40, filters = 88, KH = 3, KW = 3 }
# targets = ["mi300x"]
# flops = "2 * N * 7 * 5 * filters * KH * KW * C"
# baseline = "torch_conv2d"
#
# [[case]]
# name = "two-steps"
# args = { N = 1, H = 5, W = 9, C = 64, filters = 64, KH = 3, KW = 3 }
# targets = ["mi300x"]
# flops = "2 * N * 5 * 9 * filters * KH * KW * C"
# baseline = "torch_conv2d"
#
# [[case]]
# name = "4x40x30x64x96"
# args = { N = 4, H = 40, W = 30, C = 64, filters = 96, KH = 3, KW = 3 }
# targets = ["mi300x"]
# flops = "2 * N * 40 * 30 * filters * KH * KW * C"
# baseline = "torch_conv2d"
# ///
"""2-D convolution of channels-last images, fp16, as an implicit matrix product.

    kernel = conv2d(4, 40, 30, 64, 96)
    Y = kernel(X, Filters)  # X: (N, H, W, C), Filters: (KH, KW, C, F), fp16, on the device

Hardware assumptions: matrix cores (MFMA) of MI300X; 12 KiB of shared memory and 128 threads a
block.
Block sizes: 4 images of 40 × 30 pixels are 4800 rows of a matrix product with 96 columns and a sum
of 576: 32 × 64 a block make 300 blocks, 0.99 waves of MI300X. A step of 32 is part of the channels
under a tap.
Performance: not measured.
"""

import math

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F

# Of the kernel, its reference and its baseline alike.
STRIDE, PADDING, DILATION = 1, 2, 2


@tilelang.jit(out_idx=[-1])
def conv2d(
    N,
    H,
    W,
    C,
    filters,
    KH=3,
    KW=3,
    block_M=32,
    block_N=64,
    block_K=32,
    threads=128,
    num_stages=2,
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
        Filters: T.Tensor((KH, KW, C, filters), dtype),
        Y: T.Tensor((N, OH, OW, filters), dtype),
    ):
        # bx runs fastest: blocks of the same pixels and other filters share the image in L2.
        with T.Kernel(T.ceildiv(filters, block_N), tiles, threads=threads) as (bx, by):
            # The same memory as matrices: channels lie last, so that no element moves.
            Filters_flat = T.Tensor((depth, filters), dtype, Filters.data)
            Y_flat = T.Tensor((pixels, filters), dtype, Y.data)
            X_shared = T.alloc_shared((block_M, block_K), dtype)
            Filters_shared = T.alloc_shared((block_K, block_N), dtype)
            # A sum of many products loses bits in a short format: it is kept in float32 registers.
            Y_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            T.clear(Y_local)
            # Two stages: one tile is multiplied while the next is on its way from global memory.
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
                T.copy(Filters_flat[k * block_K, bx * block_N], Filters_shared)
                T.gemm(X_shared, Filters_shared, Y_local)

            # Rounds to the format of Y once; elements beyond the edge of Y are not written.
            T.copy(Y_local, Y_flat[by * block_M, bx * block_N])

    return main


def ref_program(X, Filters):
    x = X.permute(0, 3, 1, 2).float()
    filters = Filters.permute(3, 2, 0, 1).float()
    y = F.conv2d(x, filters, None, STRIDE, PADDING, DILATION)
    return y.permute(0, 2, 3, 1).to(torch.float16)


def torch_conv2d(X, Filters):
    # Views of channels-last tensors, as cuDNN takes them without a copy.
    x = X.permute(0, 3, 1, 2)
    filters = Filters.permute(3, 2, 0, 1)
    y = F.conv2d(x, filters, None, STRIDE, PADDING, DILATION)
    return y.permute(0, 2, 3, 1)
