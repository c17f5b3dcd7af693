"""Matrix products of tiles against torch in float64."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def matmul(
    M=96,
    N=80,
    K=64,
    dtype="float16",
    accum="float32",
    out="float32",
    tA=False,
    tB=False,
    swizzle=False,
):
    @T.prim_func
    def main(
        A: T.Tensor((K, M) if tA else (M, K), dtype),
        B: T.Tensor((N, K) if tB else (K, N), dtype),
        C: T.Tensor((M, N), out),
    ):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            a = T.alloc_shared((32, 32), dtype)
            b = T.alloc_shared((32, 32), dtype)
            c = T.alloc_fragment((32, 32), accum)
            if swizzle:
                T.use_swizzle(panel_size=10)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                if tA:
                    T.copy(A[k * 32, by * 32], a)
                else:
                    T.copy(A[by * 32, k * 32], a)
                if tB:
                    T.copy(B[bx * 32, k * 32], b)
                else:
                    T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c, transpose_A=tA, transpose_B=tB)
            T.copy(c, C[by * 32, bx * 32])

    return main


def operands(m, n, k, dtype=torch.float16):
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(s, generator=generator).to(dtype) for s in ((m, k), (k, n)))
    return left, right


@pytest.mark.parametrize("t_a", [False, True])
@pytest.mark.parametrize("t_b", [False, True])
def test_every_transpose(build, simulate, t_a, t_b):
    a, b = operands(96, 80, 64)
    expected = a.double() @ b.double()
    left = a.T.contiguous() if t_a else a
    right = b.T.contiguous() if t_b else b
    result = simulate(build(matmul, tA=t_a, tB=t_b), left, right).tensors[2]
    torch.testing.assert_close(result.double(), expected, rtol=1e-5, atol=1e-5)


def test_swizzled_blocks_change_nothing(build, simulate):
    a, b = operands(96, 80, 64)
    result = simulate(build(matmul, swizzle=True), a, b).tensors[2]
    torch.testing.assert_close(result.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-5)


def test_tails_are_padded_with_zeros(build, simulate):
    a, b = operands(50, 70, 90)
    outcome = simulate(build(matmul, M=50, N=70, K=90), a, b)
    torch.testing.assert_close(
        outcome.tensors[2].double(), a.double() @ b.double(), rtol=1e-5, atol=1e-5
    )
    assert {finding.code for finding in outcome.report.findings} == {"partial-tile"}
    assert {finding.severity for finding in outcome.report.findings} == {"info"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
def test_narrow_floats_multiply_exactly(build, simulate, dtype):
    a, b = operands(96, 80, 64, dtype)
    name = str(dtype).removeprefix("torch.")
    result = simulate(build(matmul, dtype=name), a, b).tensors[2]
    torch.testing.assert_close(result.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-4)


def test_int8_is_exact(build, simulate):
    generator = torch.Generator().manual_seed(0)
    a = torch.randint(-128, 128, (96, 64), generator=generator, dtype=torch.int8)
    b = torch.randint(-128, 128, (64, 80), generator=generator, dtype=torch.int8)
    result = simulate(build(matmul, dtype="int8", accum="int32", out="int32"), a, b).tensors[2]
    assert torch.equal(result, a.int() @ b.int())


def test_half_accumulator_rounds_once_a_tile(build, simulate):
    a, b = operands(96, 80, 64)
    result = simulate(build(matmul, accum="float16", out="float16"), a, b).tensors[2]
    expected = (a[:, :32].float() @ b[:32].float()).half()
    expected = (expected.float() + a[:, 32:].float() @ b[32:].float()).half()
    torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-3)


def test_accumulator_that_is_not_cleared_shows(build, simulate):
    @tilelang.jit
    def uncleared():
        @T.prim_func
        def main(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32")):
            with T.Kernel(1, threads=32):
                a = T.alloc_shared((16, 16), "float16")
                c = T.alloc_fragment((16, 16), "float32")
                T.copy(A, a)
                T.gemm(a, a, c)
                T.copy(c, C)

        return main

    a = torch.ones(16, 16, dtype=torch.float16)
    program = build(uncleared)
    assert simulate(program, a).tensors[1].isnan().all()
    assert torch.equal(simulate(program, a, poison=False).tensors[1], torch.full((16, 16), 16.0))


def test_clear_accum_overwrites(build, simulate):
    @tilelang.jit
    def overwriting():
        @T.prim_func
        def main(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32")):
            with T.Kernel(1, threads=32):
                a = T.alloc_shared((16, 16), "float16")
                c = T.alloc_fragment((16, 16), "float32")
                T.copy(A, a)
                for k in T.serial(3):
                    T.gemm(a, a, c, clear_accum=(k == 0))
                T.copy(c, C)

        return main

    a = torch.ones(16, 16, dtype=torch.float16)
    assert torch.equal(simulate(build(overwriting), a).tensors[1], torch.full((16, 16), 48.0))


def test_cpu_dialect(build, simulate):
    import tilelang.cpu.language as C

    @tilelang.jit
    def on_cpu(M=32, N=32, K=32, block=16):
        @C.prim_func
        def main(
            A: C.Tensor((M, K), "float32"),
            B: C.Tensor((K, N), "float32"),
            D: C.Tensor((M, N), "float32"),
        ):
            with C.Kernel(C.ceildiv(N, block), C.ceildiv(M, block)) as (bx, by):
                a = C.alloc_local((block, block), "float32")
                b = C.alloc_local((block, block), "float32")
                c = C.alloc_local((block, block), "float32")
                C.clear(c)
                for ko in C.serial(C.ceildiv(K, block)):
                    C.copy(A[by * block, ko * block], a)
                    C.copy(B[ko * block, bx * block], b)
                    for i, j, k in C.grid(block, block, block):
                        c[i, j] += a[i, k] * b[k, j]
                C.copy(c, D[by * block, bx * block])

        return main

    a, b = operands(32, 32, 32, torch.float32)
    result = simulate(build(on_cpu, lowering={"kind": "c"}), a, b).tensors[2]
    torch.testing.assert_close(result.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-5)
