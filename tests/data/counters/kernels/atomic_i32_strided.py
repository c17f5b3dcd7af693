# /// workbench
# kernel = "atomic_i32_strided"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""int32 shared atomics: a stride of 4 words, 12 bins shared by all lanes, and every third lane."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def atomic_i32_strided():
    G = 128

    @T.prim_func
    def main(X: T.Tensor((G, 192), "int32"), Y: T.Tensor((G, 768), "int32")):
        with T.Kernel(G, threads=192) as bx:
            S = T.alloc_shared((768,), "int32")
            tx = T.get_thread_binding(0)
            for r in T.serial(4):
                S[r * 192 + tx] = 0
            T.sync_threads()
            T.atomic_add(S[tx * 4], X[bx, tx])
            T.sync_threads()
            T.atomic_add(S[(tx * 8) % 96], X[bx, tx])
            T.sync_threads()
            if tx % 3 == 0:
                T.atomic_add(S[tx], X[bx, tx])
            T.sync_threads()
            for r in T.serial(4):
                Y[bx, r * 192 + tx] = S[r * 192 + tx]

    return main


def ref_program(X):
    total = torch.zeros(X.shape[0], 768, dtype=torch.int32)
    lanes = torch.arange(192)
    total.index_add_(1, lanes * 4, X)
    total.index_add_(1, lanes * 8 % 96, X)
    total.index_add_(1, lanes[::3], X[:, ::3])
    return total
