# /// workbench
# kernel = "flash_decoding"
#
# [pattern]
# id = "flash-decoding"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_H = 16, block_N = 64, threads = 128, num_split = 2 }
# pipeline = { num_stages = 2 }
# text = "dc6fd9c5ba970140"
#
# [pattern.requirements]
# batch = 16
# heads = 32
# kv_heads = 8
# context = 8192
# dim = 128
# dtype = "float16"
# paged = false
# page = 64
#
# [[case]]
# name = "tails"
# args = { batch = 2, heads = 8, kv_heads = 2, context = 344, dim = 128, num_split = 2 }
# targets = ["h200"]
# flops = "4 * batch * heads * context * dim"
# baseline = "torch_attention"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 3, heads = 4, kv_heads = 1, context = 256, dim = 128, num_split = 2 }
# targets = ["h200"]
# flops = "4 * batch * heads * context * dim"
# baseline = "torch_attention"
#
# [[case]]
# name = "b16-h32-c8192"
# args = { batch = 16, heads = 32, kv_heads = 8, context = 8192, dim = 128 }
# targets = ["h200"]
# flops = "4 * batch * heads * context * dim"
# baseline = "torch_attention"
# ///
"""One decoding step of grouped-query attention over the cache in fp16.

    kernel = flash_decoding(16, 32, 8, 8192, 128)
    Out = kernel(Q, K, V)  # Q: (batch, heads, dim) float16

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 70 KiB of shared memory and 128
threads a block. Bound by memory: the cache is read once.
Block sizes: 128 tiles of queries in 2 parts make 256 blocks, 1.9 for each multiprocessor of H200. A
step of 64 keys and values is 32 KiB.
Results: the weights are rounded to the operands' format before the second product; parts are kept
in fp32.
Performance: 131 µs on an NVIDIA H200, 16.4 TFLOP/s, 0.98 times as fast as PyTorch; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(
    out_idx=[-1],
    # exp2 becomes the one instruction of the special-function units.
    pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True},
)
def flash_decoding(
    batch,
    heads,
    kv_heads,
    context,
    dim=128,
    num_split=2,
    block_H=16,
    block_N=64,
    threads=128,
    num_stages=2,
    dtype="float16",
):
    group = heads // kv_heads
    tiles = T.ceildiv(group, block_H)  # of the queries that share keys
    part = T.ceildiv(T.ceildiv(context, num_split), block_N) * block_N
    # exp(x) = exp2(x * log2(e)): the scale of the scores goes into the same factor.
    scale = dim**-0.5 * 1.4426950408889634

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, dim), dtype),
        K: T.Tensor((batch, context, kv_heads, dim), dtype),
        V: T.Tensor((batch, context, kv_heads, dim), dtype),
        Out: T.Tensor((batch, heads, dim), dtype),
    ):
        # Results of the parts, relative to their own maxima, and the logarithms of their sums.
        Parts = T.alloc_global((batch, heads, num_split, dim), "float32")
        LogSums = T.alloc_global((batch, heads, num_split), "float32")

        # One token of each sequence is too little work for a GPU: its keys are split among blocks.
        with T.Kernel(num_split, kv_heads * tiles, batch, threads=threads) as (bx, by, bz):
            Q_shared = T.alloc_shared((block_H, dim), dtype)
            K_shared = T.alloc_shared((block_N, dim), dtype)
            V_shared = T.alloc_shared((block_N, dim), dtype)
            weights = T.alloc_shared((block_H, block_N), dtype)
            scores = T.alloc_fragment((block_H, block_N), "float32")
            result = T.alloc_fragment((block_H, dim), "float32")
            maximum = T.alloc_fragment((block_H,), "float32")
            previous = T.alloc_fragment((block_H,), "float32")
            rescale = T.alloc_fragment((block_H,), "float32")
            tile_sum = T.alloc_fragment((block_H,), "float32")
            total_sum = T.alloc_fragment((block_H,), "float32")

            shared_head = by // tiles
            member = by % tiles * block_H
            head = shared_head * group + member
            first = bx * part
            # The queries of a group share its keys: they are the rows of one tile. Rows behind the
            # group's end are computed and not written.
            T.copy(Q[bz, head : head + block_H, :], Q_shared)
            T.clear(result)
            T.clear(total_sum)
            T.fill(maximum, -T.infinity("float32"))
            steps = T.ceildiv(T.max(T.min(context - first, part), 0), block_N)
            # The next keys and values are on their way while these are multiplied.
            for k in T.Pipelined(steps, num_stages=num_stages):
                token = first + k * block_N
                T.copy(K[bz, token : token + block_N, shared_head, :], K_shared)
                # FullCol: all warps work on the few rows, each on keys of its own.
                T.gemm(
                    Q_shared,
                    K_shared,
                    scores,
                    transpose_B=True,
                    policy=T.GemmWarpPolicy.FullCol,
                    clear_accum=True,
                )
                if context % block_N:
                    # Behind the end T.copy gives 0, which would count as a score of 0.
                    for i, j in T.Parallel(block_H, block_N):
                        scores[i, j] = T.if_then_else(
                            token + j < context, scores[i, j], -T.infinity("float32")
                        )
                T.copy(maximum, previous)
                # clear=False goes on from the maximum of the tiles before.
                T.reduce_max(scores, maximum, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    rescale[i] = T.exp2(previous[i] * scale - maximum[i] * scale)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - maximum[i] * scale)
                T.reduce_sum(scores, tile_sum, dim=1)
                # What was summed so far was relative to the smaller maximum.
                for i in T.Parallel(block_H):
                    total_sum[i] = total_sum[i] * rescale[i] + tile_sum[i]
                for i, j in T.Parallel(block_H, dim):
                    result[i, j] *= rescale[i]
                # Each warp needs the weights of all keys: they meet in shared memory.
                T.copy(scores, weights)
                T.copy(V[bz, token : token + block_N, shared_head, :], V_shared)
                T.gemm(weights, V_shared, result, policy=T.GemmWarpPolicy.FullCol)

            for i, j in T.Parallel(block_H, dim):
                if member + i < group:
                    # A part behind the sequence's end has no keys, and so no sum.
                    Parts[bz, head + i, bx, j] = T.if_then_else(
                        total_sum[i] > 0, result[i, j] / total_sum[i], 0
                    )
            for i in T.Parallel(block_H):
                if member + i < group:
                    LogSums[bz, head + i, bx] = T.log2(total_sum[i]) + maximum[i] * scale

        # The parts of a sequence are weighed by their sums, each relative to the largest maximum.
        with T.Kernel(heads, batch, threads=32) as (by, bz):
            combined = T.alloc_fragment((dim,), "float32")
            largest = T.alloc_var("float32", init=-T.infinity("float32"))
            whole = T.alloc_var("float32", init=0.0)

            for s in T.serial(num_split):
                largest = T.max(largest, LogSums[bz, by, s])
            T.clear(combined)
            for s in T.serial(num_split):
                share = T.exp2(LogSums[bz, by, s] - largest)
                whole += share
                for j in T.Parallel(dim):
                    combined[j] += share * Parts[bz, by, s, j]
            for j in T.Parallel(dim):
                Out[bz, by, j] = combined[j] / whole

    return main


def ref_program(Q, K, V):
    k, v = (x.float().transpose(1, 2) for x in (K, V))
    q = Q.float().unsqueeze(2)
    Out = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    return Out.squeeze(2).to(torch.float16)


def torch_attention(Q, K, V):
    q, k, v = Q.unsqueeze(2), K.transpose(1, 2), V.transpose(1, 2)
    Out = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    return Out.squeeze(2)
