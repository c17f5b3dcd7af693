# /// workbench
# kernel = "flash_attention"
#
# [[case]]
# name = "tails"
# args = { batch = 1, heads = 2, kv_heads = 2, seq_len = 152, dim = 128 }
# targets = ["h200"]
# flops = "4 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_attention"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 2, heads = 2, kv_heads = 2, seq_len = 256, dim = 128 }
# targets = ["h200"]
# flops = "4 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_attention"
#
# [[case]]
# name = "b8-h16-s4096-d128"
# args = { batch = 8, heads = 16, kv_heads = 16, seq_len = 4096, dim = 128 }
# targets = ["h200"]
# flops = "4 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_attention"
# ///
"""Out = softmax(Q Kᵀ / √dim) V, multi-head attention in fp16.

    kernel = flash_attention(8, 16, 16, 4096, 128)
    Out = kernel(Q, K, V)  # (batch, seq_len, heads, dim) float16

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 160 KiB of shared memory and 256
threads a block.
Block sizes: 128 queries a block make 4096 blocks, 31.0 waves of H200; each key and value that comes
from L2 is used for all of them (256 FLOP a byte). Scores of 128 × 128 and results of 128 × 128 take
160 registers of each of 256 threads.
Results: the weights are rounded to the operands' format before the second product, as other kernels
of attention do.
Kept for benchmarks/sweeps.py: without roles of warpgroups there are more sizes to choose from.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


@tilelang.jit(
    out_idx=[-1],
    # exp2 becomes the one instruction of the special-function units.
    pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True},
)
def flash_attention(
    batch,
    heads,
    kv_heads,
    seq_len,
    dim=128,
    block_M=128,
    block_N=128,
    threads=256,
    num_stages=2,
    dtype="float16",
):
    group = heads // kv_heads
    # exp(x) = exp2(x * log2(e)): the scale of the scores goes into the same factor.
    scale = dim**-0.5 * 1.4426950408889634

    @T.prim_func
    def main(
        Q: T.Tensor((batch, seq_len, heads, dim), dtype),
        K: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
        V: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
        Out: T.Tensor((batch, seq_len, heads, dim), dtype),
    ):
        # bx runs fastest: blocks that run together share the keys and values of a head in L2.
        with T.Kernel(T.ceildiv(seq_len, block_M), heads, batch, threads=threads) as (bx, by, bz):
            Q_shared = T.alloc_shared((block_M, dim), dtype)
            K_shared = T.alloc_shared((block_N, dim), dtype)
            V_shared = T.alloc_shared((block_N, dim), dtype)
            O_shared = T.alloc_shared((block_M, dim), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            result = T.alloc_fragment((block_M, dim), "float32")
            maximum = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            rescale = T.alloc_fragment((block_M,), "float32")
            tile_sum = T.alloc_fragment((block_M,), "float32")
            total_sum = T.alloc_fragment((block_M,), "float32")

            first = bx * block_M
            T.copy(Q[bz, first : first + block_M, by, :], Q_shared)
            T.clear(result)
            T.clear(total_sum)
            T.fill(maximum, -T.infinity("float32"))
            steps = T.ceildiv(seq_len, block_N)
            # The next keys and values are on their way while these are multiplied.
            for k in T.Pipelined(steps, num_stages=num_stages):
                T.copy(K[bz, k * block_N : (k + 1) * block_N, by // group, :], K_shared)
                T.gemm(
                    Q_shared,
                    K_shared,
                    scores,
                    transpose_B=True,
                    policy=T.GemmWarpPolicy.FullRow,
                    clear_accum=True,
                )
                if seq_len % block_N:
                    # Behind the end T.copy gives 0, which would count as a score of 0.
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(
                            k * block_N + j < seq_len, scores[i, j], -T.infinity("float32")
                        )
                T.copy(maximum, previous)
                # clear=False goes on from the maximum of the tiles before.
                T.reduce_max(scores, maximum, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    rescale[i] = T.exp2(previous[i] * scale - maximum[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - maximum[i] * scale)
                T.reduce_sum(scores, tile_sum, dim=1)
                # What was summed so far was relative to the smaller maximum.
                for i in T.Parallel(block_M):
                    total_sum[i] = total_sum[i] * rescale[i] + tile_sum[i]
                for i, j in T.Parallel(block_M, dim):
                    result[i, j] *= rescale[i]
                # The weights stay in registers: as they lie they are a first operand.
                T.copy(scores, weights)
                T.copy(V[bz, k * block_N : (k + 1) * block_N, by // group, :], V_shared)
                T.gemm(weights, V_shared, result, policy=T.GemmWarpPolicy.FullRow)

            for i, j in T.Parallel(block_M, dim):
                result[i, j] /= total_sum[i]
            # Through shared memory rows leave whole; O_shared takes the place of tiles that are
            # done by then.
            T.copy(result, O_shared)
            T.copy(O_shared, Out[bz, first : first + block_M, by, :])

    return main


def attend(Q, K, V):
    q, k, v = (x.float().transpose(0, 1).unsqueeze(0) for x in (Q, K, V))
    Out = F.scaled_dot_product_attention(q, k, v)
    return Out[0].transpose(0, 1)


def ref_program(Q, K, V):
    # One sequence at a time: the scores of all would fill a GPU's memory.
    each = [attend(*one) for one in zip(Q, K, V, strict=True)]
    return torch.stack(each).to(torch.float16)


def torch_attention(Q, K, V):
    q, k, v = (x.transpose(1, 2) for x in (Q, K, V))
    # cuDNN's kernel where there is one, else PyTorch's own.
    order = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(order, set_priority=True):
        Out = F.scaled_dot_product_attention(q, k, v)
    return Out.transpose(1, 2)
