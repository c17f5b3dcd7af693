# /// workbench
# kernel = "gather_shared"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""Look-up of a table in shared memory by index: load addresses that the data decides."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[2])
def gather_shared():
    G, N, size = 128, 1024, 512

    @T.prim_func
    def main(
        table: T.Tensor((G, size), "float32"),
        index: T.Tensor((G, N), "int32"),
        Y: T.Tensor((G, N), "float32"),
    ):
        with T.Kernel(G, threads=128) as bx:
            S = T.alloc_shared((size,), "float32")
            tx = T.get_thread_binding(0)
            for r in T.serial(size // 128):
                S[r * 128 + tx] = table[bx, r * 128 + tx]
            T.sync_threads()
            for r in T.serial(N // 128):
                Y[bx, r * 128 + tx] = S[index[bx, r * 128 + tx]]

    return main


def make_inputs():
    return torch.randn(128, 512), torch.randint(0, 512, (128, 1024), dtype=torch.int32)


def ref_program(table, index):
    return torch.gather(table, 1, index.long())
