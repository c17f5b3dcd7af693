# /// workbench
# kernel = "transpose"
#
# [pattern]
# id = "transpose"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# requirements = { form = "matrix", M = 16384, N = 8192, batch = 8, heads = 32, dtype = "float16" }
# tiles = { block = 64, threads = 256 }
# text = "eee702816da6a3bc"
#
# [[case]]
# name = "tails"
# args = { M = 120, N = 184 }
# targets = ["h200"]
#
# [[case]]
# name = "whole-tiles"
# args = { M = 64, N = 192 }
# targets = ["h200"]
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# ///
"""Y = Xᵀ, through shared memory.

    kernel = transpose(16384, 8192)
    Y = kernel(X)  # X: (M, N) float16

Hardware assumptions: none. Bound by memory: each element is read and written once.
Block sizes: a tile of 64 × 64 has rows of 128 bytes, read and written as whole lines.
Performance: not measured.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(M, N, block=64, threads=256, dtype="float16"):
    # 16 bytes of a row: what one thread reads or writes at once.
    vector = 8
    tiles_M, tiles_N = T.ceildiv(M, block), T.ceildiv(N, block)

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((N, M), dtype)):
        with T.Kernel(tiles_N, tiles_M, threads=threads) as (bx, by):
            rows = T.alloc_fragment((block, block), dtype)
            columns = T.alloc_shared((block, block), dtype)
            # Neighbouring threads write columns `vector` apart: in plain rows they would meet in
            # one bank. Each run of `vector` values changes place with one that its row chooses.
            T.annotate_layout(
                {
                    columns: tilelang.layout.Layout(
                        (block, block),
                        lambda i, j: (
                            i,
                            (j // vector ^ i // vector % (block // vector)) * vector + j % vector,
                        ),
                    )
                }
            )

            # Both tensors are accessed along their rows: what turns the tile is shared memory.
            T.copy(X[by * block, bx * block], rows)
            for i, j in T.Parallel(block, block):
                columns[j, i] = rows[i, j]
            T.copy(columns, Y[bx * block, by * block])

    return main


def ref_program(X):
    return X.transpose(-1, -2).contiguous()
