# /// workbench
# kernel = "strided_shared"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""fp32 loads from shared memory with strides of 2, 3, 5 and 16 words."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def strided_shared():
    M, N = 256, 2048

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, 4, 128), "float32")):
        with T.Kernel(M, threads=128) as bx:
            S = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(N // 128):
                S[r * 128 + tx] = X[bx, r * 128 + tx]
            T.sync_threads()
            Y[bx, 0, tx] = S[tx * 2]
            Y[bx, 1, tx] = S[tx * 3]
            Y[bx, 2, tx] = S[tx * 5]
            Y[bx, 3, tx] = S[tx * 16]

    return main


def ref_program(X):
    return torch.stack([X[:, : 128 * s : s] for s in (2, 3, 5, 16)], dim=1)
