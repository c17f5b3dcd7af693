# /// workbench
# kernel = "matmul"
#
# [[case]]
# name = "square"
# args = { M = 256, N = 256, K = 256 }
# targets = ["cpu"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "flat"
# args = { M = 64, N = 320, K = 96, block_M = 32, block_N = 64, block_K = 32 }
# targets = ["cpu"]
# flops = "2 * M * N * K"
# ///
"""C = A B in TileLang's CPU dialect: plain C that the host compiler vectorises.

    kernel = matmul(256, 256, 256)
    C = kernel(A, B)  # both float32 in main memory

Hardware assumptions: three tiles fit the L1 data cache (3 x 64 x 64 x 4 B = 48 KiB).
Performance on a device: not measured yet.
"""

import tilelang
import tilelang.cpu.language as T


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def matmul(M, N, K, block_M=64, block_N=64, block_K=64, dtype="float32"):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # The grid becomes the outer loops; this dialect has neither threads nor shared memory.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M)) as (bx, by):
            A_local = T.alloc_local((block_M, block_K), dtype)
            B_local = T.alloc_local((block_K, block_N), dtype)
            C_local = T.alloc_local((block_M, block_N), dtype)

            T.clear(C_local)
            for ko in T.serial(T.ceildiv(K, block_K)):
                T.copy(A[by * block_M, ko * block_K], A_local)
                T.copy(B[ko * block_K, bx * block_N], B_local)
                # j innermost: B and C are walked along their rows, which the compiler vectorises.
                for i, k, j in T.grid(block_M, block_K, block_N):
                    C_local[i, j] += A_local[i, k] * B_local[k, j]
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return A @ B
