"""Serial loops that run as one numpy statement, and those that must not."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import time

import pytest
import tilelang
import tilelang.cpu.language as C
import tilelang.language as T
import torch

from workbench.engine.simulator import control_flow

CPU = {"kind": "c"}
LOOP = "for j_"  # how the program begins a loop over j that was left as it is


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(dtype)


@pytest.fixture
def build_serial(build, monkeypatch):
    """Builds with every loop left as it is."""

    def built(*arguments, **options):
        with monkeypatch.context() as patch:
            patch.setattr(control_flow, "is_elementwise", lambda t, loop: False)
            return build(*arguments, **options)

    return built


@tilelang.jit(target="c", execution_backend="cython")
def matmul(M, N, K, dtype="float32"):
    @T.prim_func
    def main(A: C.Tensor((M, K), dtype), B: C.Tensor((K, N), dtype), D: C.Tensor((M, N), dtype)):
        with C.Kernel(1) as _:
            acc = C.alloc_local((M, N), dtype)
            C.clear(acc)
            for i, k, j in C.grid(M, K, N):
                acc[i, j] += A[i, k] * B[k, j]
            C.copy(acc, D)

    return main


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_a_product_has_the_same_bits(build, build_serial, simulate, dtype):
    kind = getattr(torch, dtype)
    sizes = {"M": 5, "N": 19, "K": 33, "dtype": dtype, "lowering": CPU}
    fast, slow = build(matmul, **sizes), build_serial(matmul, **sizes)
    assert LOOP in slow.source
    assert LOOP not in fast.source
    inputs = values(5, 33, dtype=kind), values(33, 19, dtype=kind)
    results = [simulate(program, *inputs).tensors[2] for program in (fast, slow)]
    assert torch.equal(*results)
    assert results[0].float().abs().sum() > 0


def serial(store):
    """A kernel whose one loop over j does `store(A, B, j)` on two buffers of 32 and 64."""

    @tilelang.jit(target="c", execution_backend="cython")
    def kernel():
        return store

    return kernel


@T.prim_func
def every_third(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(20):
            B[3 * j + 2] = C.if_then_else(j < 7, A[j], A[31 - j] / 3.0) + C.cast(j * j, "float32")


@T.prim_func
def beyond_the_end(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[j + 40] = A[j] - B[j + 40]


@pytest.mark.parametrize("body", [every_third, beyond_the_end])
def test_an_elementwise_loop_has_the_same_bits(build, build_serial, simulate, body):
    fast = build(serial(body), lowering=CPU)
    slow = build_serial(serial(body), lowering=CPU)
    assert LOOP not in fast.source
    results = [simulate(program, values(32), values(64)) for program in (fast, slow)]
    assert torch.equal(results[0].tensors[1], results[1].tensors[1])
    codes = [{(f.code, f.message) for f in each.report.findings} for each in results]
    assert codes[0] == codes[1]


@T.prim_func
def prefix_sum(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[j + 1] = B[j] + A[j]


@T.prim_func
def total(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[0] = B[0] + A[j]


@T.prim_func
def folded(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[j // 2] = A[j]


@T.prim_func
def exponential(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[j] = C.exp(A[j])


@T.prim_func
def two_stores(A: C.Tensor((32,), "float32"), B: C.Tensor((64,), "float32")):
    with C.Kernel(1) as _:
        for j in C.serial(32):
            B[j] = A[j]
            B[j + 1] = A[j]


@pytest.mark.parametrize("body", [prefix_sum, total, folded, exponential, two_stores])
def test_a_loop_whose_iterations_may_meet_stays_one(build, simulate, body):
    assert LOOP in build(serial(body), lowering=CPU).source


def test_a_prefix_sum_is_one(build, simulate):
    a = values(32)
    got = simulate(build(serial(prefix_sum), lowering=CPU), a, torch.zeros(64)).tensors[1]
    assert torch.allclose(got[1:33], a.cumsum(0), atol=1e-5)


def test_a_product_of_128_takes_well_under_a_second(build, simulate):
    program = build(matmul, M=128, N=128, K=128, lowering=CPU)
    begun = time.perf_counter()
    simulate(program, values(128, 128), values(128, 128))
    assert time.perf_counter() - begun < 1
