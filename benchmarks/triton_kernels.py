"""The benchmark's kernels in Triton, with the shapes and tiles of the TileLang ones."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def _softmax(x, y, N, BN: tl.constexpr):
    columns = tl.arange(0, BN)
    start = tl.program_id(0) * N
    row = tl.load(x + start + columns).to(tl.float32)
    row = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + start + columns, (row / tl.sum(row, axis=0)).to(tl.float16))


@triton.jit
def _attention(q, k, v, o, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * S * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    inner = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + inner[None, :])
    largest = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    output = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, S, BN):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + inner[:, None])
        scores = tl.dot(queries, keys) * scale
        before = largest
        largest = tl.maximum(before, tl.max(scores, axis=1))
        factor = tl.exp2(before - largest)
        weights = tl.exp2(scores - largest[:, None])
        total = total * factor + tl.sum(weights, axis=1)
        values = tl.load(v + head + columns[:, None] * D + inner[None, :])
        output = tl.dot(weights.to(tl.float16), values, output * factor[:, None])
    place = o + head + rows[:, None] * D + inner[None, :]
    tl.store(place, (output / total[:, None]).to(tl.float16))


def gemm(a: Tensor, b: Tensor) -> Tensor:
    """A (M, K) times B (K, N), tiles of 128 x 128 x 32."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype)
    _gemm[(n // 128, m // 128)](a, b, c, m, n, k, BM=128, BN=128, BK=32)
    return c


def softmax(x: Tensor) -> Tensor:
    """The softmax of each row, a row a block."""
    y = torch.empty_like(x)
    _softmax[(x.shape[0],)](x, y, x.shape[1], BN=x.shape[1])
    return y


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention of (batch, heads, sequence, dim), tiles of 64 x 64."""
    batch, heads, sequence, dim = q.shape
    o = torch.empty_like(q)
    scale = dim**-0.5 * 1.44269504
    grid = (sequence // 64, batch * heads)
    _attention[grid](q, k, v, o, sequence, scale, D=dim, BM=64, BN=64)
    return o
