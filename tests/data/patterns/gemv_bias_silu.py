# /// workbench
# kernel = "gemv"
#
# [pattern]
# id = "gemv"
# version = 1
# targets = ["mi300x", "a100"]
# goal = "throughput"
# requirements = { N = 1000, K = 3000, dtype = "bfloat16" }
# tiles = { block_N = 1, block_K = 2048, threads = 256 }
# epilogue = { bias = true, activation = "silu" }
# text = "d58a85383d9246ac"
#
# [[case]]
# name = "tails"
# args = { N = 3, K = 2088 }
# targets = ["mi300x", "a100"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
#
# [[case]]
# name = "whole-tiles"
# args = { N = 3, K = 4096 }
# targets = ["mi300x", "a100"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
#
# [[case]]
# name = "1000x3000"
# args = { N = 1000, K = 3000 }
# targets = ["mi300x", "a100"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
# ///
"""y = SiLU(W x + bias), a matrix with one vector.

    kernel = gemv(1000, 3000)
    y = kernel(x, W, Bias)  # x: (K,), W: (N, K), bfloat16

Hardware assumptions: none. Bound by memory: each weight is read once, for two FLOP.
Block sizes: 1 rows a block make 1000 blocks at N = 1000, 3.3 for each multiprocessor of MI300X; a
turn reads 16 bytes a thread.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F


@tilelang.jit(out_idx=[-1])
def gemv(
    N,
    K,
    block_N=1,
    block_K=2048,
    threads=256,
    dtype="bfloat16",
):
    @T.prim_func
    def main(
        x: T.Tensor((K,), dtype),
        W: T.Tensor((N, K), dtype),
        Bias: T.Tensor((N,), dtype),
        y: T.Tensor((N,), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            # A product with one vector uses each weight once: tiles go through registers, and the
            # matrix units would wait for memory all the same.
            weights = T.alloc_fragment((block_N, block_K), dtype)
            products = T.alloc_fragment((block_N, block_K), "float32")
            result = T.alloc_fragment((block_N,), "float32")

            T.clear(products)
            for k in T.serial(T.ceildiv(K, block_K)):
                T.copy(W[bx * block_N, k * block_K], weights)
                for i, j in T.Parallel(block_N, block_K):
                    # Each thread adds up its own columns: threads meet only once, at the end.
                    products[i, j] += T.cast(weights[i, j], "float32") * T.cast(
                        x[k * block_K + j], "float32"
                    )
            T.reduce_sum(products, result, dim=1)
            for i in T.Parallel(block_N):
                result[i] += Bias[bx * block_N + i]
            for i in T.Parallel(block_N):
                result[i] = result[i] * T.sigmoid(result[i])
            T.copy(result, y[bx * block_N])

    return main


def ref_program(x, W, Bias):
    y = W.float() @ x.float()
    y = y + Bias.float()
    y = F.silu(y)
    return y.to(torch.bfloat16)


def torch_gemv(x, W, Bias):
    y = torch.addmv(Bias, W, x)
    return F.silu(y)
