"""Digits lost by sums in 16 bits, values beyond a narrow type, and zeros read from outside."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import ml_dtypes
import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch


@pytest.fixture(scope="module")
def check(build):
    """Return a function that runs a kernel with all checks and gives its findings by code."""

    def run(kernel, *inputs, infos=False, **arguments):
        program = build(
            kernel, checks=True, lowering={"kind": "cuda", "arch": "sm_90a"}, **arguments
        )
        values = [np.array(each) for each in inputs]
        dtypes = {"float8_e4m3fn": ml_dtypes.float8_e4m3fn, "bfloat16": ml_dtypes.bfloat16}
        for each in program.parameters[len(values) :]:
            values.append(np.zeros(each.shape, dtypes.get(each.dtype, each.dtype)))
        report = program.run(values)
        return {f.code: f for f in report.findings if infos or f.severity != "info"}

    return run


def normal(*shape, scale=1.0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)
    return (torch.randn(shape, generator=generator) * scale).to(dtype).numpy()


@tilelang.jit
def product(K=512, step=16, accumulator="float16"):
    @T.prim_func
    def main(
        A: T.Tensor((64, K), "float16"),
        B: T.Tensor((K, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, step), "float16")
            b = T.alloc_shared((step, 64), "float16")
            c = T.alloc_fragment((64, 64), accumulator)
            T.clear(c)
            for k in T.serial(K // step):
                T.copy(A[0, k * step], a)
                T.copy(B[k * step, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return main


def test_a_product_summed_in_float16_tells_its_loss(check):
    a, b = normal(64, 512, dtype=torch.float16), normal(512, 64, dtype=torch.float16)
    found = check(product, a, b)["low-precision-accumulator"]
    assert (found.severity, found.buffer) == ("warning", "c")
    assert found.evidence["steps"] == 32
    assert 2 < found.evidence["roundings"] < 8
    loss = abs(found.evidence["held"] - found.evidence["exact"])
    assert loss > 2**-11 * abs(found.evidence["exact"])


def test_one_rounding_at_the_end_is_no_loss(check):
    a, b = normal(64, 512, dtype=torch.float16), normal(512, 64, dtype=torch.float16)
    assert check(product, a, b, accumulator="float32") == {}
    assert check(product, a, b, step=256) == {}


@tilelang.jit
def running_sum(N=64, steps=64, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((steps, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            acc = T.alloc_fragment((N,), dtype)
            T.clear(acc)
            for k in T.serial(steps):
                for i in T.Parallel(N):
                    acc[i] += T.cast(A[k, i], dtype)
            T.copy(acc, B)

    return main


def test_a_sum_of_elements_in_bfloat16_tells_its_loss(check):
    found = check(running_sum, np.abs(normal(64, 64)))["low-precision-accumulator"]
    assert found.buffer == "acc"
    assert found.evidence["steps"] > 8


def test_a_sum_of_elements_in_float32_is_no_finding(check):
    assert check(running_sum, np.abs(normal(64, 64)), dtype="float32") == {}


@tilelang.jit
def converted(N=64, source="float32", dtype="float8_e4m3fn", by_tile=False):
    @T.prim_func
    def main(A: T.Tensor((N,), source), B: T.Tensor((N,), dtype)):
        with T.Kernel(1, threads=64):
            a = T.alloc_fragment((N,), source)
            b = T.alloc_fragment((N,), dtype)
            T.copy(A, a)
            if by_tile:
                T.copy(a, b)
            else:
                for i in T.Parallel(N):
                    b[i] = T.if_then_else(i > 0, T.cast(a[i], dtype), T.cast(0, dtype))
            T.copy(b, B)

    return main


@pytest.mark.parametrize("by_tile", [False, True])
@pytest.mark.parametrize(
    ("source", "dtype", "fits", "beyond", "kept"),
    [
        ("float32", "float8_e4m3fn", 463.0, 470.0, 448.0),
        ("float32", "int8", -128.0, -129.0, -128),
        ("float32", "int32", 2147483520.0, 2147483648.0, 2147483647),
        ("int32", "int8", 127, 200, -56),
        ("int32", "int16", -32768, 40000, -25536),
    ],
)
def test_what_a_narrow_type_cannot_hold_is_told(check, by_tile, source, dtype, fits, beyond, kept):
    values = np.zeros(64, source)
    values[5] = fits
    assert check(converted, values, source=source, dtype=dtype, by_tile=by_tile) == {}
    values[7] = beyond
    found = check(converted, values, source=source, dtype=dtype, by_tile=by_tile)
    assert found["narrow-overflow"].severity == "warning"
    assert found["narrow-overflow"].index == (7,)
    assert found["narrow-overflow"].evidence["value"] == beyond
    assert found["narrow-overflow"].evidence["kept"] == kept


def test_what_no_lane_converts_is_not_told(check):
    values = np.zeros(64, np.float32)
    values[0] = 1e6
    assert check(converted, values) == {}


@tilelang.jit
def low_bytes(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int8")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                B[i] = T.cast(A[i] >> 4, "int8")

    return main


def test_bits_that_are_cut_off_are_meant(check):
    assert check(low_bytes, np.arange(64, dtype=np.int32) * 1000) == {}


@tilelang.jit
def integer_sum(N=64, dtype="int16", product=False):
    @T.prim_func
    def main(A: T.Tensor((4, N), dtype), B: T.Tensor((4,), dtype)):
        with T.Kernel(1, threads=64):
            a = T.alloc_fragment((4, N), dtype)
            b = T.alloc_fragment((4,), dtype)
            T.copy(A, a)
            T.reduce_sum(a, b, dim=1)
            T.copy(b, B)

    return main


def test_an_integer_sum_that_wraps_is_told(check):
    values = np.full((4, 64), 500, np.int16)
    assert check(integer_sum, values) == {}
    values[2] = 600
    found = check(integer_sum, values)["narrow-overflow"]
    assert (found.index, found.evidence["value"]) == ((2,), 38400.0)


@tilelang.jit
def blurred(N=100, block=32, guarded=False, safe=False, through=False):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            if safe:
                T.annotate_safe_value({X: 0.0})
            own = T.alloc_fragment((block,), "float32")
            for i in T.Parallel(block):
                if through:
                    own[i] = X[bx * block + i]
                elif guarded:
                    Y[bx * block + i] = T.if_then_else(
                        bx * block + i > 0, X[bx * block + i - 1], 0.0
                    )
                else:
                    Y[bx * block + i] = X[bx * block + i] + X[bx * block + i - 1]
            if through:
                T.copy(own, Y[bx * block])

    return main


def test_an_output_computed_of_what_lies_outside_is_an_error(check):
    found = check(blurred, normal(100))["out-of-bounds-read"]
    assert (found.severity, found.index, found.count) == ("error", (-1,), 1)
    assert found.evidence["stored_at"] == [0]


@pytest.mark.parametrize("form", ["guarded", "safe", "through"])
def test_a_guard_a_safe_value_or_a_partial_tile_is_none(check, form):
    assert check(blurred, normal(100), **{form: True}) == {}


@tilelang.jit
def squared(N=64, widens_first=False):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                if widens_first:
                    B[i] = T.cast(A[i], "float32") * T.cast(A[i], "float32")
                else:
                    B[i] = A[i] * A[i]

    return main


def test_a_product_that_is_widened_too_late_tells_its_loss(check):
    found = check(squared, normal(64, dtype=torch.float16))["low-precision-arithmetic"]
    assert found.severity == "warning"
    assert 2**-14 < found.evidence["relative_rms"] < 2**-10
    assert found.evidence["held"] != found.evidence["exact"]


def test_what_is_exact_or_widened_first_is_no_finding(check):
    assert check(squared, np.arange(64).astype(np.float16) % 16) == {}
    assert check(squared, normal(64, dtype=torch.float16), widens_first=True) == {}


@tilelang.jit
def stepped(K=64, steps=2):
    @T.prim_func
    def main(A: T.Tensor((16, K), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_fragment((16, 48), "float32")
            b = T.alloc_fragment((16,), "float32")
            T.clear(b)
            for k in T.serial(steps):
                T.copy(A[0, k * 48], a)
                T.reduce_sum(a, b, dim=1, clear=False)
            T.copy(b, B)

    return main


def test_a_tile_of_which_nothing_exists_is_told_and_a_partial_one_is_not(check):
    assert check(stepped, normal(16, 64)) == {}
    found = check(stepped, normal(16, 64), steps=3)["tile-outside"]
    assert (found.severity, found.index) == ("warning", (0, 96))
    assert found.loops["k"] == 2


@tilelang.jit
def converted_by_some(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float8_e4m3fn")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((N, N), "float32")
            tx = T.get_thread_binding(0)
            T.copy(A, a)
            if tx < 32:
                T.copy(a, B)

    return main


def test_a_tile_that_some_threads_convert_is_looked_at_as_a_whole(check):
    values = np.zeros((64, 64), np.float32)
    assert check(converted_by_some, values) == {}
    values[40, 3] = -1000
    found = check(converted_by_some, values)["narrow-overflow"]
    assert (found.index, found.evidence["kept"]) == ((40, 3), -448.0)
