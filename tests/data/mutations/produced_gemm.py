# /// workbench
# kernel = "produced_gemm"
# reference = "ref_program"
#
# [[case]]
# name = "default"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""GEMM whose second warp group copies, two tiles ahead, what the first one multiplies."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def produced_gemm():
    M, N, K = 128, 64, 192
    block_M, block_N, block_K = 64, 64, 32

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(M // block_M, threads=256) as bx:
            A_shared = T.alloc_shared((2, block_M, block_K), "float16")
            B_shared = T.alloc_shared((2, block_K, block_N), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            ready = T.alloc_barrier(arrive_count=[128, 128])
            free = T.alloc_barrier(arrive_count=[128, 128])
            with T.ws(0):
                T.clear(C_local)
            for k in T.serial(K // block_K):
                with T.ws(1):
                    T.barrier_wait(free[k % 2], (k // 2 + 1) % 2)
                    T.tma_copy(
                        A[bx * block_M : (bx + 1) * block_M, k * block_K : (k + 1) * block_K],
                        A_shared[k % 2, :, :],
                        barrier=ready[k % 2],
                    )
                    T.tma_copy(
                        B[k * block_K : (k + 1) * block_K, :],
                        B_shared[k % 2, :, :],
                        barrier=ready[k % 2],
                    )
                    T.barrier_arrive(ready[k % 2])
                with T.ws(0):
                    T.barrier_wait(ready[k % 2], (k // 2) % 2)
                    T.gemm(A_shared[k % 2, :, :], B_shared[k % 2, :, :], C_local)
                    T.barrier_arrive(free[k % 2])
            with T.ws(0):
                T.copy(C_local, C[bx * block_M, 0])

    return main


def ref_program(A, B):
    return A @ B
