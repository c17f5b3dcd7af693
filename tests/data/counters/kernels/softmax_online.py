# /// workbench
# kernel = "softmax"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = { M = 509, N = 768, block_N = 256 }
# targets = ["h200"]
# ///
"""Online softmax of fp16 rows in three tiles of 256 columns."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def softmax(M, N, block_M=1, block_N=2048, threads=128, dtype="float16"):
    # exp(x) = exp2(x * log2(e)): GPUs have an instruction for exp2.
    log2_e = 1.4426950408889634

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, block_N), dtype)
            scaled = T.alloc_fragment((block_M, block_N), "float32")
            maximum = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            tile_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")

            T.fill(maximum, -T.infinity("float32"))
            T.clear(total)
            for k in T.serial(N // block_N):
                T.copy(X[bx * block_M, k * block_N], x)
                for i, j in T.Parallel(block_M, block_N):
                    scaled[i, j] = T.cast(x[i, j], "float32") * log2_e
                T.copy(maximum, previous)
                # clear=False goes on from the maximum of the tiles before.
                T.reduce_max(scaled, maximum, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    scaled[i, j] = T.exp2(scaled[i, j] - maximum[i])
                T.reduce_sum(scaled, tile_sum, dim=1)
                # The sum so far was relative to the smaller maximum: scale it before adding.
                for i in T.Parallel(block_M):
                    total[i] = total[i] * T.exp2(previous[i] - maximum[i]) + tile_sum[i]

            for k in T.serial(N // block_N):
                T.copy(X[bx * block_M, k * block_N], x)
                for i, j in T.Parallel(block_M, block_N):
                    scaled[i, j] = (
                        T.exp2(T.cast(x[i, j], "float32") * log2_e - maximum[i]) / total[i]
                    )
                T.copy(scaled, Y[bx * block_M, k * block_N])

    return main


def ref_program(X):
    return X.float().softmax(dim=-1).to(X.dtype)
