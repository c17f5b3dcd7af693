# /// workbench
# kernel = "softmax"
#
# [pattern]
# id = "softmax"
# version = 1
# targets = ["ascend950pr"]
# goal = "throughput"
# requirements = { M = 512, N = 2048, dtype = "float16" }
# tiles = { block_M = 4, block_N = 8192, threads = 256, form = "whole" }
# text = "ffcf16c36ed533f2"
#
# [[case]]
# name = "flat"
# args = { M = 4, N = 1024 }
# targets = ["ascend950pr"]
#
# [[case]]
# name = "tall"
# args = { M = 24, N = 256 }
# targets = ["ascend950pr"]
#
# [[case]]
# name = "512x2048"
# args = { M = 512, N = 2048 }
# targets = ["ascend950pr"]
# ///
"""Softmax over the rows of a matrix, each row read once.

    kernel = softmax(512, 2048)
    kernel(X, Y)  # X: (M, N) float16

Hardware assumptions: vector cores, whose unified buffer holds whole rows.
Block sizes: rows are independent of each other.
Performance: not measured.
"""

import tilelang
import tilelang.ascend.language as T
import torch


@tilelang.jit(target="ascend")
def softmax(M, N, block_M=4, threads=256, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        # Ascend's grid has one dimension: a block of rows for each of its places.
        with T.Kernel(M // block_M) as bx:
            # Whole rows lie in the unified buffer of a vector core: X is read once.
            x_local = T.alloc_shared((block_M, N), dtype)
            x = T.alloc_shared((block_M, N), "float32")
            maximum = T.alloc_shared((block_M,), "float32")
            total = T.alloc_shared((block_M,), "float32")

            T.copy(X[bx * block_M : (bx + 1) * block_M, 0:N], x_local)
            with T.SimtVF(threads=threads):
                for i, j in T.Parallel(block_M, N):
                    x[i, j] = x_local[i, j]
                # Relative to its maximum no value of a row overflows.
                T.reduce_max(x, maximum, dim=1)
                for i, j in T.Parallel(block_M, N):
                    x[i, j] = T.exp(x[i, j] - maximum[i])
                T.reduce_sum(x, total, dim=1)
                for i, j in T.Parallel(block_M, N):
                    x_local[i, j] = x[i, j] / total[i]
            T.copy(x_local, Y[bx * block_M : (bx + 1) * block_M, 0:N])

    return main


def ref_program(X):
    return X.float().softmax(dim=-1).to(torch.float16)
