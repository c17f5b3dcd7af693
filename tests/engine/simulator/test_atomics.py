"""Atomic operations on elements and tiles."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(6)).to(dtype)


def test_split_k(build, simulate):
    @tilelang.jit
    def split(M=64, N=64, K=128, parts=4):
        @T.prim_func
        def main(
            A: T.Tensor((M, K), "float16"),
            B: T.Tensor((K, N), "float16"),
            C: T.Tensor((M, N), "float32"),
        ):
            with T.Kernel(N // 32, M // 32, parts, threads=128) as (bx, by, bz):
                a = T.alloc_shared((32, 32), "float16")
                b = T.alloc_shared((32, 32), "float16")
                c = T.alloc_fragment((32, 32), "float32")
                T.clear(c)
                T.copy(A[by * 32, bz * 32], a)
                T.copy(B[bz * 32, bx * 32], b)
                T.gemm(a, b, c)
                for i, j in T.Parallel(32, 32):
                    T.atomic_add(C[by * 32 + i, bx * 32 + j], c[i, j])

        return main

    a, b = values(64, 128, dtype=torch.float16), values(128, 64, dtype=torch.float16)
    result = simulate(build(split), a, b, torch.ones(64, 64)).tensors[2]
    torch.testing.assert_close(result.double(), a.double() @ b.double() + 1, rtol=1e-5, atol=1e-5)


def test_histogram_counts_collisions(build, simulate):
    @tilelang.jit
    def histogram():
        @T.prim_func
        def main(X: T.Tensor((512,), "int32"), H: T.Tensor((16,), "int32")):
            with T.Kernel(4, threads=128) as bx:
                for i in T.Parallel(128):
                    T.atomic_add(H[X[bx * 128 + i]], 1)

        return main

    x = torch.randint(0, 16, (512,), generator=torch.Generator().manual_seed(7), dtype=torch.int32)
    result = simulate(build(histogram), x, torch.zeros(16, dtype=torch.int32)).tensors[1]
    assert torch.equal(result, torch.bincount(x, minlength=16).int())


def test_tile_atomics(build, simulate):
    @tilelang.jit
    def tiles():
        @T.prim_func
        def main(
            X: T.Tensor((4, 64), "float32"),
            S: T.Tensor((64,), "float32"),
            L: T.Tensor((64,), "float32"),
        ):
            with T.Kernel(4, threads=64) as bx:
                x = T.alloc_fragment((64,), "float32")
                T.copy(X[bx, :], x)
                T.atomic_add(S, x)
                T.atomic_max(L, x)

        return main

    x = values(4, 64)
    outcome = simulate(build(tiles), x, torch.zeros(64), torch.full((64,), -9.0))
    torch.testing.assert_close(outcome.tensors[1], x.sum(0))
    assert torch.equal(outcome.tensors[2], x.amax(0))


def test_previous_values_are_all_different(build, simulate):
    @tilelang.jit
    def tickets():
        @T.prim_func
        def main(C: T.Tensor((1,), "int32"), B: T.Tensor((128,), "int32")):
            with T.Kernel(2, threads=64) as bx:
                tx = T.get_thread_binding(0)
                own = T.alloc_var("int32", init=0)
                own = T.atomic_add(C[0], 1, return_prev=True)
                B[bx * 64 + tx] = own

        return main

    outcome = simulate(build(tickets), torch.zeros(1, dtype=torch.int32))
    assert torch.equal(outcome.tensors[1].sort().values, torch.arange(128, dtype=torch.int32))
    assert outcome.tensors[0].item() == 128


def test_pairs(build, simulate):
    @tilelang.jit
    def paired():
        @T.prim_func
        def main(X: T.Tensor((64,), "float16"), Y: T.Tensor((64,), "float16")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((64,), "float16")
                T.copy(X, s)
                for i in T.Parallel(32):
                    T.atomic_addx2(Y[i * 2], s[i * 2])

        return main

    x = values(64, dtype=torch.float16)
    one = torch.ones(64, dtype=torch.float16)
    assert torch.equal(simulate(build(paired), x, one).tensors[1], x + 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("threads", [1, 8])
def test_each_thread_adds_where_none_is_named(build, simulate, dtype, threads):
    @tilelang.jit
    def four():
        @T.prim_func
        def main(X: T.Tensor((16,), dtype), Y: T.Tensor((16,), dtype)):
            with T.Kernel(1, threads=threads):
                T.atomic_addx4(Y[4], X[4])

        return main

    x, y = (torch.arange(16).to(getattr(torch, dtype)) * factor for factor in (1, 10))
    outcome = simulate(build(four), x, y)
    wanted = y.clone()
    wanted[4:8] += threads * x[4:8]
    assert torch.equal(outcome.tensors[1], wanted)


def test_pairs_that_give_what_stood_there_are_added_once(build, simulate):
    @tilelang.jit
    def paired():
        @T.prim_func
        def main(
            X: T.Tensor((64,), "float16"),
            Y: T.Tensor((64,), "float16"),
            Z: T.Tensor((32,), "float16"),
        ):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                before = T.atomic_addx2(Y[tx * 2], X[tx * 2], return_prev=True)
                Z[tx] = T.extract_lane(before, 1)

        return main

    x, y = values(64, dtype=torch.float16), torch.arange(64).half()
    outcome = simulate(build(paired), x, y)
    assert torch.equal(outcome.tensors[1], x + y)
    assert torch.equal(outcome.tensors[2], y[1::2])
