# /// workbench
# kernel = "gemm_bias_epilogue_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""fp16 GEMM with bias and ReLU, 1 stage, no warp specialisation: cp.async, stmatrix."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3], pass_configs={tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED: True})
def gemm_bias_epilogue_sm90():
    M = N = K = 512
    block_M, block_N, block_K = 128, 128, 64

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(N // block_N, M // block_M, threads=256) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            C_shared = T.alloc_shared((block_M, block_N), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(K // block_K, num_stages=1):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = T.max(C_local[i, j] + bias[bx * block_N + j], 0)
            T.copy(C_local, C_shared)
            T.copy(C_shared, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B, bias):
    return (A @ B + bias).relu()
