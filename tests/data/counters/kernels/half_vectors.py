# /// workbench
# kernel = "half_vectors"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""fp16 in vectors of 4 and of 2, with strides of two and four vectors between lanes."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def half_vectors():
    M, N = 512, 1024

    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(M // 2, threads=128) as bx:
            S = T.alloc_shared((2, N), "float16")
            tx = T.get_thread_binding(0)
            for r in T.serial(2):
                for c in T.serial(2):
                    for v in T.vectorized(4):
                        S[r, (tx * 2 + c) * 4 + v] = X[bx * 2 + r, (tx * 2 + c) * 4 + v]
            T.sync_threads()
            for r in T.serial(2):
                for c in T.serial(4):
                    for v in T.vectorized(2):
                        Y[bx * 2 + r, (c * 128 + tx) * 2 + v] = S[r, (tx * 4 + c) * 2 + v]

    return main


def ref_program(X):
    return X.reshape(-1, 128, 4, 2).transpose(1, 2).reshape(X.shape)
