# /// workbench
# kernel = "rms_norm"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = { M = 1001, N = 1024, block_M = 4 }
# targets = ["h200"]
# ///
"""RMSNorm of fp16 rows, 4 rows to a block and a last block with 1 row."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def rms_norm(M, N, block_M=1, threads=128, eps=1e-6, dtype="float16"):
    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        W: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            squared = T.alloc_fragment((block_M, N), "float32")
            scale = T.alloc_fragment((block_M,), "float32")

            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                squared[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squared, scale, dim=1)
            # eps keeps a row of zeros from dividing by zero.
            for i in T.Parallel(block_M):
                scale[i] = T.rsqrt(scale[i] / N + eps)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] * scale[i] * T.cast(W[j], "float32")
            T.copy(x, Y[bx * block_M, 0])

    return main


def ref_program(X, W):
    x = X.float()
    return (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * W.float()).to(X.dtype)
