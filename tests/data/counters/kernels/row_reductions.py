# /// workbench
# kernel = "row_reductions"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""Sum and largest magnitude of fp16 rows, 8 warps to a row: the reductions' shared workspace."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1, 2])
def row_reductions():
    M, N = 1024, 2048
    rows = 4

    @T.prim_func
    def main(
        X: T.Tensor((M, N), "float16"),
        Total: T.Tensor((M,), "float32"),
        Largest: T.Tensor((M,), "float32"),
    ):
        with T.Kernel(M // rows, threads=256) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            total = T.alloc_fragment((rows,), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.reduce_sum(x, total, dim=1)
            T.reduce_absmax(x, largest, dim=1)
            T.copy(total, Total[bx * rows])
            T.copy(largest, Largest[bx * rows])

    return main


def ref_program(X):
    x = X.float()
    return x.sum(1), x.abs().amax(1)
