# /// workbench
# kernel = "rms_norm"
#
# [pattern]
# id = "norm"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# text = "7d5cab49d12d6a65"
#
# [pattern.requirements]
# M = 16384
# N = 8192
# dtype = "float16"
# kind = "rms"
# residual = false
# eps = 1e-06
#
# [pattern.tiles]
# block_M = 1
# block_N = 8192
# threads = 512
# min_blocks = 4
# one_barrier = true
# bulk_row = true
#
# [[case]]
# name = "tails"
# args = { M = 3, N = 8168 }
# targets = ["h200"]
# baseline = "torch_rms_norm"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 4, N = 8192 }
# targets = ["h200"]
# baseline = "torch_rms_norm"
#
# [[case]]
# name = "16384x8192"
# args = { M = 16384, N = 8192 }
# targets = ["h200"]
# baseline = "torch_rms_norm"
# ///
"""Y = RMSNorm(X) over rows, with weight.

    kernel = rms_norm(16384, 8192)
    Y = kernel(X, Weight)  # (M, N) and (N,), float16

Hardware assumptions: a row fits shared memory (16 KiB) and the registers of one block. Bound by
memory: 4 bytes move for each element, each of them once.
Block sizes: 1 × 8192 a block are 16 values in fp16 for each of 512 threads.
Performance: 126 µs on an NVIDIA H200, 4,265 GB/s, 100 % of a copy at 4,248 GB/s; measured on
2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F

EPS = 1e-06
# TileLang has tl::tma_load of one dimension without a hint to L2 only (0.1.15): this is the other.
BULK_COPY = """
#include <tl_templates/cuda/copy_sm90.h>

namespace tl {
template <CacheHintSm90 hint, typename BarrierType>
TL_DEVICE void tma_load(void *to, const void *from, BarrierType &barrier, uint32_t bytes) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(smem_ptr_to_uint(to)),
      "l"(from), "r"(bytes), "r"(smem_ptr_to_uint(&barrier)), "l"(hint)
      : "memory");
}
}  // namespace tl
"""


@tilelang.jit(out_idx=[-1])
def rms_norm(
    M,
    N,
    block_N=8192,
    threads=512,
    min_blocks=4,
    eps=EPS,
    dtype="float16",
):
    vector, warps = 8, threads // 32
    runs = block_N // (threads * vector)

    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        Weight: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(M, threads=threads) as bx:
            T.annotate_min_blocks_per_sm(min_blocks)
            T.import_source(BULK_COPY)
            row = T.alloc_shared((N,), dtype)
            here = T.alloc_barrier([threads])
            # A row stays in registers as it was read: a thread has 16 bytes of each run.
            x = T.alloc_fragment((runs, warps, 32, vector), dtype)
            squares = T.alloc_fragment((warps, 32), "float32")
            squares_of_warp = T.alloc_fragment((warps,), "float32")
            of_warps = T.alloc_shared((1, warps), "float32")
            total = T.alloc_local((1,), "float32")

            # L2 keeps what was read rather than what is written: results leave while rows arrive.
            T.tma_copy(X[bx, 0:N], row, barrier=here[0], eviction_policy="evict_last")
            T.barrier_arrive(here[0])
            T.barrier_wait(here[0], 0)
            for r, p, t, v in T.Parallel(runs, warps, 32, vector):
                column = ((r * warps + p) * 32 + t) * vector + v
                x[r, p, t, v] = T.if_then_else(column < N, row[column], 0)
            T.clear(squares)
            for r in T.unroll(runs):
                for v in T.unroll(vector):
                    for p, t in T.Parallel(warps, 32):
                        value = T.cast(x[r, p, t, v], "float32")
                        squares[p, t] += value * value
            # Warps add up by shuffles, and every thread adds the warps: one barrier a row.
            T.reduce_sum(squares, squares_of_warp, dim=1)
            for p in T.Parallel(warps):
                of_warps[0, p] = squares_of_warp[p]
            T.clear(total)
            for p in T.unroll(warps):
                total[0] += of_warps[0, p]
            # eps keeps a row of zeros from dividing by zero.
            scale = T.rsqrt(total[0] / N + eps)
            for r, p, t, v in T.Parallel(runs, warps, 32, vector):
                column = ((r * warps + p) * 32 + t) * vector + v
                if column < N:
                    value = T.cast(x[r, p, t, v], "float32")
                    Y[bx, column] = value * scale * Weight[column]

    return main


def ref_program(X, Weight):
    Y = F.rms_norm(X.float(), Weight.shape, Weight.float(), EPS)
    return Y.to(torch.float16)


def torch_rms_norm(X, Weight):
    return F.rms_norm(X, Weight.shape, Weight, EPS)
