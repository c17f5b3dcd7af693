# /// workbench
# kernel = "transpose"
#
# [pattern]
# id = "transpose"
# version = 2
# targets = ["mi300x"]
# goal = "throughput"
# requirements = { form = "batched", M = 384, N = 640, batch = 8, heads = 32, dtype = "bfloat16" }
# tiles = { block = 128, threads = 1024 }
# text = "d738a27793214868"
#
# [[case]]
# name = "tails"
# args = { batch = 3, M = 248, N = 376 }
# targets = ["mi300x"]
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 3, M = 128, N = 384 }
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
Block sizes: a tile of 128 × 128 has rows of 256 bytes, read and written as whole lines.
Performance: not measured.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(batch, M, N, block=128, threads=1024, dtype="bfloat16"):
    # 16 bytes of a row: what one thread reads or writes at once.
    vector = 8
    # 128 bytes of a row: what the eight lanes side by side read, whose runs have every bank once.
    width = min(block, 8 * vector)
    tiles_M, tiles_N = T.ceildiv(M, block), T.ceildiv(N, block)

    @T.prim_func
    def main(X: T.Tensor((batch, M, N), dtype), Y: T.Tensor((batch, N, M), dtype)):
        with T.Kernel(tiles_N, tiles_M, batch, threads=threads) as (bx, by, bz):
            rows = T.alloc_fragment((block // width, block, width), dtype)
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
            for s, i, j in T.Parallel(block // width, block, width):
                rows[s, i, j] = X[bz, by * block + i, bx * block + s * width + j]
            for s, i, j in T.Parallel(block // width, block, width):
                columns[s * width + j, i] = rows[s, i, j]
            T.copy(columns, Y[bz, bx * block, by * block])

    return main


def ref_program(X):
    return X.transpose(-1, -2).contiguous()
