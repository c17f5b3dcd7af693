# /// workbench
# kernel = "cumsum_rows"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-4
# atol = 1e-4
# ///
"""Running sums of fp32 rows in shared memory (T.cumsum along the last dimension)."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def cumsum_rows():
    M, N = 512, 256
    rows = 8

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M // rows, threads=256) as bx:
            tile = T.alloc_shared((rows, N), "float32")
            T.copy(X[bx * rows, 0], tile)
            T.cumsum(src=tile, dim=1)
            T.copy(tile, Y[bx * rows, 0])

    return main


def ref_program(X):
    return X.cumsum(1)
