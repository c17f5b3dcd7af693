# /// workbench
# kernel = "flash_attention_backward"
#
# [pattern]
# id = "flash-attention-backward"
# version = 2
# targets = ["h200"]
# goal = "throughput"
# tiles = { block_M = 64, block_N = 128, threads = 256 }
# pipeline = { schedule = "roles", num_stages = 2 }
# text = "06f8facfb0ce96ee"
#
# [pattern.requirements]
# batch = 8
# heads = 16
# kv_heads = 16
# seq_len = 4096
# dim = 128
# dtype = "float16"
# causal = true
#
# [[case]]
# name = "tails"
# args = { batch = 1, heads = 2, kv_heads = 2, seq_len = 152, dim = 128 }
# targets = ["h200"]
# rtol = 0.01
# atol = 0.005
# flops = "5 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_backward"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 2, heads = 2, kv_heads = 2, seq_len = 512, dim = 128 }
# targets = ["h200"]
# rtol = 0.01
# atol = 0.005
# flops = "5 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_backward"
#
# [[case]]
# name = "b8-h16-s4096-d128"
# args = { batch = 8, heads = 16, kv_heads = 16, seq_len = 4096, dim = 128 }
# targets = ["h200"]
# rtol = 0.01
# atol = 0.005
# flops = "5 * batch * heads * seq_len * seq_len * dim"
# baseline = "torch_backward"
# ///
"""dQ, dK and dV of causal multi-head attention in fp16 with fp32 sums.

    kernel = flash_attention_backward(8, 16, 16, 4096, 128)
    # LogSums: (batch, heads, seq_len), natural logarithms of the sums of the weights
    dQ, dK, dV = kernel(Q, K, V, Out, dOut, LogSums)

Hardware assumptions: Hopper's warpgroup products (wgmma) and TMA; 194 KiB of shared memory and 384
threads a block; TMA adds tiles of dQ in L2.
Block sizes: 128 keys a block make 4096 blocks. dK and dV of 128 × 128 take 128 registers of each of
256 threads, which leaves room for scores of 128 × 64: five products a step for two tiles of 16 KiB.
Results: the order in which blocks add to dQ differs from run to run, and with it its last bits.
Performance: 2.96 ms on an NVIDIA H200, 464 TFLOP/s, 1.65 times as fast as PyTorch's flash backend;
measured on 2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2,
random inputs.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(
    out_idx=[-3, -2, -1],
    # exp2 becomes the one instruction of the special-function units.
    pass_configs={
        tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True,
        # Those who share a place in shared memory meet at the barriers below.
        tilelang.PassConfigKey.TL_DISABLE_THREAD_STORAGE_SYNC: True,
    },
)
def flash_attention_backward(
    batch,
    heads,
    kv_heads,
    seq_len,
    dim=128,
    block_M=64,
    block_N=128,
    threads=256,
    num_stages=2,
    dtype="float16",
):
    log2_e = 1.4426950408889634
    scale = dim**-0.5
    tiles = T.ceildiv(seq_len, block_N)
    # Whole tiles of queries, so that none of those that blocks add to reaches over the end.
    padded = T.ceildiv(seq_len, block_M) * block_M

    @T.prim_func
    def main(
        Q: T.Tensor((batch, seq_len, heads, dim), dtype),
        K: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
        V: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
        Out: T.Tensor((batch, seq_len, heads, dim), dtype),
        dOut: T.Tensor((batch, seq_len, heads, dim), dtype),
        LogSums: T.Tensor((batch, heads, seq_len), "float32"),
        dQ: T.Tensor((batch, seq_len, heads, dim), dtype),
        dK: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
        dV: T.Tensor((batch, seq_len, kv_heads, dim), dtype),
    ):
        Deltas = T.alloc_global((batch, heads, padded), "float32")
        Shifts = T.alloc_global((batch, heads, padded), "float32")
        dQ_sums = T.alloc_global((batch, heads, padded, dim), "float32")

        # What the softmax takes from each gradient of a row is the same: Out · dOut.
        with T.Kernel(padded // block_M, heads, batch, threads=128) as (bx, by, bz):
            out = T.alloc_fragment((block_M, dim), "float32")
            gradient = T.alloc_fragment((block_M, dim), "float32")
            delta = T.alloc_fragment((block_M,), "float32")

            row = bx * block_M
            T.copy(Out[bz, row : row + block_M, by, :], out)
            T.copy(dOut[bz, row : row + block_M, by, :], gradient)
            for i, j in T.Parallel(block_M, dim):
                out[i, j] = out[i, j] * gradient[i, j]
            T.reduce_sum(out, delta, dim=1)
            T.copy(delta, Deltas[bz, by, row : row + block_M])
            # In base two; behind the end infinity, which makes all weights of a row 0.
            for i in T.Parallel(block_M):
                Shifts[bz, by, row + i] = T.if_then_else(
                    row + i < seq_len, LogSums[bz, by, row + i] * log2_e, T.infinity("float32")
                )
            # The blocks of the next kernel add to this.
            T.clear(gradient)
            T.copy(gradient, dQ_sums[bz, by, row : row + block_M, :])

        # A block keeps dK and dV of its keys and goes through the queries. The first keys have the
        # most queries: they start first, of all heads.
        # A warpgroup beside those that multiply copies.
        with T.Kernel(kv_heads, tiles, batch, threads=threads + 128) as (by, bx, bz):
            K_shared = T.alloc_shared((block_N, dim), dtype)
            V_shared = T.alloc_shared((block_N, dim), dtype)
            Q_shared = T.alloc_shared((num_stages, block_M, dim), dtype)
            dOut_shared = T.alloc_shared((num_stages, block_M, dim), dtype)
            shifts = T.alloc_shared((num_stages, block_M), "float32")
            deltas = T.alloc_shared((num_stages, block_M), "float32")
            # Two of them, so that warpgroups need to meet once a step only.
            dScores_shared = T.alloc_shared((2, block_N, block_M), dtype)
            dQ_shared = T.alloc_shared((block_M, dim), "float32")
            # Transposed, with a row for each key: as they lie they are first operands of the
            # products that give dV and dK.
            weights = T.alloc_fragment((block_N, block_M), "float32")
            weights_cast = T.alloc_fragment((block_N, block_M), dtype)
            dScores = T.alloc_fragment((block_N, block_M), "float32")
            dScores_cast = T.alloc_fragment((block_N, block_M), dtype)
            # Transposed, too: so its warps write to all banks of dQ_shared at once.
            dq = T.alloc_fragment((dim, block_M), "float32")
            dk = T.alloc_fragment((block_N, dim), "float32")
            dv = T.alloc_fragment((block_N, dim), "float32")
            # For each place in shared memory: its tile has come, and it may be overwritten.
            KV_here = T.alloc_barrier(32)
            Q_here = T.alloc_barrier([32] * num_stages)
            dOut_here = T.alloc_barrier([32] * num_stages)
            Q_free = T.alloc_barrier([threads] * num_stages)
            dOut_free = T.alloc_barrier([threads] * num_stages)
            dQ_here = T.alloc_barrier(threads)
            dQ_free = T.alloc_barrier(32)
            thread = T.get_thread_binding()

            key = bx * block_N
            # Queries before the first key of the tile see none of it.
            before = key // block_M
            steps = T.ceildiv(seq_len, block_M) - before
            if thread >= threads:
                # Copying takes few registers; those that multiply get the rest.
                T.set_max_nreg(24, 0)
                if thread < threads + 32:
                    T.tma_copy(K[bz, key : key + block_N, by, :], K_shared, barrier=KV_here)
                    T.tma_copy(V[bz, key : key + block_N, by, :], V_shared, barrier=KV_here)
                    T.barrier_arrive(KV_here)
                    for k in T.serial(steps):
                        stage = k % num_stages
                        turn = k // num_stages % 2
                        head = by
                        query = (k + before) * block_M
                        T.barrier_wait(Q_free[stage], 1 - turn)
                        T.tma_copy(
                            Q[bz, query : query + block_M, head, :],
                            Q_shared[stage, :, :],
                            barrier=Q_here[stage],
                        )
                        T.tma_copy(
                            Shifts[bz, head, query : query + block_M],
                            shifts[stage, :],
                            barrier=Q_here[stage],
                        )
                        T.barrier_arrive(Q_here[stage])
                        T.barrier_wait(dOut_free[stage], 1 - turn)
                        T.tma_copy(
                            dOut[bz, query : query + block_M, head, :],
                            dOut_shared[stage, :, :],
                            barrier=dOut_here[stage],
                        )
                        T.tma_copy(
                            Deltas[bz, head, query : query + block_M],
                            deltas[stage, :],
                            barrier=dOut_here[stage],
                        )
                        T.barrier_arrive(dOut_here[stage])
                elif thread < threads + 64:
                    # Another warp adds to dQ, so that nobody who multiplies waits for it.
                    for k in T.serial(steps):
                        head = by
                        query = (k + before) * block_M
                        T.barrier_wait(dQ_here, k % 2)
                        T.atomic_add(
                            dQ_sums[bz, head, query : query + block_M, :], dQ_shared, use_tma=True
                        )
                        T.barrier_arrive(dQ_free)
            else:
                T.set_max_nreg(240, 1)
                T.clear(dk)
                T.clear(dv)
                T.barrier_wait(KV_here, 0)
                for k in T.serial(steps):
                    stage = k % num_stages
                    turn = k // num_stages % 2
                    query = (k + before) * block_M
                    T.barrier_wait(Q_here[stage], turn)
                    T.wgmma_gemm(
                        K_shared,
                        Q_shared[stage, :, :],
                        weights,
                        transpose_B=True,
                        policy=T.GemmWarpPolicy.FullRow,
                        clear_accum=True,
                    )
                    T.barrier_wait(dOut_here[stage], turn)
                    T.wgmma_gemm(
                        V_shared,
                        dOut_shared[stage, :, :],
                        dScores,
                        transpose_B=True,
                        policy=T.GemmWarpPolicy.FullRow,
                        clear_accum=True,
                    )
                    # The scores are complete, the product with V goes on.
                    T.wait_wgmma(1)
                    # The weights of the forward pass, from the sums that it kept.
                    for i, j in T.Parallel(block_N, block_M):
                        weights[i, j] = T.exp2(weights[i, j] * (scale * log2_e) - shifts[stage, j])
                    # Only tiles on the diagonal have keys behind a query.
                    if query < key + block_N:
                        for i, j in T.Parallel(block_N, block_M):
                            weights[i, j] = T.if_then_else(query + j >= key + i, weights[i, j], 0)
                    T.copy(weights, weights_cast)
                    T.wgmma_gemm(
                        weights_cast,
                        dOut_shared[stage, :, :],
                        dv,
                        policy=T.GemmWarpPolicy.FullRow,
                    )
                    T.wait_wgmma(1)
                    for i, j in T.Parallel(block_N, block_M):
                        dScores[i, j] = weights[i, j] * (dScores[i, j] - deltas[stage, j])
                    T.copy(dScores, dScores_cast)
                    # For dQ the keys are summed over: through shared memory all warps see all of
                    # them, and so do the products, which read it past the caches of stores.
                    T.copy(dScores_cast, dScores_shared[k % 2, :, :])
                    T.fence_proxy_async()
                    T.sync_threads(1, threads)
                    T.wgmma_gemm(
                        K_shared,
                        dScores_shared[k % 2, :, :],
                        dq,
                        transpose_A=True,
                        policy=T.GemmWarpPolicy.FullRow,
                        clear_accum=True,
                    )
                    T.wgmma_gemm(
                        dScores_cast, Q_shared[stage, :, :], dk, policy=T.GemmWarpPolicy.FullRow
                    )
                    T.wait_wgmma(2)
                    T.barrier_arrive(dOut_free[stage])
                    T.wait_wgmma(1)
                    # Other blocks have other keys of the same queries.
                    T.barrier_wait(dQ_free, 1 - k % 2)
                    for i, j in T.Parallel(dim, block_M):
                        dQ_shared[j, i] = dq[i, j]
                    T.fence_proxy_async()
                    T.barrier_arrive(dQ_here)
                    T.wait_wgmma(0)
                    T.barrier_arrive(Q_free[stage])

                for i, j in T.Parallel(block_N, dim):
                    dk[i, j] *= scale
                # Through shared memory rows leave whole, in the place of the keys and values, which
                # the other warpgroup has read to the end by then.
                T.sync_threads(1, threads)
                T.copy(dv, V_shared)
                T.copy(dk, K_shared)
                T.fence_proxy_async()
                T.sync_threads(1, threads)
                T.copy(V_shared, dV[bz, key : key + block_N, by, :])
                T.copy(K_shared, dK[bz, key : key + block_N, by, :])

        with T.Kernel(padded // block_M, heads, batch, threads=128) as (bx, by, bz):
            sums = T.alloc_fragment((block_M, dim), "float32")

            row = bx * block_M
            T.copy(dQ_sums[bz, by, row : row + block_M, :], sums)
            for i, j in T.Parallel(block_M, dim):
                sums[i, j] *= scale
            T.copy(sums, dQ[bz, row : row + block_M, by, :])

    return main


def scores_of(Q, K):
    # (heads, queries, keys) of one sequence
    q, k = Q.transpose(0, 1), K.transpose(0, 1)
    scores = q @ k.transpose(1, 2) * q.shape[-1] ** -0.5
    behind = torch.ones_like(scores[0], dtype=torch.bool).triu(1)
    return scores.masked_fill(behind, float("-inf"))


def make_inputs(batch, heads, kv_heads, seq_len, dim):
    place = "cuda" if torch.cuda.is_available() else "cpu"
    tensors = [
        torch.randn(batch, seq_len, count, dim, device=place).to(torch.float16)
        for count in (heads, kv_heads, kv_heads, heads)
    ]
    Q, K, V, dOut = tensors
    Out, LogSums = [], []
    # One sequence at a time: the scores of all would fill a GPU's memory.
    for q, k, v in zip(Q.float(), K.float(), V.float(), strict=True):
        scores = scores_of(q, k)
        LogSums.append(scores.logsumexp(-1))
        values = v.transpose(0, 1)
        Out.append((scores.softmax(-1) @ values).transpose(0, 1))
    return Q, K, V, torch.stack(Out).to(torch.float16), dOut, torch.stack(LogSums)


def ref_program(Q, K, V, Out, dOut, LogSums):
    gradients = []
    for q, k, v, g in zip(Q.float(), K.float(), V.float(), dOut.float(), strict=True):
        with torch.enable_grad():
            q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
            values = v.transpose(0, 1)
            out = (scores_of(q, k).softmax(-1) @ values).transpose(0, 1)
            gradients.append(torch.autograd.grad(out, (q, k, v), g))
    return tuple(torch.stack(each).to(torch.float16) for each in zip(*gradients, strict=True))


def torch_backward(Q, K, V, Out, dOut, LogSums):
    # PyTorch's flash kernel for the backward pass alone.
    tensors = (x.transpose(1, 2) for x in (dOut, Q, K, V, Out))
    seed = torch.zeros((), dtype=torch.int64, device=Q.device)
    length = Q.shape[1]
    gradients = torch.ops.aten._scaled_dot_product_flash_attention_backward(
        *tensors, LogSums, None, None, length, length, 0.0, True, seed, seed
    )
    return tuple(x.transpose(1, 2) for x in gradients)
