# /// workbench
# kernel = "elementwise_ragged"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# ///
"""fp32 multiply-add with partial tiles in both dimensions, one operand through shared memory."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def elementwise_ragged():
    M, N = 500, 1000
    block_M, block_N = 16, 256

    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float32"),
        B: T.Tensor((M, N), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_N), "float32")
            b = T.alloc_fragment((block_M, block_N), "float32")
            T.copy(A[by * block_M, bx * block_N], a)
            T.copy(B[by * block_M, bx * block_N], b)
            for i, j in T.Parallel(block_M, block_N):
                b[i, j] = a[i, j] * b[i, j] + 1.0
            T.copy(b, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return A * B + 1
