# /// workbench
# kernel = "gemm_tf32_sm80"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200:sm_80"]
# rtol = 1e-2
# atol = 0.1
# ///
"""fp32 GEMM on tf32 mma.sync, 64x64x16, 2 stages."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def gemm_tf32_sm80():
    M, N, K = 256, 256, 256
    block_M, block_N, block_K = 64, 64, 16

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float32"),
        B: T.Tensor((K, N), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float32")
            B_shared = T.alloc_shared((block_K, block_N), "float32")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return A @ B
