# /// workbench
# kernel = "attention"
#
# [[case]]
# name = "small"
# args = { rows = 512, width = 64 }
# targets = ["h100"]
# ///
"""One head of softmax(Q Kᵀ) V, a tile of queries a block, keys and values in a pipeline."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def attention(rows, width, block=64, stages=2):
    scale = 1.44269504 / width**0.5

    @T.prim_func
    def main(
        Q: T.Tensor((rows, width), "float16"),
        K: T.Tensor((rows, width), "float16"),
        V: T.Tensor((rows, width), "float16"),
        Y: T.Tensor((rows, width), "float16"),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            queries = T.alloc_shared((block, width), "float16")
            keys = T.alloc_shared((block, width), "float16")
            values = T.alloc_shared((block, width), "float16")
            scores = T.alloc_fragment((block, block), "float32")
            weights = T.alloc_fragment((block, block), "float16")
            result = T.alloc_fragment((block, width), "float32")
            most = T.alloc_fragment((block,), "float32")
            before = T.alloc_fragment((block,), "float32")
            total = T.alloc_fragment((block,), "float32")
            part = T.alloc_fragment((block,), "float32")

            T.copy(Q[bx * block, 0], queries)
            T.clear(result)
            T.clear(total)
            T.fill(most, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv(rows, block), num_stages=stages):
                T.copy(K[k * block, 0], keys)
                T.clear(scores)
                T.gemm(queries, keys, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(most, before)
                T.reduce_max(scores, most, dim=1, clear=False)
                for i, j in T.Parallel(block, block):
                    scores[i, j] = T.exp2((scores[i, j] - most[i]) * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block):
                    total[i] = total[i] * T.exp2((before[i] - most[i]) * scale) + part[i]
                for i, j in T.Parallel(block, width):
                    result[i, j] *= T.exp2((before[i] - most[i]) * scale)
                T.copy(scores, weights)
                T.copy(V[k * block, 0], values)
                T.gemm(weights, values, result, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block, width):
                result[i, j] /= total[i]
            T.copy(result, Y[bx * block, 0])

    return main
