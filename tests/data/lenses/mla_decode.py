# /// workbench
# kernel = "mla_decode"
#
# [[case]]
# name = "h100"
# args = { batch = 2, heads = 128, tokens = 256, block_H = 64, block_N = 64, threads = 256 }
# targets = ["h100"]
#
# [[case]]
# name = "a100"
# args = { batch = 2, heads = 32, tokens = 256, block_N = 32 }
# targets = ["a100"]
#
# [[case]]
# name = "rtx4090"
# args = { batch = 2, heads = 32, tokens = 256, block_N = 64, stages = 1 }
# targets = ["rtx4090"]
#
# [[case]]
# name = "mi300x"
# args = { batch = 2, heads = 32, tokens = 256, block_N = 32, stages = 1 }
# targets = ["mi300x"]
# ///
"""One decoding step of latent attention: all heads read one cache of latents and rotated keys.

A block has `block_H` heads of one sequence. The latents of a tile are keys and values at once, so
they are loaded once and multiplied twice.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def mla_decode(
    batch, heads, tokens, latent=512, rope=64, block_H=16, block_N=32, stages=2, threads=128
):
    scale = 1.44269504 / (latent + rope) ** 0.5
    full_col = T.GemmWarpPolicy.FullCol

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, latent), "float16"),
        Q_rope: T.Tensor((batch, heads, rope), "float16"),
        KV: T.Tensor((batch, tokens, latent), "float16"),
        K_rope: T.Tensor((batch, tokens, rope), "float16"),
        Y: T.Tensor((batch, heads, latent), "float16"),
    ):
        with T.Kernel(heads // block_H, batch, threads=threads) as (bh, bb):
            queries = T.alloc_shared((block_H, latent), "float16")
            rotated_queries = T.alloc_shared((block_H, rope), "float16")
            latents = T.alloc_shared((block_N, latent), "float16")
            rotated_keys = T.alloc_shared((block_N, rope), "float16")
            weights = T.alloc_shared((block_H, block_N), "float16")
            scores = T.alloc_fragment((block_H, block_N), "float32")
            result = T.alloc_fragment((block_H, latent), "float32")
            most = T.alloc_fragment((block_H,), "float32")
            before = T.alloc_fragment((block_H,), "float32")
            rescale = T.alloc_fragment((block_H,), "float32")
            part = T.alloc_fragment((block_H,), "float32")
            total = T.alloc_fragment((block_H,), "float32")

            T.copy(Q[bb, bh * block_H, 0], queries)
            T.copy(Q_rope[bb, bh * block_H, 0], rotated_queries)
            T.clear(result)
            T.clear(total)
            T.fill(most, -T.infinity("float32"))
            for k in T.Pipelined(tokens // block_N, num_stages=stages):
                T.copy(KV[bb, k * block_N, 0], latents)
                T.copy(K_rope[bb, k * block_N, 0], rotated_keys)
                T.clear(scores)
                T.gemm(queries, latents, scores, transpose_B=True, policy=full_col)
                T.gemm(rotated_queries, rotated_keys, scores, transpose_B=True, policy=full_col)
                T.copy(most, before)
                T.reduce_max(scores, most, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    rescale[i] = T.exp2((before[i] - most[i]) * scale)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.exp2((scores[i, j] - most[i]) * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block_H):
                    total[i] = total[i] * rescale[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_H, latent):
                    result[i, j] *= rescale[i]
                T.gemm(weights, latents, result, policy=full_col)
            for i, j in T.Parallel(block_H, latent):
                result[i, j] /= total[i]
            T.copy(result, Y[bb, bh * block_H, 0])

    return main


def ref_program(Q, Q_rope, KV, K_rope):
    queries = torch.cat([Q, Q_rope], dim=-1).float()
    keys = torch.cat([KV, K_rope], dim=-1).float()
    scores = queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5
    return (scores.softmax(dim=-1) @ KV.float()).to(Q.dtype)
