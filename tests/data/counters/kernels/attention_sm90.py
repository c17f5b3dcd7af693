# /// workbench
# kernel = "attention_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""Attention forward, d = 64, 128x128 tiles, 2 stages, 256 threads, TMA and wgmma."""

import tilelang
import tilelang.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[3], pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def attention_sm90():
    heads, length, dim = 8, 512, 64
    block_M, block_N = 128, 128
    scale = dim**-0.5 * 1.44269504
    shape = (heads, length, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, "float16"),
        K: T.Tensor(shape, "float16"),
        V: T.Tensor(shape, "float16"),
        Out: T.Tensor(shape, "float16"),
    ):
        with T.Kernel(length // block_M, heads, threads=256) as (bx, by):
            Q_shared = T.alloc_shared((block_M, dim), "float16")
            K_shared = T.alloc_shared((block_N, dim), "float16")
            V_shared = T.alloc_shared((block_N, dim), "float16")
            O_shared = T.alloc_shared((block_M, dim), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), "float16")
            output = T.alloc_fragment((block_M, dim), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            before = T.alloc_fragment((block_M,), "float32")
            factor = T.alloc_fragment((block_M,), "float32")
            part = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[by, bx * block_M : (bx + 1) * block_M, :], Q_shared)
            T.clear(output)
            T.clear(total)
            T.fill(largest, -T.infinity("float32"))
            for k in T.Pipelined(length // block_N, num_stages=2):
                T.copy(K[by, k * block_N : (k + 1) * block_N, :], K_shared)
                T.clear(scores)
                T.gemm(
                    Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow
                )
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    factor[i] = T.exp2(before[i] * scale - largest[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * factor[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_M, dim):
                    output[i, j] *= factor[i]
                T.copy(V[by, k * block_N : (k + 1) * block_N, :], V_shared)
                T.gemm(weights, V_shared, output, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, dim):
                output[i, j] /= total[i]
            T.copy(output, O_shared)
            T.copy(O_shared, Out[by, bx * block_M : (bx + 1) * block_M, :])

    return main


def ref_program(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V)
