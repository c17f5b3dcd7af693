# /// workbench
# kernel = "transpose_int8"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""Transpose of 1-byte elements through an unpadded 64x64 tile in shared memory."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def transpose_int8():
    M, N = 512, 512
    tile, rows = 64, 4

    @T.prim_func
    def main(A: T.Tensor((M, N), "int8"), B: T.Tensor((N, M), "int8")):
        with T.Kernel(N // tile, M // tile, threads=256) as (bx, by):
            S = T.alloc_shared((tile, tile), "int8")
            tx = T.get_thread_binding(0)
            for r in T.serial(tile // rows):
                S[r * rows + tx // tile, tx % tile] = A[
                    by * tile + r * rows + tx // tile, bx * tile + tx % tile
                ]
            T.sync_threads()
            for r in T.serial(tile // rows):
                B[bx * tile + r * rows + tx // tile, by * tile + tx % tile] = S[
                    tx % tile, r * rows + tx // tile
                ]

    return main


def ref_program(A):
    return A.T
