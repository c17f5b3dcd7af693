# /// workbench
# kernel = "transpose_f16_padded"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""Transpose of fp16 through a 64x66 tile: the pad is one 4-byte word a row."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def transpose_f16_padded():
    M, N = 512, 512
    tile, rows = 64, 4

    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((N, M), "float16")):
        with T.Kernel(N // tile, M // tile, threads=256) as (bx, by):
            S = T.alloc_shared((tile, tile + 2), "float16")
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
