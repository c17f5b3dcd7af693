"""Vector values: Ramp accesses, packed arithmetic, and parts of their bits."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


def values(*shape, dtype=torch.float16):
    return torch.randn(shape, generator=torch.Generator().manual_seed(8)).to(dtype)


def test_ramp_moves_elements_with_a_stride(build, simulate):
    @tilelang.jit
    def strided():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=8):
                tx = T.get_thread_binding()
                B[T.Ramp(tx * 4, 1, 4)] = A[T.Ramp(tx * 8, 2, 4)] + T.Broadcast(T.float32(1), 4)

        return main

    a = values(64, dtype=torch.float32)
    assert torch.equal(simulate(build(strided), a).tensors[1], a[::2] + 1)


def test_elements_are_read_before_any_is_written(build, simulate):
    @tilelang.jit
    def shifted():
        @T.prim_func
        def main(A: T.Tensor((5,), "int32")):
            with T.Kernel(1, threads=1):
                A[T.Ramp(1, 1, 4)] = A[T.Ramp(0, 1, 4)]

        return main

    a = torch.arange(5, dtype=torch.int32)
    assert simulate(build(shifted), a).tensors[0].tolist() == [0, 0, 1, 2, 3]


def test_lane_of_a_vector_variable(build, simulate):
    @tilelang.jit
    def swapped():
        @T.prim_func
        def main(A: T.Tensor((2,), "float16"), B: T.Tensor((2,), "float16")):
            with T.Kernel(1, threads=1):
                packed = A[T.Ramp(0, 1, 2)]
                B[0] = T.extract_lane(packed, 1)
                B[1] = T.extract_lane(packed, 0)

        return main

    a = values(2)
    assert torch.equal(simulate(build(swapped), a).tensors[1], a.flip(0))


def test_bits_divided_otherwise(build, simulate):
    @tilelang.jit
    def halves():
        @T.prim_func
        def main(A: T.Tensor((8,), "uint32"), B: T.Tensor((16,), "float16")):
            with T.Kernel(1, threads=8):
                tx = T.get_thread_binding()
                B[T.Ramp(tx * 2, 1, 2)] = T.reinterpret(A[tx], "float16x2")

        return main

    expected = values(16)
    words = expected.view(torch.int32).view(torch.uint32)
    assert torch.equal(simulate(build(halves), words).tensors[1], expected)


def test_vector_load_by_pointer(build, simulate):
    @tilelang.jit
    def wide():
        @T.prim_func
        def main(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "float16")):
            with T.Kernel(1, threads=8):
                tx = T.get_thread_binding()
                T.stg128(B[tx * 8], T.ldg128(A[tx * 8]))

        return main

    a = values(64)
    assert torch.equal(simulate(build(wide), a).tensors[1], a)


def test_negative_vector_index_counts_from_the_end(build, simulate):
    @tilelang.jit
    def wrapped():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((4, 4), "float32")):
            with T.Kernel(1, threads=1):
                for t in T.serial(4):
                    B[t, T.Ramp(0, 1, 4)] = A[T.Ramp(t - 2, 1, 4)]

        return main

    a = torch.arange(64, dtype=torch.float32)
    got = simulate(build(wrapped), a).tensors[1]
    assert got[0].tolist() == [62, 63, 0, 1]
    assert got[3].tolist() == [1, 2, 3, 4]


def test_predicated_word_stores(build, simulate):
    @tilelang.jit
    def guarded():
        @T.prim_func
        def main(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding()
                B[tx] = 0.0
                T.stg32(B[tx], T.ldg32(A[tx], pred=tx < 20), pred=tx > 3)

        return main

    a = values(32, dtype=torch.float32)
    expected = torch.where((torch.arange(32) > 3) & (torch.arange(32) < 20), a, 0)
    assert torch.equal(simulate(build(guarded), a).tensors[1], expected)


@pytest.mark.parametrize("form", ["packed", "variable", "array", "slice", "sum"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_one_of_two_halves(build, simulate, dtype, form):
    @tilelang.jit
    def swapped():
        pair = getattr(T, f"{dtype}x2")

        @T.prim_func
        def main(X: T.Tensor((64,), dtype), Y: T.Tensor((64,), dtype)):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                if form == "packed":
                    v = pair(X[tx * 2], X[tx * 2 + 1])
                elif form == "variable":
                    v = T.alloc_var(f"{dtype}x2")
                    v = pair(X[tx * 2], X[tx * 2 + 1])
                elif form == "array":
                    s = T.alloc_local((2,), f"{dtype}x2")
                    s[1] = pair(X[tx * 2], X[tx * 2 + 1])
                    v = s[1]
                elif form == "slice":
                    v = X[tx * 2 : tx * 2 + 2]
                else:
                    v = T.add2(pair(X[tx * 2], X[tx * 2 + 1]), pair(X[0], X[0]))
                Y[tx * 2] = T.extract_lane(v, 1)
                Y[tx * 2 + 1] = T.extract_lane(v, 0)

        return main

    x = torch.arange(64).to(getattr(torch, dtype))
    outcome = simulate(build(swapped), x)
    assert torch.equal(outcome.tensors[1], x.reshape(-1, 2).flip(1).reshape(-1))
    assert outcome.report.findings == ()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_variables_of_fused_multiplications(build, simulate, dtype):
    """A product of two halves is not rounded before the sum."""

    @tilelang.jit
    def chained():
        @T.prim_func
        def main(X: T.Tensor((64,), dtype), Y: T.Tensor((64,), dtype)):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                x = X[T.Ramp(tx * 2, 1, 2)]
                one = T.Broadcast(T.cast(1, dtype), 2)
                v = T.fma2(x, x, one)
                w = T.fma2(v, x, -one)
                Y[T.Ramp(tx * 2, 1, 2)] = w

        return main

    x = values(64, dtype=getattr(torch, dtype))
    exact = x.double()
    first = (exact * exact + 1).to(x.dtype).double()
    program = build(chained, lowering={"kind": "cuda", "arch": "sm_100a"})
    got = simulate(program, x).tensors[1]
    tolerance = 1e-6 if dtype == "float32" else 0
    wanted = (first * exact - 1).to(x.dtype)
    torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance)


def test_bits_of_a_vector_variable_as_one_word(build, simulate):
    @tilelang.jit
    def packed():
        @T.prim_func
        def main(X: T.Tensor((64,), "float16"), Y: T.Tensor((32,), "uint32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                x = X[T.Ramp(tx * 2, 1, 2)]
                v = T.add2(x, x)
                Y[tx] = T.reinterpret(v, "uint32")

        return main

    x = values(64)
    got = simulate(build(packed), x).tensors[1]
    assert torch.equal(got.view(torch.int32), (x * 2).view(torch.int32))
