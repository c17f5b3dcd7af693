# /// workbench
# kernel = "mla_decode"
#
# [pattern]
# id = "mla-decode"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_H = 64, block_N = 64, threads = 256, num_split = 1 }
# pipeline = { num_stages = 2, schedule = "roles" }
# text = "98b09d0b2ebe14dc"
#
# [pattern.requirements]
# batch = 128
# heads = 128
# context = 8192
# latent = 512
# rope = 64
# dtype = "float16"
#
# [[case]]
# name = "tails"
# args = { batch = 1, heads = 128, context = 280, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 3, heads = 64, context = 192, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
#
# [[case]]
# name = "b128-h128-c8192"
# args = { batch = 128, heads = 128, context = 8192, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
# ///
"""A decoding step of latent attention (MLA) in fp16: all heads read one cache.

    kernel = mla_decode(128, 128, 8192)
    # Q, Out: (batch, heads, latent); KV: (batch, context, latent); others: (..., rope)
    Out = kernel(Q, Q_rope, KV, K_rope)

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 217 KiB of shared memory and 384
threads a block.
Block sizes: 64 heads a block and 1 parts of a sequence make 256 blocks, 1.94 waves of H200. Each
byte of the cache feeds 121 FLOP in a block; the result of 64 × 512 takes 128 registers of each of
256 threads.
Results: the weights are rounded to the operands' format before the second product.
Performance: 533 µs on an NVIDIA H200, 548 TFLOP/s, 100 % of 550 TFLOP/s; measured on 2026-11-30
with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(
    out_idx=[-1],
    # exp2 becomes the one instruction of the special-function units.
    pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True},
)
def mla_decode(
    batch,
    heads,
    context,
    latent=512,
    rope=64,
    block_H=64,
    block_N=64,
    dtype="float16",
):
    half = latent // 2
    last = (context - 1) // block_N * block_N
    # exp(x) = exp2(x * log2(e)): the scale of the scores goes into the same factor.
    scale = (latent + rope) ** -0.5 * 1.4426950408889634

    @T.macro
    def add_tile(own, tile, tiles, rescale, result, total_sum):
        KV_shared, K_rope_shared = tiles
        # What was summed so far was relative to the smaller maximum.
        for i, j in T.Parallel(block_H, half):
            result[i, j] *= rescale[i]
        for i in T.Parallel(block_H):
            total_sum[i] *= rescale[i]
        columns = own * half
        # Where the rotated keys were are the weights.
        T.wgmma_gemm(
            K_rope_shared[tile, :, :], KV_shared[tile, :, columns : columns + half], result
        )

    # A warpgroup, `own` of two: it computes the scores and weights of every other tile, and for all
    # tiles half of the columns of the result, which is too wide for the registers of one. While
    # one computes exponentials, the other multiplies.
    @T.macro
    def attend(own, first, pairs, queries, tiles, rows, barriers, Out):
        Q_shared, Q_rope_shared = queries
        # The rotated keys of a tile are read once: its weights take their place.
        KV_shared, K_rope_shared = tiles
        maximum_shared, rescale_shared, sum_shared = rows
        Q_there, KV_there, rope_there, weights_there, sums_there, half_free = barriers
        scores = T.alloc_fragment((block_H, block_N), "float32")
        result = T.alloc_fragment((block_H, half), "float32")
        maximum = T.alloc_fragment((block_H,), "float32")
        previous = T.alloc_fragment((block_H,), "float32")
        rescale = T.alloc_fragment((block_H,), "float32")
        tile_sum = T.alloc_fragment((block_H,), "float32")
        total_sum = T.alloc_fragment((block_H,), "float32")

        T.clear(result)
        T.clear(total_sum)
        T.barrier_wait(Q_there, 0)
        for k in T.serial(pairs):
            for turn in T.unroll(2):
                side = (own + turn) % 2
                T.barrier_wait(KV_there[2 * own + side], k % 2)
                T.wgmma_gemm(
                    Q_shared[:, side * half : (side + 1) * half],
                    KV_shared[own, :, side * half : (side + 1) * half],
                    scores,
                    transpose_B=True,
                    clear_accum=turn == 0,
                )
            T.barrier_wait(rope_there[own], k % 2)
            T.wgmma_gemm(Q_rope_shared, K_rope_shared[own, :, :], scores, transpose_B=True)
            if own == 1:
                # The other's tile comes before: it is multiplied beside this one's exponentials.
                T.barrier_wait(weights_there[0], k % 2)
            T.wait_wgmma(0)
            if own == 1:
                T.copy(rescale_shared[0, :], rescale)
                add_tile(own, 0, tiles, rescale, result, total_sum)
            if context % (2 * block_N):
                # Behind the end keys are zeros or, of a surplus tile, those of the last one.
                token = first + (2 * k + own) * block_N
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.if_then_else(
                        token + j < context, scores[i, j], -T.infinity("float32")
                    )
            T.copy(maximum_shared, previous)
            T.copy(previous, maximum)
            # clear=False goes on from the maximum of the tiles before.
            T.reduce_max(scores, maximum, dim=1, clear=False)
            for i in T.Parallel(block_H):
                rescale[i] = T.exp2(previous[i] * scale - maximum[i] * scale)
            T.copy(maximum, maximum_shared)
            T.copy(rescale, rescale_shared[own, :])
            for i, j in T.Parallel(block_H, block_N):
                scores[i, j] = T.exp2(scores[i, j] * scale - maximum[i] * scale)
            T.copy(scores, K_rope_shared[own, :, :])
            # wgmma reads shared memory by another path than these stores: they go first.
            T.fence_proxy_async()
            T.barrier_arrive(weights_there[own])
            T.reduce_sum(scores, tile_sum, dim=1)
            T.wait_wgmma(0)
            if own == 1:
                T.barrier_arrive(half_free[own])
            add_tile(own, own, tiles, rescale, result, total_sum)
            for i in T.Parallel(block_H):
                total_sum[i] += tile_sum[i]
            T.wait_wgmma(0)
            T.barrier_arrive(half_free[2 * own + own])
            if own == 0:
                T.barrier_wait(weights_there[1], k % 2)
                T.copy(rescale_shared[1, :], rescale)
                add_tile(own, 1, tiles, rescale, result, total_sum)
                T.wait_wgmma(0)
                T.barrier_arrive(half_free[2 + own])
        # Each has summed the weights of its own tiles.
        T.copy(total_sum, sum_shared[own, :])
        T.barrier_arrive(sums_there)
        T.barrier_wait(sums_there, 0)
        T.copy(sum_shared[1 - own, :], tile_sum)
        for i in T.Parallel(block_H):
            total_sum[i] += tile_sum[i]
        for i, j in T.Parallel(block_H, half):
            result[i, j] /= total_sum[i]
        T.copy(result, Out)

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, latent), dtype),
        Q_rope: T.Tensor((batch, heads, rope), dtype),
        KV: T.Tensor((batch, context, latent), dtype),
        K_rope: T.Tensor((batch, context, rope), dtype),
        Out: T.Tensor((batch, heads, latent), dtype),
    ):
        # bx runs fastest: the blocks of a sequence's heads read the same latents, from L2.
        with T.Kernel(T.ceildiv(heads, block_H), batch, threads=384) as (bx, bz):
            Q_shared = T.alloc_shared((block_H, latent), dtype)
            Q_rope_shared = T.alloc_shared((block_H, rope), dtype)
            # Keys and values at once: loaded once, multiplied twice.
            KV_shared = T.alloc_shared((2, block_N, latent), dtype)
            K_rope_shared = T.alloc_shared((2, block_N, rope), dtype)
            maximum_shared = T.alloc_shared((block_H,), "float32")
            rescale_shared = T.alloc_shared((2, block_H), "float32")
            sum_shared = T.alloc_shared((2, block_H), "float32")
            Q_there = T.alloc_barrier(128)
            # For each tile the halves of its columns, since they are free at different times.
            KV_there = T.alloc_barrier([128] * 4)
            half_free = T.alloc_barrier([128] * 4)
            rope_there = T.alloc_barrier([128] * 2)
            weights_there = T.alloc_barrier([128] * 2)
            sums_there = T.alloc_barrier(256)

            head = bx * block_H
            first = 0
            pairs = T.ceildiv(context, 2 * block_N)
            queries = (Q_shared, Q_rope_shared)
            tiles = (KV_shared, K_rope_shared)
            rows = (maximum_shared, rescale_shared, sum_shared)
            barriers = (Q_there, KV_there, rope_there, weights_there, sums_there, half_free)
            # Finite, since a difference of two infinities is no number.
            T.fill(maximum_shared, -1e30)
            T.sync_threads()
            thread = T.get_thread_binding()
            # Three warpgroups share the registers: two need many, the one that copies needs few.
            if thread < 128:
                T.set_max_nreg(240, 1)
                attend(
                    0,
                    first,
                    pairs,
                    queries,
                    tiles,
                    rows,
                    barriers,
                    Out[bz, head : head + block_H, 0:half],
                )
            elif thread < 256:
                T.set_max_nreg(240, 1)
                attend(
                    1,
                    first,
                    pairs,
                    queries,
                    tiles,
                    rows,
                    barriers,
                    Out[bz, head : head + block_H, half:latent],
                )
            else:
                T.set_max_nreg(24, 0)
                T.tma_copy(Q[bz, head : head + block_H, :], Q_shared, barrier=Q_there)
                T.tma_copy(Q_rope[bz, head : head + block_H, :], Q_rope_shared, barrier=Q_there)
                T.barrier_arrive(Q_there)
                for k in T.serial(pairs):
                    for tile in T.unroll(2):
                        token = T.min(first + (2 * k + tile) * block_N, last)
                        for turn in T.unroll(2):
                            side = (tile + turn) % 2
                            T.barrier_wait(half_free[2 * tile + side], (k + 1) % 2)
                            columns = side * half
                            T.tma_copy(
                                KV[bz, token : token + block_N, columns : columns + half],
                                KV_shared[tile, :, columns : columns + half],
                                barrier=KV_there[2 * tile + side],
                            )
                            T.barrier_arrive(KV_there[2 * tile + side])
                        T.tma_copy(
                            K_rope[bz, token : token + block_N, :],
                            K_rope_shared[tile, :, :],
                            barrier=rope_there[tile],
                        )
                        T.barrier_arrive(rope_there[tile])

    return main


def ref_program(Q, Q_rope, KV, K_rope):
    queries = torch.cat([Q, Q_rope], dim=-1).float()
    keys = torch.cat([KV, K_rope], dim=-1).float()
    scores = queries @ keys.transpose(1, 2) * queries.shape[-1] ** -0.5
    return (scores.softmax(dim=-1) @ KV.float()).to(torch.float16)


def torch_mla(Q, Q_rope, KV, K_rope):
    scores = Q @ KV.transpose(1, 2) + Q_rope @ K_rope.transpose(1, 2)
    scores = scores * (Q.shape[-1] + Q_rope.shape[-1]) ** -0.5
    return scores.softmax(dim=-1, dtype=torch.float32).to(KV.dtype) @ KV
