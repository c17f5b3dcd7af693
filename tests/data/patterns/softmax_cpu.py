# /// workbench
# kernel = "softmax"
#
# [pattern]
# id = "softmax"
# version = 1
# targets = ["cpu"]
# goal = "throughput"
# requirements = { M = 64, N = 3000, dtype = "float32" }
# tiles = { block_M = 1, block_N = 1024, threads = 256, form = "whole" }
# text = "c56d8b39f8d47172"
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 1101 }
# targets = ["cpu"]
#
# [[case]]
# name = "whole-tiles"
# args = { M = 5, N = 2048 }
# targets = ["cpu"]
#
# [[case]]
# name = "64x3000"
# args = { M = 64, N = 3000 }
# targets = ["cpu"]
# ///
"""Softmax over the rows of a matrix, maximum and sum in one pass.

    kernel = softmax(64, 3000)
    Y = kernel(X)  # X: (M, N) float32

Hardware assumptions: a part of a row fits the L1 data cache.
Block sizes: rows are independent of each other.
Performance: not measured.
"""

import tilelang
import tilelang.cpu.language as T


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def softmax(M, N, block_N=1024, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        # The grid becomes the outer loop: one row a turn.
        with T.Kernel(M) as row:
            x = T.alloc_local((block_N,), dtype)
            maximum = T.alloc_local((1,), dtype)
            previous = T.alloc_local((1,), dtype)
            total = T.alloc_local((1,), dtype)

            maximum[0] = -T.infinity(dtype)
            total[0] = 0
            # Maximum and sum in one pass: the row is read twice, not thrice.
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[row, k * block_N], x)
                previous[0] = maximum[0]
                for j in T.serial(block_N):
                    # Beyond the edge T.copy gives 0, which may be above every value of the row.
                    maximum[0] = T.if_then_else(
                        k * block_N + j < N, T.max(maximum[0], x[j]), maximum[0]
                    )
                # The sum so far was relative to the smaller maximum: scale it before adding.
                total[0] = total[0] * T.exp(previous[0] - maximum[0])
                for j in T.serial(block_N):
                    total[0] += T.if_then_else(k * block_N + j < N, T.exp(x[j] - maximum[0]), 0)

            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[row, k * block_N], x)
                for j in T.serial(block_N):
                    x[j] = T.exp(x[j] - maximum[0]) / total[0]
                T.copy(x, Y[row, k * block_N])

    return main


def ref_program(X):
    return X.softmax(dim=-1)
