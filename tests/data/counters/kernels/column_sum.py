# /// workbench
# kernel = "column_sum"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-4
# atol = 1e-4
# ///
"""Sum of fp32 columns: reduction along the first dimension of a tile in shared memory."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def column_sum():
    M, N = 256, 4096
    columns = 64

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(N // columns, threads=128) as bx:
            tile = T.alloc_shared((64, columns), "float32")
            x = T.alloc_fragment((64, columns), "float32")
            part = T.alloc_fragment((columns,), "float32")
            total = T.alloc_fragment((columns,), "float32")
            T.clear(total)
            for k in T.serial(M // 64):
                T.copy(X[k * 64, bx * columns], tile)
                T.copy(tile, x)
                T.reduce_sum(x, part, dim=0)
                for j in T.Parallel(columns):
                    total[j] += part[j]
            T.copy(total, Y[bx * columns])

    return main


def ref_program(X):
    return X.sum(0)
