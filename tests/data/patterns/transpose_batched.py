# /// workbench
# kernel = "transpose"
#
# [pattern]
# id = "transpose"
# version = 1
# targets = ["mi300x"]
# goal = "throughput"
# requirements = { form = "batched", M = 384, N = 640, batch = 8, heads = 32, dtype = "bfloat16" }
# tiles = { block = 64, threads = 256 }
# text = "07a9d4c4df8ff33e"
#
# [[case]]
# name = "tails"
# args = { batch = 3, M = 120, N = 184 }
# targets = ["mi300x"]
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 3, M = 64, N = 192 }
# targets = ["mi300x"]
#
# [[case]]
# name = "8x384x640"
# args = { batch = 8, M = 384, N = 640 }
# targets = ["mi300x"]
# ///
"""Y = Xᵀ of each matrix of a batch, through shared memory.

    kernel = transpose(8, 384, 640)
    Y = kernel(X)  # X: (batch, M, N) bfloat16

Hardware assumptions: none. Bound by memory: each element is read and written once.
Block sizes: a tile of 64 × 64 has rows of 128 bytes, read and written as whole lines.
Performance: not measured.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(batch, M, N, block=64, threads=256, dtype="bfloat16"):
    # 16 bytes of a row: what one thread reads or writes at once.
    vector = 8
    tiles_M, tiles_N = T.ceildiv(M, block), T.ceildiv(N, block)

    @T.prim_func
    def main(X: T.Tensor((batch, M, N), dtype), Y: T.Tensor((batch, N, M), dtype)):
        with T.Kernel(tiles_N, tiles_M, batch, threads=threads) as (bx, by, bz):
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
            T.copy(X[bz, by * block, bx * block], rows)
            for i, j in T.Parallel(block, block):
                columns[j, i] = rows[i, j]
            T.copy(columns, Y[bz, bx * block, by * block])

    return main


def ref_program(X):
    return X.transpose(-1, -2).contiguous()
