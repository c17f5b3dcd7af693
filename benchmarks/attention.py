# /// workbench
# kernel = "attention"
#
# [[case]]
# name = "b1-h8"
# args = { batch = 1, heads = 8, sequence = 2048, dim = 128 }
# targets = ["h100"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""Attention without a mask, online softmax: what `simulator.py` times."""

import tilelang
import tilelang.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[3])
def attention(batch, heads, sequence, dim, block_M=64, block_N=64, threads=128):
    scale = dim**-0.5 * 1.44269504  # exp2 instead of exp
    shape = (batch, heads, sequence, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, "float16"),
        K: T.Tensor(shape, "float16"),
        V: T.Tensor(shape, "float16"),
        Out: T.Tensor(shape, "float16"),
    ):
        with T.Kernel(T.ceildiv(sequence, block_M), heads, batch, threads=threads) as (bx, by, bz):
            queries = T.alloc_shared((block_M, dim), "float16")
            keys = T.alloc_shared((block_N, dim), "float16")
            values = T.alloc_shared((block_N, dim), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), "float16")
            output = T.alloc_fragment((block_M, dim), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            before = T.alloc_fragment((block_M,), "float32")
            factor = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            part = T.alloc_fragment((block_M,), "float32")

            T.copy(Q[bz, by, bx * block_M : (bx + 1) * block_M, :], queries)
            T.clear(output)
            T.clear(total)
            T.fill(largest, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv(sequence, block_N), num_stages=2):
                T.copy(K[bz, by, k * block_N : (k + 1) * block_N, :], keys)
                T.clear(scores)
                T.gemm(queries, keys, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
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
                T.copy(V[bz, by, k * block_N : (k + 1) * block_N, :], values)
                T.gemm(weights, values, output, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, dim):
                output[i, j] /= total[i]
            T.copy(output, Out[bz, by, bx * block_M : (bx + 1) * block_M, :])

    return main


def ref_program(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V)
