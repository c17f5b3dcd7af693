# /// workbench
# kernel = "gemm_persistent_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""Persistent fp16 GEMM: 132 blocks over 256 tiles (T.Persistent), TMA and wgmma."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def gemm_persistent_sm90():
    M, N, K = 1024, 2048, 256
    block_M, block_N, block_K = 128, 64, 64
    blocks = 132

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(blocks, threads=128) as block:
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            for by, bx in T.Persistent([M // block_M, N // block_N], blocks, block):
                T.clear(C_local)
                for k in T.Pipelined(K // block_K, num_stages=3):
                    T.copy(A[by * block_M, k * block_K], A_shared)
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                    T.gemm(A_shared, B_shared, C_local)
                T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return A @ B
