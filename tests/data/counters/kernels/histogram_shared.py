# /// workbench
# kernel = "histogram_shared"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""Histogram of 64 bins: int32 atomics in shared memory at addresses that the data decides."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def histogram_shared():
    G, N, bins = 64, 2048, 64

    @T.prim_func
    def main(X: T.Tensor((G, N), "int32"), Y: T.Tensor((G, bins), "int32")):
        with T.Kernel(G, threads=256) as bx:
            counts = T.alloc_shared((bins,), "int32")
            tx = T.get_thread_binding(0)
            if tx < bins:
                counts[tx] = 0
            T.sync_threads()
            for r in T.serial(N // 256):
                T.atomic_add(counts[X[bx, r * 256 + tx]], 1)
            T.sync_threads()
            if tx < bins:
                Y[bx, tx] = counts[tx]

    return main


def make_inputs():
    return (torch.randint(0, 64, (64, 2048), dtype=torch.int32),)


def ref_program(X):
    return torch.stack([torch.bincount(row, minlength=64) for row in X]).int()
