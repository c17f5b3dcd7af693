# /// workbench
# kernel = "copy_vectors_96"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""128-bit stores to and loads from shared memory by 96 threads, the vectors in reverse order."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy_vectors_96():
    M, N = 1024, 384

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 4, threads=96) as bx:
            S = T.alloc_shared((4, N), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                for v in T.vectorized(4):
                    S[r, tx * 4 + v] = X[bx * 4 + r, tx * 4 + v]
            T.sync_threads()
            for r in T.serial(4):
                for v in T.vectorized(4):
                    Y[bx * 4 + r, tx * 4 + v] = S[r, (95 - tx) * 4 + v]

    return main


def ref_program(X):
    return X.reshape(X.shape[0], 96, 4).flip(1).reshape(X.shape)
