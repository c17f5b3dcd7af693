# /// workbench
# kernel = "flash_attention_backward"
#
# [pattern]
# id = "flash-attention-backward"
# version = 2
# targets = ["a100"]
# goal = "throughput"
# tiles = { block_M = 64, block_N = 128, threads = 256 }
# pipeline = { schedule = "compiler", num_stages = 1 }
# text = "5dace6b4ba3c4771"
#
# [pattern.requirements]
# batch = 8
# heads = 16
# kv_heads = 4
# seq_len = 4096
# dim = 128
# dtype = "float16"
# causal = false
#
# [[case]]
# name = "tails"
# args = { batch = 1, heads = 4, kv_heads = 2, seq_len = 152, dim = 128 }
# targets = ["a100"]
# rtol = 0.01
# atol = 0.005
# flops = "10 * batch * heads * seq_len * seq_len * dim"
#
# [[case]]
# name = "whole-tiles"
# args = { batch = 2, heads = 4, kv_heads = 2, seq_len = 256, dim = 128 }
# targets = ["a100"]
# rtol = 0.01
# atol = 0.005
# flops = "10 * batch * heads * seq_len * seq_len * dim"
#
# [[case]]
# name = "b8-h16-s4096-d128"
# args = { batch = 8, heads = 16, kv_heads = 4, seq_len = 4096, dim = 128 }
# targets = ["a100"]
# rtol = 0.01
# atol = 0.005
# flops = "10 * batch * heads * seq_len * seq_len * dim"
# ///
"""dQ, dK and dV of grouped-query attention in fp16 with fp32 sums.

    kernel = flash_attention_backward(8, 16, 4, 4096, 128)
    # LogSums: (batch, heads, seq_len), natural logarithms of the sums of the weights
    dQ, dK, dV = kernel(Q, K, V, Out, dOut, LogSums)

Hardware assumptions: tensor cores with mma.sync (A100 or newer); 112 KiB of shared memory and 256
threads a block; dQ is added to by atomic operations of L2.
Block sizes: 128 keys a block make 1024 blocks. dK and dV of 128 × 128 take 128 registers of each of
256 threads, which leaves room for scores of 128 × 64: five products a step for two tiles of 16 KiB.
Results: the order in which blocks add to dQ differs from run to run, and with it its last bits.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(
    out_idx=[-3, -2, -1],
    # exp2 becomes the one instruction of the special-function units.
    pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True},
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
    num_stages=1,
    dtype="float16",
):
    group = heads // kv_heads
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
        dQ_sums = T.alloc_global((batch, padded, heads, dim), "float32")

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
            # The blocks of the next kernel add to this.
            T.clear(gradient)
            T.copy(gradient, dQ_sums[bz, row : row + block_M, by, :])

        # A block keeps dK and dV of its keys and goes through the queries. Heads run fastest:
        # blocks that run together add to dQ of different heads.
        with T.Kernel(kv_heads, tiles, batch, threads=threads) as (by, bx, bz):
            K_shared = T.alloc_shared((block_N, dim), dtype)
            V_shared = T.alloc_shared((block_N, dim), dtype)
            Q_shared = T.alloc_shared((block_M, dim), dtype)
            dOut_shared = T.alloc_shared((block_M, dim), dtype)
            log_sums = T.alloc_shared((block_M,), "float32")
            deltas = T.alloc_shared((block_M,), "float32")
            dScores_shared = T.alloc_shared((block_N, block_M), dtype)
            # Transposed, with a row for each key: as they lie they are first operands of the
            # products that give dV and dK.
            weights = T.alloc_fragment((block_N, block_M), "float32")
            weights_cast = T.alloc_fragment((block_N, block_M), dtype)
            dScores = T.alloc_fragment((block_N, block_M), "float32")
            dScores_cast = T.alloc_fragment((block_N, block_M), dtype)
            dq = T.alloc_fragment((block_M, dim), "float32")
            dk = T.alloc_fragment((block_N, dim), "float32")
            dv = T.alloc_fragment((block_N, dim), "float32")

            key = bx * block_N
            T.copy(K[bz, key : key + block_N, by, :], K_shared)
            T.copy(V[bz, key : key + block_N, by, :], V_shared)
            T.clear(dk)
            T.clear(dv)
            steps = T.ceildiv(seq_len, block_M)
            # One stage: queries and gradients are copied, then multiplied.
            for k in T.Pipelined(group * steps, num_stages=num_stages):
                head = by * group + k // steps
                query = (k % steps) * block_M
                T.copy(Q[bz, query : query + block_M, head, :], Q_shared)
                T.gemm(
                    K_shared,
                    Q_shared,
                    weights,
                    transpose_B=True,
                    policy=T.GemmWarpPolicy.FullRow,
                    clear_accum=True,
                )
                T.copy(dOut[bz, query : query + block_M, head, :], dOut_shared)
                T.gemm(
                    V_shared,
                    dOut_shared,
                    dScores,
                    transpose_B=True,
                    policy=T.GemmWarpPolicy.FullRow,
                    clear_accum=True,
                )
                T.copy(LogSums[bz, head, query : query + block_M], log_sums)
                T.copy(Deltas[bz, head, query : query + block_M], deltas)
                # The weights of the forward pass, from the sums that it kept.
                for i, j in T.Parallel(block_N, block_M):
                    weights[i, j] = T.exp2(weights[i, j] * scale * log2_e - log_sums[j] * log2_e)
                T.copy(weights, weights_cast)
                T.gemm(weights_cast, dOut_shared, dv, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_N, block_M):
                    dScores[i, j] = weights[i, j] * (dScores[i, j] - deltas[j])
                T.copy(dScores, dScores_cast)
                T.gemm(dScores_cast, Q_shared, dk, policy=T.GemmWarpPolicy.FullRow)
                # For dQ the keys are summed over: through shared memory all warps see all of them.
                T.copy(dScores_cast, dScores_shared)
                T.gemm(dScores_shared, K_shared, dq, transpose_A=True, clear_accum=True)
                # Other blocks have other keys of the same queries.
                for i, j in T.Parallel(block_M, dim):
                    T.atomic_add(dQ_sums[bz, query + i, head, j], dq[i, j])

            for i, j in T.Parallel(block_N, dim):
                dk[i, j] *= scale
            # Through shared memory rows leave whole, in the place of the tiles of keys and values.
            T.copy(dv, V_shared)
            T.copy(V_shared, dV[bz, key : key + block_N, by, :])
            T.copy(dk, K_shared)
            T.copy(K_shared, dK[bz, key : key + block_N, by, :])

        with T.Kernel(padded // block_M, heads, batch, threads=128) as (bx, by, bz):
            sums = T.alloc_fragment((block_M, dim), "float32")

            row = bx * block_M
            T.copy(dQ_sums[bz, row : row + block_M, by, :], sums)
            for i, j in T.Parallel(block_M, dim):
                sums[i, j] *= scale
            T.copy(sums, dQ[bz, row : row + block_M, by, :])

    return main


def scores_of(Q, K):
    # (heads, queries, keys) of one sequence
    q, k = Q.transpose(0, 1), K.transpose(0, 1)
    k = k.repeat_interleave(q.shape[0] // k.shape[0], dim=0)
    return q @ k.transpose(1, 2) * q.shape[-1] ** -0.5


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
        values = v.transpose(0, 1).repeat_interleave(q.shape[1] // v.shape[1], dim=0)
        Out.append((scores.softmax(-1) @ values).transpose(0, 1))
    return Q, K, V, torch.stack(Out).to(torch.float16), dOut, torch.stack(LogSums)


def ref_program(Q, K, V, Out, dOut, LogSums):
    gradients = []
    for q, k, v, g in zip(Q.float(), K.float(), V.float(), dOut.float(), strict=True):
        with torch.enable_grad():
            q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
            values = v.transpose(0, 1).repeat_interleave(q.shape[1] // v.shape[1], dim=0)
            out = (scores_of(q, k).softmax(-1) @ values).transpose(0, 1)
            gradients.append(torch.autograd.grad(out, (q, k, v), g))
    return tuple(torch.stack(each).to(torch.float16) for each in zip(*gradients, strict=True))
