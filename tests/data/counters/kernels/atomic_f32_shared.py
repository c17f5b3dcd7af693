# /// workbench
# kernel = "atomic_f32_shared"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-4
# atol = 1e-4
# ///
"""fp32 shared atomics, a bin to a lane: warps meet, lanes of a warp do not."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def atomic_f32_shared():
    G, N, bins = 64, 1024, 32

    @T.prim_func
    def main(X: T.Tensor((G, N), "float32"), Y: T.Tensor((G, bins), "float32")):
        with T.Kernel(G, threads=128) as bx:
            totals = T.alloc_shared((bins,), "float32")
            tx = T.get_thread_binding(0)
            if tx < bins:
                totals[tx] = 0.0
            T.sync_threads()
            for r in T.serial(N // 128):
                T.atomic_add(totals[tx % bins], X[bx, r * 128 + tx])
            T.sync_threads()
            if tx < bins:
                Y[bx, tx] = totals[tx]

    return main


def ref_program(X):
    return X.reshape(X.shape[0], -1, 32).sum(1)
