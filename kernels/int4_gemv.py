# /// workbench
# kernel = "int4_gemv"
#
# [pattern]
# id = "int4_gemv"
# version = 1
# targets = ["h200"]
# goal = "throughput"
# requirements = { M = 8, N = 4096, K = 12288, dtype = "float16", group = 128, zeros = false }
# tiles = { block_N = 32, threads = 512 }
# pipeline = { num_stages = 2 }
# epilogue = { bias = false }
# text = "87fd4f75c5771b89"
#
# [[case]]
# name = "tails"
# args = { M = 5, N = 48, K = 2432 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "whole-tiles"
# args = { M = 8, N = 64, K = 4096 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
#
# [[case]]
# name = "8x4096x12288"
# args = { M = 8, N = 4096, K = 12288 }
# targets = ["h200"]
# flops = "2 * M * N * K"
# baseline = "torch_matmul"
# ///
"""C = A W for up to 16 rows, weights of 4 bits with a scale to 128.

    kernel = int4_gemv(8, 4096, 12288)
    C = kernel(A, W, Scales)  # A: (M, K) float16, W: pack(...)

Hardware assumptions: mma.sync (compute capability 8.0); 18 KiB of shared memory and 512 threads a
block. Bound by memory.
Block sizes: 32 rows of W a block make 128 blocks for 132 multiprocessors of H200; each thread has
128 bytes of weights on their way.
Results: W: tiles of 16 rows and 128 columns, 4 bits a weight, in the order that `pack` gives them:
a thread's 16 bytes are weights of one row, and one `and` gets two neighbours out of a word.
Performance: 13.0 µs on an NVIDIA H200, 62.0 TFLOP/s, 2.76 times as fast as fp16 product; measured
on 2026-11-30 with TileLang 0.1.15, PyTorch 2.11.0, driver 580.159.04, CUDA 13.0, cold L2, random
inputs.
"""

