# /// workbench
# kernel = "gemv"
#
# [pattern]
# id = "gemv"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# requirements = { N = 12288, K = 4096, dtype = "float16" }
# tiles = { block_N = 2, block_K = 2048, threads = 256 }
# epilogue = { bias = false, activation = "none" }
# text = "3997b495e85b7e8b"
#
# [[case]]
# name = "tails"
# args = { N = 5, K = 2088 }
# targets = ["h200"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
#
# [[case]]
# name = "whole-tiles"
# args = { N = 6, K = 4096 }
# targets = ["h200"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
#
# [[case]]
# name = "12288x4096"
# args = { N = 12288, K = 4096 }
# targets = ["h200"]
# flops = "2 * N * K"
# baseline = "torch_gemv"
# ///
"""y = W x, a matrix with one vector.

    kernel = gemv(12288, 4096)
    y = kernel(x, W)  # x: (K,), W: (N, K), float16

Hardware assumptions: none. Bound by memory: each weight is read once, for two FLOP.
Block sizes: 2 rows a block make 6144 blocks at N = 12288, 46.5 for each multiprocessor of H200; a
turn reads 32 bytes a thread.
Performance: 31.3 µs on an NVIDIA H200, 3.22 TFLOP/s, 1.09 times as fast as cuBLAS; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def gemv(
    N,
    K,
    block_N=2,
    block_K=2048,
    threads=256,
    dtype="float16",
):
    @T.prim_func
    def main(
        x: T.Tensor((K,), dtype),
        W: T.Tensor((N, K), dtype),
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
            T.copy(result, y[bx * block_N])

    return main


def ref_program(x, W):
    return (W.float() @ x.float()).to(torch.float16)


def torch_gemv(x, W):
    return torch.mv(W, x)
