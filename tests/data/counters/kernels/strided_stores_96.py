# /// workbench
# kernel = "strided_stores_96"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""96 threads store with a stride of 5 words and load with every seventh lane masked."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def strided_stores_96():
    M, N = 256, 480

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=96) as bx:
            S = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(5):
                S[tx * 5 + r] = X[bx, r * 96 + tx]
            T.sync_threads()
            for r in T.serial(5):
                if (r * 96 + tx) % 7 != 0:
                    Y[bx, r * 96 + tx] = S[r * 96 + tx]
                else:
                    Y[bx, r * 96 + tx] = 0.0

    return main


def ref_program(X):
    wanted = X.reshape(-1, 5, 96).transpose(1, 2).reshape(X.shape).clone()
    wanted[:, ::7] = 0
    return wanted