import functools

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def int4_gemv(
    M,
    N,
    K,
    group=128,
    block_N=32,
    threads=512,
    num_stages=2,
    dtype="float16",
):
    warps = threads // 32
    tiles = block_N // 16  # packed tiles, 16 rows of W each, that a block has side by side
    columns = (M + 7) // 8  # groups of 8 rows of A: an mma has W on its left, these on its right
    groups = 128 // group  # in a step of 128 along K
    parts = 4 // groups  # of a step's quarters that share a scale
    steps = K // 128
    rounds = (steps + warps - 1) // warps

    def both(value):
        return T.Broadcast(T.cast(value, dtype), 2)

    @T.macro
    def load(A, W, Scales, words, a, scales, bx, lane, step, p):
        # Steps go round among the warps, so that a block reads along its rows. Behind the last row
        # the last one is read again; its results are not written.
        if step < steps:
            for r in T.unroll(tiles * 2):
                words[T.Ramp((p * tiles * 2 + r) * 4, 1, 4)] = T.ldg128(
                    W[T.min(bx * tiles + r // 2, N // 16 - 1), step, r % 2 * 128 + lane * 4]
                )
            for c in T.unroll(columns):
                for q in T.unroll(4):
                    for v in T.vectorized(8):
                        a[((p * columns + c) * 4 + q) * 8 + v] = A[
                            T.min(c * 8 + lane // 4, M - 1), step * 128 + q * 32 + lane % 4 * 8 + v
                        ]
            for b in T.unroll(groups):
                for r in T.unroll(tiles * 2):
                    row = T.min(bx * block_N + r * 8 + lane // 4, N - 1)
                    scales[(p * groups + b) * tiles * 2 + r] = Scales[step * groups + b, row]

    @T.macro
    def multiply(words, a, scales, w, part, result, p):
        for m in T.unroll(tiles):
            for b in T.unroll(groups):
                for e in T.unroll(columns * 4):
                    part[e] = 0.0
                for q in T.unroll(parts):
                    for h in T.unroll(2):
                        for r in T.unroll(2):
                            word = words[
                                (p * tiles * 2 + m * 2 + r) * 4 + b * parts + q
                            ] >> T.uint32(8 * h)
                            # As a half a weight v alone is v / 2**24, one digit up v / 2**20:
                            # products with powers of two bring v / 2**10 back, exactly.
                            low = T.reinterpret(word & T.uint32(0x000F000F), f"{dtype}x2")
                            high = T.reinterpret(word & T.uint32(0x00F000F0), f"{dtype}x2")
                            offset = both(-8 * 2.0**-10)
                            w[T.Ramp(r * 2, 1, 2)] = T.fma2(low, both(2.0**14), offset)
                            w[T.Ramp(4 + r * 2, 1, 2)] = T.fma2(high, both(2.0**10), offset)
                        for c in T.unroll(columns):
                            T.ptx_mma(
                                "float32",
                                "m16n8k16",
                                "row",
                                "col",
                                "fp16",
                                "fp16",
                                "fp32",
                                w.data,
                                0,
                                a.data,
                                ((p * columns + c) * 4 + b * parts + q) * 8 + h * 4,
                                part.data,
                                c * 4,
                                T.bool(False),
                            )
                # One scale for all of a group: it is multiplied with the sum, in fp32.
                for c in T.unroll(columns):
                    for e in T.unroll(4):
                        at = (p * groups + b) * tiles * 2 + m * 2 + e // 2
                        scale = T.cast(scales[at], "float32") * 2.0**10
                        result[(m * columns + c) * 4 + e] += part[c * 4 + e] * scale

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        W: T.Tensor((N // 16, K // 128, 256), "int32"),
        Scales: T.Tensor((K // group, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            tx = T.get_thread_binding()
            warp = tx // 32
            lane = tx % 32
            # What a thread holds of 2 steps: read from memory straight into registers.
            words = T.alloc_local((num_stages * tiles * 8,), "uint32")
            a = T.alloc_local((num_stages * columns * 32,), dtype)
            scales = T.alloc_local((num_stages * groups * tiles * 2,), dtype)
            w = T.alloc_local((8,), dtype)
            part = T.alloc_local((columns * 4,), "float32")
            result = T.alloc_local((tiles * columns * 4,), "float32")
            # A row of 4 more than it has puts the threads of a warp into different banks.
            sums = T.alloc_shared((warps, columns * 8, block_N + 4), "float32")
            total = T.alloc_local((1,), "float32")

            T.clear(result)
            for p in T.unroll(num_stages):
                load(A, W, Scales, words, a, scales, bx, lane, p * warps + warp, p)
            for o in T.serial((rounds + num_stages - 1) // num_stages):
                for p in T.unroll(num_stages):
                    if (o * num_stages + p) * warps + warp < steps:
                        multiply(words, a, scales, w, part, result, p)
                    load(
                        A,
                        W,
                        Scales,
                        words,
                        a,
                        scales,
                        bx,
                        lane,
                        ((o + 1) * num_stages + p) * warps + warp,
                        p,
                    )
            # Each warp has the sum of its own steps: they meet in shared memory.
            for m in T.unroll(tiles):
                for c in T.unroll(columns):
                    for e in T.unroll(4):
                        sums[
                            warp, c * 8 + lane % 4 * 2 + e % 2, m * 16 + e // 2 * 8 + lane // 4
                        ] = result[(m * columns + c) * 4 + e]
            T.sync_threads()
            for i in T.serial((M * block_N + threads - 1) // threads):
                at = i * threads + tx
                if at < M * block_N and bx * block_N + at % block_N < N:
                    total[0] = 0.0
                    for s in T.unroll(warps):
                        total[0] += sums[s, at // block_N, at % block_N]
                    C[at // block_N, bx * block_N + at % block_N] = total[0]

    return main


def pack(values):
    """Whole numbers of 0 to 15, (N, K), in the order in which the kernel's threads take them."""
    N, K = values.shape
    # Tile, row, step, quarter of a step, thread of the four that share a row, pair, member.
    parts = values.to(torch.int32).reshape(N // 16, 16, K // 128, 4, 4, 4, 2)
    words = (parts << _shifts(values)).sum((-1, -2), dtype=torch.int32)
    return words.permute(0, 2, 1, 4, 3).reshape(N // 16, K // 128, 256)


def unpack(W):
    """The (N, K) whole numbers of packed weights."""
    tiles, steps, _ = W.shape
    words = W.reshape(tiles, steps, 16, 4, 4).permute(0, 2, 1, 4, 3)
    return ((words[..., None, None] >> _shifts(W)) & 15).reshape(tiles * 16, steps * 128)


def _shifts(tensor):
    # Of two neighbours the first is in the low half of a word, the second in the high half.
    return torch.tensor([[0, 16], [4, 20], [8, 24], [12, 28]], device=tensor.device).int()


def dequantize(W, Scales):
    """The (N, K) weights in float32."""
    group = W.shape[1] * 128 // Scales.shape[0]
    scales = Scales.float().T.repeat_interleave(group, dim=1)
    return (unpack(W) - 8) * scales


def make_inputs(M, N, K, group=128):
    A = torch.randn(M, K).to(torch.float16)
    # Any bits are weights: four to each hexadecimal digit.
    W = torch.randint(-(2**31), 2**31, (N // 16, K // 128, 256), dtype=torch.int32)
    Scales = (torch.rand(K // group, N) * 0.02 + 0.01).to(torch.float16)
    return A, W, Scales


def ref_program(A, W, Scales):
    return (A.float() @ dequantize(W, Scales).T).to(torch.float16)


@functools.lru_cache(maxsize=1)
def _widened(W, Scales):
    return dequantize(W, Scales).to(torch.float16)


def torch_matmul(A, W, Scales):
    # The weights are widened in the first call alone: what is timed is the product.
    return torch.matmul(A, _widened(W, Scales).T)
