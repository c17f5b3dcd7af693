"""Four-bit types: two elements a byte at the caller's, and their arithmetic."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import ml_dtypes
import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator import SimulationOptions


def draw(low, high, *shape):
    return np.random.default_rng(3).integers(low, high, shape)


def packed(values):
    halves = np.asarray(values).astype(np.int64) & 0xF
    return (halves[..., ::2] | halves[..., 1::2] << 4).astype(np.uint8)


def int_gemm(dtype):
    @tilelang.jit
    def gemm():
        @T.prim_func
        def main(
            A: T.Tensor((64, 64), dtype),
            B: T.Tensor((64, 64), dtype),
            C: T.Tensor((64, 64), "int32"),
        ):
            with T.Kernel(1, threads=128):
                a = T.alloc_shared((64, 32), dtype)
                b = T.alloc_shared((64, 32), dtype)
                c = T.alloc_fragment((64, 64), "int32")
                T.clear(c)
                for k in T.Pipelined(2, num_stages=2):
                    T.copy(A[0, k * 32], a)
                    T.copy(B[0, k * 32], b)
                    T.gemm(a, b, c, transpose_B=True)
                T.copy(c, C)

        return main

    return gemm


@pytest.mark.parametrize("given", ["packed", "unpacked"])
def test_int4_gemm(build, given):
    program = build(int_gemm("int4"))
    a, b = draw(-8, 8, 64, 64), draw(-8, 8, 64, 64)
    convert = packed if given == "packed" else lambda each: each.astype(ml_dtypes.int4)
    c = np.zeros((64, 64), np.int32)
    program.run([convert(a), convert(b), c])
    assert np.array_equal(c, a @ b.T)


def test_packed_output_keeps_the_low_half_first(build):
    @tilelang.jit
    def quantised():
        @T.prim_func
        def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float4_e2m1fn")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    B[i] = T.cast(A[i], "float4_e2m1fn")

        return main

    a = np.array([0.5, -1.0, 1.5, 2.4, 100.0, -100.0, 0.0, 5.0], np.float32)
    out = np.zeros(4, np.uint8)
    build(quantised, lowering={"kind": "cuda", "arch": "sm_100a"}).run([a, out])
    # e2m1: 0.5 1.0 1.5 2 3 4 6 have the codes 1 to 7; the sign is bit 3; 5 is a tie to even, 4.
    assert out.tolist() == [0xA1, 0x43, 0xF7, 0x60]


def test_fp4_values_are_read_exactly(build):
    @tilelang.jit
    def widened():
        @T.prim_func
        def main(A: T.Tensor((16,), "float4_e2m1fn"), B: T.Tensor((16,), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_fragment((16,), "float4_e2m1fn")
                T.copy(A, s)
                for i in T.Parallel(16):
                    B[i] = T.cast(s[i], "float32")

        return main

    out = np.zeros(16, np.float32)
    codes = packed(np.arange(16))
    build(widened, lowering={"kind": "cuda", "arch": "sm_100a"}).run([codes, out])
    positive = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert out.tolist() == positive + [-each for each in positive]


def test_poison_shows_in_unwritten_four_bit_memory(build):
    @tilelang.jit
    def unwritten():
        @T.prim_func
        def main(B: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_fragment((8,), "int4")
                for i in T.Parallel(8):
                    B[i] = T.cast(s[i], "int32")

        return main

    out = np.zeros(8, np.int32)
    build(unwritten).run([out], SimulationOptions(poison=True))
    assert out.tolist() == [5] * 8


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"])
def test_fp8_conversion_rounds_and_saturates(build, simulate, name):
    @tilelang.jit
    def narrowed():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), name)):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(64):
                    B[i] = T.cast(A[i], name)

        return main

    a = torch.linspace(-3, 3, 64) ** 5 * 300
    limit = torch.finfo(getattr(torch, name)).max
    expected = a.clamp(-limit, limit).to(getattr(torch, name))
    got = simulate(build(narrowed, lowering={"kind": "cuda", "arch": "sm_90a"}), a).tensors[1]
    assert torch.equal(got.float(), expected.float())
