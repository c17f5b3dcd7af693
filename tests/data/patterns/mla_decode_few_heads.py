# /// workbench
# kernel = "mla_decode"
#
# [pattern]
# id = "mla-decode"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_H = 16, block_N = 64, threads = 256, num_split = 1 }
# pipeline = { num_stages = 2, schedule = "compiler" }
# text = "4721ed0a645a30c9"
#
# [pattern.requirements]
# batch = 128
# heads = 16
# context = 8192
# latent = 512
# rope = 64
# dtype = "float16"
#
# [[case]]
# name = "tails"
# args = { batch = 1, heads = 32, context = 280, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 3, heads = 16, context = 192, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
#
# [[case]]
# name = "b128-h16-c8192"
# args = { batch = 128, heads = 16, context = 8192, latent = 512, rope = 64 }
# targets = ["h200"]
# flops = "2 * batch * heads * context * (2 * latent + rope)"
# baseline = "torch_mla"
# ///
"""A decoding step of latent attention (MLA) in fp16: all heads read one cache.

    kernel = mla_decode(128, 16, 8192)
    # Q, Out: (batch, heads, latent); KV: (batch, context, latent); others: (..., rope)
    Out = kernel(Q, Q_rope, KV, K_rope)

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 164 KiB of shared memory and 256
threads a block.
Block sizes: 16 heads a block and 1 parts of a sequence make 128 blocks, 0.97 waves of H200. Each
byte of the cache feeds 30 FLOP in a block; the result of 16 × 512 takes 32 registers of each of 256
threads.
Results: the weights are rounded to the operands' format before the second product.
Performance: not measured.
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
    block_H=16,
    block_N=64,
    threads=256,
    num_stages=2,
    dtype="float16",
):
    # exp(x) = exp2(x * log2(e)): the scale of the scores goes into the same factor.
    scale = (latent + rope) ** -0.5 * 1.4426950408889634
    # All warps work on the same heads: each has keys of its own for the scores, and columns of its
    # own of the result, which is too wide for the registers of one warp.
    full_col = T.GemmWarpPolicy.FullCol

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, latent), dtype),
        Q_rope: T.Tensor((batch, heads, rope), dtype),
        KV: T.Tensor((batch, context, latent), dtype),
        K_rope: T.Tensor((batch, context, rope), dtype),
        Out: T.Tensor((batch, heads, latent), dtype),
    ):
        # bx runs fastest: the blocks of a sequence's heads read the same latents, from L2.
        with T.Kernel(T.ceildiv(heads, block_H), batch, threads=threads) as (bx, bz):
            Q_shared = T.alloc_shared((block_H, latent), dtype)
            Q_rope_shared = T.alloc_shared((block_H, rope), dtype)
            # Keys and values at once: loaded once, multiplied twice.
            KV_shared = T.alloc_shared((block_N, latent), dtype)
            K_rope_shared = T.alloc_shared((block_N, rope), dtype)
            weights = T.alloc_shared((block_H, block_N), dtype)
            Out_shared = T.alloc_shared((block_H, latent), dtype)
            # Fragments are written two neighbours a thread: in plain rows eight lanes would meet in
            # one bank.
            T.annotate_layout({Out_shared: tilelang.layout.make_swizzled_layout(Out_shared)})
            scores = T.alloc_fragment((block_H, block_N), "float32")
            result = T.alloc_fragment((block_H, latent), "float32")
            maximum = T.alloc_fragment((block_H,), "float32")
            previous = T.alloc_fragment((block_H,), "float32")
            rescale = T.alloc_fragment((block_H,), "float32")
            tile_sum = T.alloc_fragment((block_H,), "float32")
            total_sum = T.alloc_fragment((block_H,), "float32")

            head = bx * block_H
            T.copy(Q[bz, head : head + block_H, :], Q_shared)
            T.copy(Q_rope[bz, head : head + block_H, :], Q_rope_shared)
            T.clear(result)
            T.clear(total_sum)
            T.fill(maximum, -T.infinity("float32"))
            steps = T.ceildiv(context, block_N)
            # The next latents are on their way while these are multiplied.
            for k in T.Pipelined(steps, num_stages=num_stages):
                token = k * block_N
                T.copy(KV[bz, token : token + block_N, :], KV_shared)
                T.copy(K_rope[bz, token : token + block_N, :], K_rope_shared)
                T.gemm(
                    Q_shared, KV_shared, scores, transpose_B=True, policy=full_col, clear_accum=True
                )
                T.gemm(Q_rope_shared, K_rope_shared, scores, transpose_B=True, policy=full_col)
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
                # Each warp needs the weights of all keys: they meet in shared memory.
                T.copy(scores, weights)
                for i, j in T.Parallel(block_H, latent):
                    result[i, j] *= rescale[i]
                T.gemm(weights, KV_shared, result, policy=full_col)

            for i, j in T.Parallel(block_H, latent):
                result[i, j] /= total_sum[i]
            # Through shared memory rows leave whole, in the place of tiles that are done by then.
            T.copy(result, Out_shared)
            T.copy(Out_shared, Out[bz, head : head + block_H, :])

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
