"""Copies, fills, transposes and casts of tiles."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(dtype)


@tilelang.jit
def converted(source, result, N=256):
    @T.prim_func
    def main(A: T.Tensor((N,), source), B: T.Tensor((N,), result)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((N,), source)
            d = T.alloc_shared((N,), result)
            T.copy(A, s)
            T.copy(s, d)
            T.copy(d, B)

    return main


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("float32", "float16"),
        ("float16", "float32"),
        ("float32", "bfloat16"),
        ("bfloat16", "float32"),
        ("float16", "bfloat16"),
        ("int32", "float32"),
        ("int8", "float16"),
        ("float8_e4m3fn", "float32"),
        ("float8_e5m2", "float16"),
    ],
)
def test_conversion_rounds_as_torch_does(build, simulate, source, target):
    a = (values(256) * 20).to(getattr(torch, source))
    result = simulate(build(converted, source=source, result=target), a).tensors[1]
    assert torch.equal(result, a.to(getattr(torch, target)))


@pytest.mark.parametrize(
    ("target", "largest"), [("float8_e4m3fn", 448.0), ("float8_e5m2", 57344.0)]
)
def test_fp8_saturates(build, simulate, target, largest):
    a = torch.tensor([1e6, -1e6, float("inf"), 1.0] * 64)
    result = simulate(build(converted, source="float32", result=target), a).tensors[1].float()
    assert torch.equal(result, torch.tensor([largest, -largest, largest, 1.0] * 64))


def test_half_overflows_to_infinity(build, simulate):
    a = torch.full((256,), 1e6)
    assert (
        simulate(build(converted, source="float32", result="float16"), a).tensors[1].isinf().all()
    )


def test_float_to_int_truncates_and_saturates(build, simulate):
    a = torch.tensor([1.9, -1.9, 3e9, -3e9, float("nan"), 0.0, 7.5, -7.5] * 32)
    result = simulate(build(converted, source="float32", result="int32"), a).tensors[1]
    expected = torch.tensor([1, -1, 2**31 - 1, -(2**31), 0, 0, 7, -7] * 32, dtype=torch.int32)
    assert torch.equal(result, expected)


def test_slices_of_higher_ranks(build, simulate):
    @tilelang.jit
    def plane(B=2, S=64, H=3, D=16):
        @T.prim_func
        def main(X: T.Tensor((B, S, H, D), "float16"), Y: T.Tensor((B, H, S, D), "float16")):
            with T.Kernel(S // 32, H, B, threads=128) as (bx, by, bz):
                s = T.alloc_shared((32, D), "float16")
                T.copy(X[bz, bx * 32 : (bx + 1) * 32, by, :], s)
                T.copy(s, Y[bz, by, bx * 32 : (bx + 1) * 32, :])

        return main

    x = values(2, 64, 3, 16, dtype=torch.float16)
    assert torch.equal(simulate(build(plane), x).tensors[1], x.transpose(1, 2))


def test_transpose(build, simulate):
    @tilelang.jit
    def transposed(M=64, N=32):
        @T.prim_func
        def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((N, M), "float16")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((M, N), "float16")
                d = T.alloc_shared((N, M), "float16")
                T.copy(X, s)
                T.transpose(s, d)
                T.copy(d, Y)

        return main

    x = values(64, 32, dtype=torch.float16)
    assert torch.equal(simulate(build(transposed), x).tensors[1], x.T)


def test_fill_of_a_part(build, simulate):
    @tilelang.jit
    def stripes(N=64):
        @T.prim_func
        def main(Y: T.Tensor((N,), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((N,), "float32")
                T.clear(s)
                T.fill(s[16:32], 3)
                T.copy(s, Y)

        return main

    expected = torch.zeros(64)
    expected[16:32] = 3
    assert torch.equal(simulate(build(stripes)).tensors[0], expected)


def test_annotated_safe_value_outside_the_tensor(build, simulate):
    @tilelang.jit
    def padded(N=50):
        @T.prim_func
        def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                T.annotate_safe_value({X: 7.0})
                s = T.alloc_shared((64,), "float32")
                T.copy(X[0:64], s)
                T.copy(s, Y)

        return main

    x = values(50)
    assert torch.equal(
        simulate(build(padded), x).tensors[1], torch.cat([x, torch.full((14,), 7.0)])
    )


def test_reshaped_view_shares_the_bytes(build, simulate):
    @tilelang.jit
    def viewed(N=64):
        @T.prim_func
        def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((N,), "float32")
                square = T.reshape(s, (8, 8))
                T.copy(X, s)
                for i, j in T.Parallel(8, 8):
                    Y[i, j] = square[j, i]

        return main

    x = values(64)
    assert torch.equal(simulate(build(viewed), x).tensors[1], x.view(8, 8).T)


def test_view_as_another_dtype(build, simulate):
    @tilelang.jit
    def bits(N=64):
        @T.prim_func
        def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "int32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((N,), "float32")
                raw = T.view(s, (N,), "int32")
                T.copy(X, s)
                T.copy(raw, Y)

        return main

    x = values(64)
    assert torch.equal(simulate(build(bits), x).tensors[1], x.view(torch.int32))


def test_im2col_gathers_filter_taps(build, simulate):
    @tilelang.jit
    def columns(H=8, W=6, C=4, kernel=3, rows=48, width=36):
        @T.prim_func
        def main(X: T.Tensor((1, H, W, C), "float16"), Y: T.Tensor((rows, width), "float16")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((rows, width), "float16")
                T.im2col(X, s, 0, 0, kernel, 1, 1, 1)
                T.copy(s, Y)

        return main

    x = values(1, 8, 6, 4, dtype=torch.float16)
    result = simulate(build(columns), x).tensors[1]
    unfolded = torch.nn.functional.unfold(x.permute(0, 3, 1, 2).float(), 3, padding=1)
    expected = unfolded.view(4, 9, 48).permute(2, 1, 0).reshape(48, 36)
    assert torch.equal(result.float(), expected)


def test_a_value_for_outside_ends_with_its_block(build, simulate):
    @tilelang.jit
    def nested():
        @T.prim_func
        def main(A: T.Tensor((6,), "int32"), B: T.Tensor((2, 8), "int32")):
            with T.Kernel(1, threads=32):
                rows = T.alloc_shared((2, 8), "int32")
                with T.sblock("outer"):
                    T.reads()
                    T.writes()
                    T.annotate_safe_value({A: -1})
                    with T.sblock("inner"):
                        T.reads()
                        T.writes()
                        T.annotate_safe_value({A: -99})
                        T.copy(A[0:8], rows[0, :])
                    T.copy(A[0:8], rows[1, :])
                    T.copy(rows, B)

        return main

    result = simulate(build(nested), torch.zeros(6, dtype=torch.int32)).tensors[1]
    assert result[:, 6:].tolist() == [[-99, -99], [-1, -1]]
