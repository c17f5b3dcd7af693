# /// workbench
# kernel = "gemm_tn_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""fp16 GEMM with transposed A, TMA and wgmma, 128x256x32, 2 stages, 256 threads."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def gemm_tn_sm90():
    M, N, K = 512, 1024, 512
    block_M, block_N, block_K = 128, 256, 32

    @T.prim_func
    def main(
        A: T.Tensor((K, M), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
            A_shared = T.alloc_shared((block_K, block_M), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[k * block_K, by * block_M], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return A.T @ B
