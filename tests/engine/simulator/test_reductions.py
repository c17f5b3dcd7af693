"""Reductions and scans with TileLang's semantics."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def reduced(kind, M=32, N=48, dtype="float32", accum="float32", dim=1, clear=True, initial=0):
    size = M if dim == 1 else N

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((size,), accum)):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((M, N), dtype)
            y = T.alloc_fragment((size,), accum)
            T.copy(X, x)
            T.fill(y, initial)
            T.reduce(x, y, kind, dim, clear)
            T.copy(y, Y)

    return main


def values(dtype=torch.float32, shape=(32, 48)):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(dtype)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        ("sum", lambda x, dim: x.sum(dim)),
        ("abssum", lambda x, dim: x.abs().sum(dim)),
        ("max", lambda x, dim: x.amax(dim)),
        ("min", lambda x, dim: x.amin(dim)),
        ("absmax", lambda x, dim: x.abs().amax(dim)),
    ],
)
def test_kinds(build, simulate, kind, reference, dim):
    x = values()
    result = simulate(build(reduced, kind=kind, dim=dim), x).tensors[1]
    torch.testing.assert_close(result.double(), reference(x.double(), dim), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["bitand", "bitor", "bitxor"])
def test_bitwise_kinds(build, simulate, kind):
    x = torch.randint(0, 2**30, (32, 48), dtype=torch.int32)
    program = build(reduced, kind=kind, dtype="int32", accum="int32")
    result = simulate(program, x).tensors[1]
    combine = {"bitand": torch.bitwise_and, "bitor": torch.bitwise_or, "bitxor": torch.bitwise_xor}
    expected = x[:, 0]
    for column in range(1, 48):
        expected = combine[kind](expected, x[:, column])
    assert torch.equal(result, expected)


def test_without_clear_the_old_value_counts(build, simulate):
    x = values()
    largest = simulate(build(reduced, kind="max", clear=False, initial=1), x).tensors[1]
    assert torch.equal(largest, x.amax(1).clamp(min=1))
    total = simulate(build(reduced, kind="sum", clear=False, initial=5), x).tensors[1]
    torch.testing.assert_close(total.double(), x.double().sum(1) + 5, rtol=1e-5, atol=1e-5)


def test_half_sum_overflows_in_the_destination(build, simulate):
    x = torch.full((32, 48), 4000.0, dtype=torch.float16)
    narrow = simulate(build(reduced, kind="sum", dtype="float16", accum="float16"), x).tensors[1]
    wide = simulate(build(reduced, kind="sum", dtype="float16"), x).tensors[1]
    assert narrow.isinf().all()
    assert torch.equal(wide, torch.full((32,), 192000.0))


def test_max_drops_nan(build, simulate):
    x = values()
    x[3, 5] = float("nan")
    x[4] = float("nan")
    result = simulate(build(reduced, kind="max"), x).tensors[1]
    assert result[3] == x[3].nan_to_num(nan=-9).amax()
    assert result[4] == -float("inf")


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sum(build, simulate, dim, reverse):
    @tilelang.jit
    def scan(dim, reverse):
        @T.prim_func
        def main(X: T.Tensor((32, 48), "float32"), Y: T.Tensor((32, 48), "float32")):
            with T.Kernel(1, threads=128):
                x = T.alloc_shared((32, 48), "float32")
                T.copy(X, x)
                T.cumsum(x, dim=dim, reverse=reverse)
                T.copy(x, Y)

        return main

    x = values()
    result = simulate(build(scan, dim=dim, reverse=reverse), x).tensors[1]
    expected = x.double().flip(dim).cumsum(dim).flip(dim) if reverse else x.double().cumsum(dim)
    torch.testing.assert_close(result.double(), expected, rtol=1e-5, atol=1e-5)


def test_reduction_between_shared_buffers(build, simulate):
    @tilelang.jit
    def shared():
        @T.prim_func
        def main(X: T.Tensor((32, 48), "float32"), Y: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=128):
                x = T.alloc_shared((32, 48), "float32")
                y = T.alloc_shared((32,), "float32")
                T.copy(X, x)
                T.reduce_sum(x, y, dim=1)
                T.copy(y, Y)

        return main

    x = values()
    result = simulate(build(shared), x).tensors[1]
    torch.testing.assert_close(result.double(), x.double().sum(1), rtol=1e-5, atol=1e-5)


def test_online_softmax(build, simulate):
    @tilelang.jit
    def online(M=16, N=256, block=64):
        @T.prim_func
        def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
            with T.Kernel(M // 4, threads=128) as bx:
                x = T.alloc_fragment((4, block), "float32")
                top = T.alloc_fragment((4,), "float32")
                before = T.alloc_fragment((4,), "float32")
                part = T.alloc_fragment((4,), "float32")
                total = T.alloc_fragment((4,), "float32")
                T.fill(top, -T.infinity("float32"))
                T.clear(total)
                for k in T.Pipelined(N // block, num_stages=2):
                    T.copy(X[bx * 4, k * block], x)
                    T.copy(top, before)
                    T.reduce_max(x, top, dim=1, clear=False)
                    for i, j in T.Parallel(4, block):
                        x[i, j] = T.exp2((x[i, j] - top[i]) * 1.44269504)
                    T.reduce_sum(x, part, dim=1)
                    for i in T.Parallel(4):
                        total[i] = total[i] * T.exp2((before[i] - top[i]) * 1.44269504) + part[i]
                for k in T.serial(N // block):
                    T.copy(X[bx * 4, k * block], x)
                    for i, j in T.Parallel(4, block):
                        x[i, j] = T.exp2((x[i, j] - top[i]) * 1.44269504) / total[i]
                    T.copy(x, Y[bx * 4, k * block])

        return main

    x = values(torch.float16, (16, 256))
    result = simulate(build(online), x).tensors[1]
    torch.testing.assert_close(result.double(), x.double().softmax(-1), rtol=2e-3, atol=1e-5)


def test_layer_norm(build, simulate):
    @tilelang.jit
    def norm(M=8, N=128):
        @T.prim_func
        def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
            with T.Kernel(M, threads=128) as bx:
                x = T.alloc_fragment((1, N), "float32")
                square = T.alloc_fragment((1, N), "float32")
                mean = T.alloc_fragment((1,), "float32")
                variance = T.alloc_fragment((1,), "float32")
                T.copy(X[bx : bx + 1, :], x)
                T.reduce_sum(x, mean, dim=1)
                for i, j in T.Parallel(1, N):
                    x[i, j] = x[i, j] - mean[i] / N
                for i, j in T.Parallel(1, N):
                    square[i, j] = x[i, j] * x[i, j]
                T.reduce_sum(square, variance, dim=1)
                for i, j in T.Parallel(1, N):
                    x[i, j] = x[i, j] * T.rsqrt(variance[i] / N + 1e-5)
                T.copy(x, Y[bx : bx + 1, :])

        return main

    x = values(shape=(8, 128))
    result = simulate(build(norm), x).tensors[1]
    expected = torch.nn.functional.layer_norm(x.double(), (128,), eps=1e-5)
    torch.testing.assert_close(result.double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_extrema_are_exact(build, simulate, dtype):
    x, name = values(dtype), str(dtype).removeprefix("torch.")
    result = simulate(build(reduced, kind="max", dtype=name, accum=name), x).tensors[1]
    assert torch.equal(result, x.amax(1))


def test_any_of_a_row(build, simulate):
    @tilelang.jit
    def rows():
        @T.prim_func
        def main(A: T.Tensor((4, 64), "bool"), B: T.Tensor((4,), "int32")):
            with T.Kernel(4, threads=64) as bx:
                s = T.alloc_shared((64,), "bool")
                T.copy(A[bx, :], s)
                if T.any_of(s):
                    B[bx] = 1
                else:
                    B[bx] = 0

        return main

    a = torch.zeros(4, 64, dtype=torch.bool)
    a[2, 17] = True
    assert simulate(build(rows), a).tensors[1].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("sum", lambda a: a.sum(1)),
        ("max", lambda a: a.max(1).values),
        ("min", lambda a: a.min(1).values),
    ],
)
def test_reducer_collects_the_contributions_of_all_iterations(build, simulate, op, expected):
    @tilelang.jit
    def rows():
        @T.prim_func
        def main(A: T.Tensor((16, 64), "int32"), B: T.Tensor((16,), "int32")):
            with T.Kernel(1, threads=128):
                acc = T.alloc_reducer((16,), "int32", op=op)
                out = T.alloc_fragment((16,), "int32")
                T.reducer_init(acc)
                for i, j in T.Parallel(16, 64):
                    T.reducer_update(acc[i], A[i, j])
                T.finalize_reducer(acc, out)
                T.copy(out, B)

        return main

    a = torch.randint(-9, 9, (16, 64), generator=torch.Generator().manual_seed(1)).int()
    assert torch.equal(simulate(build(rows), a).tensors[1], expected(a).int())


def test_reducer_starts_from_a_value(build, simulate):
    @tilelang.jit
    def total():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
            with T.Kernel(1, threads=128):
                acc = T.alloc_reducer((1,), "float32", op="sum")
                out = T.alloc_fragment((1,), "float32")
                T.reducer_init(acc, 10.0)
                for i in T.Parallel(64):
                    T.reducer_update(acc[0], A[i])
                T.finalize_reducer(acc, out)
                T.copy(out, B)

        return main

    assert simulate(build(total), torch.ones(64)).tensors[1].tolist() == [74.0]
