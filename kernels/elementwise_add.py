# /// workbench
# kernel = "add"
#
# [[case]]
# name = "tail"
# args = { M = 1000, N = 1001 }
# targets = ["h100", "a100", "mi300x"]
#
# [[case]]
# name = "aligned"
# args = { M = 4096, N = 4096, block_M = 32, block_N = 256 }
# targets = ["h100", "a100", "mi300x"]
# ///
"""C = A + B, with a shape that no tile divides.

    kernel = add(1000, 1001)
    C = kernel(A, B)  # both (M, N) float32 on the GPU

Hardware assumptions: none. Bound by memory: 12 bytes move for each addition.
Performance on a device: not measured yet.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def add(M, N, block_M=32, block_N=128, threads=128, dtype="float32"):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), dtype),
        B: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        # Rounding up gives the last row and column of blocks a partial tile.
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            # Nothing is used twice, so the values go straight through registers. TileLang guards
            # the accesses beyond M and N, and vectorises those where N lets it.
            for i, j in T.Parallel(block_M, block_N):
                C[by * block_M + i, bx * block_N + j] = (
                    A[by * block_M + i, bx * block_N + j] + B[by * block_M + i, bx * block_N + j]
                )

    return main


def ref_program(A, B):
    return A + B
