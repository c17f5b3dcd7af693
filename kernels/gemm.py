# /// workbench
# kernel = "matmul"
#
# [[case]]
# name = "square"
# args = { M = 1024, N = 1024, K = 1024 }
# targets = ["h100", "a100"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "ragged"
# args = { M = 300, N = 520, K = 200, block_M = 64, block_N = 64, block_K = 32 }
# targets = ["h100", "a100"]
# flops = "2 * M * N * K"
#
# [[case]]
# name = "mi300x"
# args = { M = 1024, N = 1024, K = 1024, threads = 256, num_stages = 2 }
# targets = ["mi300x"]
# flops = "2 * M * N * K"
# ///
"""C = A B with half-precision operands, float32 accumulators and a software pipeline.

    kernel = matmul(4096, 4096, 4096)
    C = kernel(A, B)  # A: (M, K), B: (K, N), both float16 on the GPU

Hardware assumptions: tensor cores (sm_70 or newer, CDNA 3, or Metal's simdgroup matrices).
Performance on a device: not measured yet.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def matmul(
    M,
    N,
    K,
    block_M=128,
    block_N=128,
    block_K=32,
    threads=128,
    num_stages=3,
    dtype="float16",
    accum_dtype="float32",
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # bx runs fastest, so neighbouring blocks share a row of tiles of A in L2.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # TileLang swizzles shared operands of T.gemm itself: no padding is needed.
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            # A sum of K products loses bits in float16: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            T.clear(C_local)
            # Three stages: one is multiplied while two are on their way from global memory.
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                # Beyond the edge of A or B a tile is filled with zeros, which add nothing.
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)

            # Rounds to the output's dtype once; elements beyond the edge of C are not written.
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def ref_program(A, B):
    return (A.float() @ B.float()).to(A.dtype)


def torch_matmul(A, B):
    return torch.matmul(A, B)
