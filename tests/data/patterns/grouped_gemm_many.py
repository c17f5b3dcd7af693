# /// workbench
# kernel = "grouped_matmul"
#
# [pattern]
# id = "grouped_gemm"
# version = 3
# targets = ["a100"]
# goal = "throughput"
# tiles = { block_M = 16, block_N = 64, block_K = 64, threads = 128, policy = "Square" }
# pipeline = { num_stages = 3, panel = 0 }
# epilogue = { staged = false }
# text = "70b7e36dfbd6a3a4"
#
# [pattern.requirements]
# tokens = 600
# experts = 64
# N = 512
# K = 256
# dtype = "float16"
# out_dtype = "float16"
# layout_B = "column"
#
# [[case]]
# name = "tails"
# args = { tokens = 45, experts = 4, N = 112, K = 80 }
# targets = ["a100"]
# flops = "2 * tokens * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { tokens = 48, experts = 3, N = 64, K = 128 }
# targets = ["a100"]
# flops = "2 * tokens * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "600x64x512x256"
# args = { tokens = 600, experts = 64, N = 512, K = 256 }
# targets = ["a100"]
# flops = "2 * tokens * N * K"
# baseline = "torch_matmul"
# ///
"""C = A W[expert], rows of A sorted by expert, each group with its own number of rows.

    kernel = grouped_matmul(600, 64, 512, 256)
    # A: (tokens, K), W: (experts, N, K), Offsets: (experts + 1,) int32, where each group begins
    C = kernel(A, W, Offsets)

Hardware assumptions: tensor cores with mma.sync (A100 or newer); 30 KiB of shared memory and 128
threads a block.
Block sizes: 16 × 64 a block: 816 blocks at most, 7.56 waves of A100.
Performance: not measured.
"""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def grouped_matmul(
    tokens,
    experts,
    N,
    K,
    block_M=16,
    block_N=64,
    block_K=64,
    threads=128,
    num_stages=3,
    dtype="float16",
    accum_dtype="float32",
    out_dtype="float16",
):
    # Each group ends with at most one partial tile: no more tiles can be needed.
    tiles = T.ceildiv(tokens, block_M) + experts
    steps = T.ceildiv(K, block_K)

    @T.prim_func
    def main(
        A: T.Tensor((tokens, K), dtype),
        W: T.Tensor((experts, N, K), dtype),
        Offsets: T.Tensor((experts + 1,), "int32"),
        C: T.Tensor((tokens, N), out_dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), tiles, threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            W_shared = T.alloc_shared((block_N, block_K), dtype)
            # A sum of K products loses bits in a short format: it is kept in float32 registers.
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            expert = T.alloc_var("int32")
            row = T.alloc_var("int32")
            end = T.alloc_var("int32")
            tile = T.alloc_var("int32")

            # Set here and not by `init`: what is set before T.use_swizzle, TileLang sets last where
            # warps of their own copy.
            expert = 0
            row = 0
            end = 0
            tile = 0
            # Groups have any number of rows: a block counts their tiles until it finds its own.
            for e in T.serial(experts):
                if tile <= by and by < tile + T.ceildiv(Offsets[e + 1] - Offsets[e], block_M):
                    expert = e
                    row = Offsets[e] + (by - tile) * block_M
                    end = Offsets[e + 1]
                tile = tile + T.ceildiv(Offsets[e + 1] - Offsets[e], block_M)

            T.clear(C_local)
            if row < end:
                # Three stages: one tile is multiplied while two are on their way from global
                # memory.
                for k in T.Pipelined(steps, num_stages=num_stages):
                    T.copy(A[row, k * block_K], A_shared)
                    T.copy(W[expert, bx * block_N, k * block_K], W_shared)
                    T.gemm(A_shared, W_shared, C_local, transpose_B=True)
                # A tile may reach into the rows of the next group: those are not this block's.
                for i, j in T.Parallel(block_M, block_N):
                    if row + i < end and bx * block_N + j < N:
                        C[row + i, bx * block_N + j] = C_local[i, j]

    return main


def make_inputs(tokens, experts, N, K):
    """Tokens sorted by expert, with an uneven share for each; the first expert gets none."""
    bounds = torch.randint(0, tokens + 1, (experts - 1,)).sort().values
    bounds[:1] = 0
    edges = torch.tensor([0]), bounds, torch.tensor([tokens])
    A = torch.randn(tokens, K).to(torch.float16)
    W = torch.randn(experts, N, K).to(torch.float16)
    return A, W, torch.cat(edges).to(torch.int32)


def ref_program(A, W, Offsets):
    C = torch.empty(A.shape[0], W.shape[1], dtype=torch.float16, device=A.device)
    for e in range(W.shape[0]):
        rows = slice(int(Offsets[e]), int(Offsets[e + 1]))
        C[rows] = (A[rows].float() @ W[e].T.float()).to(C.dtype)
    return C


def torch_matmul(A, W, Offsets):
    parts = A.split(Offsets.diff().tolist())
    return torch.cat([part @ W[e].T for e, part in enumerate(parts)])
