# /// workbench
# kernel = "layernorm_f32"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""LayerNorm of fp32 rows of 2048, a row to a block of 512 threads: 16 warps share a reduction."""

import tilelang
import tilelang.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[3])
def layernorm_f32():
    M, N = 512, 2048

    @T.prim_func
    def main(
        X: T.Tensor((M, N), "float32"),
        W: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        Y: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(M, threads=512) as bx:
            row = T.alloc_shared((1, N), "float32")
            x = T.alloc_fragment((1, N), "float32")
            squared = T.alloc_fragment((1, N), "float32")
            mean = T.alloc_fragment((1,), "float32")
            variance = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], row)
            T.copy(row, x)
            T.reduce_sum(x, mean, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] - mean[i] / N
                squared[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squared, variance, dim=1)
            for i, j in T.Parallel(1, N):
                Y[bx + i, j] = x[i, j] * T.rsqrt(variance[i] / N + 1e-5) * W[j] + B[j]

    return main


def ref_program(X, W, B):
    return F.layer_norm(X, X.shape[1:], W, B, 1e-5)
