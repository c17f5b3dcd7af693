# /// workbench
# kernel = "gqa_decode_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""Grouped-query attention, one query position: 4 query heads to a key head, TMA and wgmma."""

import tilelang
import tilelang.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[3], pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def gqa_decode_sm90():
    batch, heads, groups, length, dim = 4, 32, 8, 1024, 128
    group = heads // groups  # query heads that share a key head
    block_H, block_N = 64, 64  # the tile of queries is padded to the 64 rows of a wgmma
    scale = dim**-0.5 * 1.44269504

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, dim), "float16"),
        K: T.Tensor((batch, length, groups, dim), "float16"),
        V: T.Tensor((batch, length, groups, dim), "float16"),
        Out: T.Tensor((batch, heads, dim), "float16"),
    ):
        with T.Kernel(groups, batch, threads=128) as (bx, by):
            Q_shared = T.alloc_shared((block_H, dim), "float16")
            K_shared = T.alloc_shared((block_N, dim), "float16")
            V_shared = T.alloc_shared((block_N, dim), "float16")
            scores = T.alloc_fragment((block_H, block_N), "float32")
            weights = T.alloc_fragment((block_H, block_N), "float16")
            output = T.alloc_fragment((block_H, dim), "float32")
            largest = T.alloc_fragment((block_H,), "float32")
            before = T.alloc_fragment((block_H,), "float32")
            factor = T.alloc_fragment((block_H,), "float32")
            part = T.alloc_fragment((block_H,), "float32")
            total = T.alloc_fragment((block_H,), "float32")
            for i, j in T.Parallel(block_H, dim):
                Q_shared[i, j] = T.if_then_else(i < group, Q[by, bx * group + i % group, j], 0)
            T.clear(output)
            T.clear(total)
            T.fill(largest, -T.infinity("float32"))
            for k in T.Pipelined(length // block_N, num_stages=2):
                T.copy(K[by, k * block_N : (k + 1) * block_N, bx, :], K_shared)
                T.clear(scores)
                T.gemm(
                    Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow
                )
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    factor[i] = T.exp2(before[i] * scale - largest[i] * scale)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block_H):
                    total[i] = total[i] * factor[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_H, dim):
                    output[i, j] *= factor[i]
                T.copy(V[by, k * block_N : (k + 1) * block_N, bx, :], V_shared)
                T.gemm(weights, V_shared, output, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_H, dim):
                if i < group:
                    Out[by, bx * group + i, j] = output[i, j] / total[i]

    return main


def ref_program(Q, K, V):
    group = Q.shape[1] // K.shape[2]
    keys = K.transpose(1, 2).repeat_interleave(group, dim=1)
    values = V.transpose(1, 2).repeat_interleave(group, dim=1)
    return F.scaled_dot_product_attention(Q.unsqueeze(2), keys, values).squeeze(2)
