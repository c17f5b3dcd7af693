# /// workbench
# kernel = "transpose"
#
# [[case]]
# name = "square"
# args = { M = 512, N = 512 }
# targets = ["h100", "a100", "rtx4090", "mi300x"]
# ///
"""A transpose by square tiles in shared memory, whose columns lie in one bank."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(M, N, tile=32, threads=256):
    lines = threads // tile  # that a block moves at once

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((N, M), "float32")):
        with T.Kernel(N // tile, M // tile, threads=threads) as (bx, by):
            held = T.alloc_shared((tile, tile), "float32")
            thread = T.get_thread_binding(0)
            line, place = thread // tile, thread % tile
            for turn in T.serial(tile // lines):
                held[turn * lines + line, place] = X[
                    by * tile + turn * lines + line, bx * tile + place
                ]
            T.sync_threads()
            for turn in T.serial(tile // lines):
                Y[bx * tile + turn * lines + line, by * tile + place] = held[
                    place, turn * lines + line
                ]

    return main


def ref_program(X):
    return X.T.contiguous()
