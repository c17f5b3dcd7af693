# /// workbench
# kernel = "matmul"
#
# [[case]]
# name = "square"
# args = { M = 1024, N = 1024, K = 512 }
# targets = ["ascend910b"]
# ///
"""C = A Bᵀ on the cube cores, written out by the vector cores."""

import tilelang
import tilelang.ascend.language as T


@tilelang.jit(target="ascend")
def matmul(M, N, K, block=128, block_K=64, stages=2):
    columns = N // block

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "bfloat16"),
        B: T.Tensor((N, K), "bfloat16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block) * columns) as bx:
            a = T.alloc_l1((block, block_K), "bfloat16")
            b = T.alloc_l1((block, block_K), "bfloat16")
            product = T.alloc_l0c((block, block), "float32")
            half = T.alloc_shared((block // 2, block), "float32")
            row = bx // columns * block
            column = bx % columns * block
            for k in T.Pipelined(K // block_K, num_stages=stages):
                T.copy(A[row, k * block_K], a)
                T.copy(B[column, k * block_K], b)
                T.gemm(a, b, product, transpose_B=True, clear_accum=(k == 0))
            T.dual_copy(product, half)
            T.dual_copy(half, C[row : row + block, column : column + block])

    return main
