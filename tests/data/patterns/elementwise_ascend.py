# /// workbench
# kernel = "gelu"
#
# [pattern]
# id = "elementwise"
# version = 2
# targets = ["ascend950pr"]
# goal = "throughput"
# requirements = { M = 512, N = 1024, op = "gelu", dtype = "bfloat16" }
# tiles = { block_M = 4, block_N = 1024, threads = 256 }
# text = "7e7407db6382879c"
#
# [[case]]
# name = "flat"
# args = { M = 4, N = 3072 }
# targets = ["ascend950pr"]
#
# [[case]]
# name = "tall"
# args = { M = 20, N = 1024 }
# targets = ["ascend950pr"]
#
# [[case]]
# name = "512x1024"
# args = { M = 512, N = 1024 }
# targets = ["ascend950pr"]
# ///
"""C = A Φ(A), element by element, computed in float32.

    kernel = gelu(512, 1024)
    kernel(A, C)  # (M, N) bfloat16

Hardware assumptions: vector cores; 24 KiB of their unified buffer.
Block sizes: 4 × 1024 elements a block make 128 blocks at 512 × 1024.
Performance: not measured.
"""

import tilelang
import tilelang.ascend.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(target="ascend")
def gelu(M, N, block_M=4, block_N=1024, threads=256, dtype="bfloat16"):
    columns = N // block_N

    @T.prim_func
    def main(
        A: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # Ascend's grid has one dimension: a tile's number gives its row and column.
        with T.Kernel((M // block_M) * columns) as bx:
            # Tiles lie in the unified buffer of a vector core.
            A_local = T.alloc_shared((block_M, block_N), dtype)
            A_wide = T.alloc_shared((block_M, block_N), "float32")

            row = bx // columns * block_M
            column = bx % columns * block_N
            T.copy(A[row : row + block_M, column : column + block_N], A_local)
            with T.SimtVF(threads=threads):
                for i, j in T.Parallel(block_M, block_N):
                    A_wide[i, j] = A_local[i, j]
                    # The result takes the place of A.
                    A_local[i, j] = A_wide[i, j] * 0.5 * (1 + T.erf(A_wide[i, j] * 0.70710678))
            T.copy(A_local, C[row : row + block_M, column : column + block_N])

    return main


def ref_program(A):
    a = A.float()
    return (F.gelu(a)).to(torch.bfloat16)
