"""T.Parallel: every statement vectorised over the tile."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(2)).to(dtype)


def test_addition_with_tails(build, simulate):
    @tilelang.jit
    def add(N=1000, block=256):
        @T.prim_func
        def main(
            A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
        ):
            with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
                for i in T.Parallel(block):
                    C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

        return main

    a, b = values(1000), values(1000) * 2
    outcome = simulate(build(add), a, b)
    assert torch.equal(outcome.tensors[2], a + b)
    assert all(finding.severity == "info" for finding in outcome.report.findings)


def test_transposed_indices(build, simulate):
    @tilelang.jit
    def transpose(M=64, N=32):
        @T.prim_func
        def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((M, N), "float32")
                T.copy(A, s)
                for i, j in T.Parallel(N, M):
                    B[i, j] = s[j, i]

        return main

    a = values(64, 32)
    assert torch.equal(simulate(build(transpose), a).tensors[1], a.T)


def test_index_arithmetic_that_no_slice_can_express(build, simulate):
    @tilelang.jit
    def rotated(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    B[i] = A[(i * 5 + 3) % N]

        return main

    a = values(64)
    assert torch.equal(simulate(build(rotated), a).tensors[1], a[(torch.arange(64) * 5 + 3) % 64])


def test_guarded_reads_do_not_count_as_out_of_bounds(build, simulate):
    @tilelang.jit
    def shifted(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(1, threads=64):
                s = T.alloc_shared((N,), "float32")
                T.copy(A, s)
                for i in T.Parallel(N):
                    B[i] = T.if_then_else(i > 0, s[i - 1], 0.0)

        return main

    a = values(64)
    outcome = simulate(build(shifted), a)
    assert torch.equal(outcome.tensors[1], torch.cat([torch.zeros(1), a[:-1]]))
    assert outcome.report.findings == ()


def test_conditions_in_the_body(build, simulate):
    @tilelang.jit
    def signs(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "int32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    if A[i] > 0.5:
                        B[i] = 2
                    elif A[i] > 0:
                        B[i] = 1
                    else:
                        B[i] = -1

        return main

    a = values(64)
    expected = torch.where(a > 0.5, 2, torch.where(a > 0, 1, -1)).int()
    assert torch.equal(simulate(build(signs), a).tensors[1], expected)


def test_serial_loop_inside(build, simulate):
    @tilelang.jit
    def rows(M=32, K=16):
        @T.prim_func
        def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((M,), "float32")):
            with T.Kernel(1, threads=32):
                total = T.alloc_fragment((M,), "float32")
                T.clear(total)
                for i in T.Parallel(M):
                    for k in T.serial(K):
                        total[i] += A[i, k]
                T.copy(total, B)

        return main

    a = values(32, 16)
    result = simulate(build(rows), a).tensors[1]
    torch.testing.assert_close(result.double(), a.double().sum(1), rtol=1e-5, atol=1e-5)


def test_pairs_that_share_an_element_add_up(build, simulate):
    @tilelang.jit
    def pairs(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N // 2,), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_fragment((N // 2,), "float32")
                T.clear(s)
                for i in T.Parallel(N):
                    s[i // 2] += A[i]
                T.copy(s, B)

        return main

    a = values(64)
    torch.testing.assert_close(simulate(build(pairs), a).tensors[1], a.view(32, 2).sum(1))


def test_a_local_variable_is_private_to_each_iteration(build, simulate):
    @tilelang.jit
    def squares(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(1, threads=64):
                x = T.alloc_var("float32")
                for i in T.Parallel(N):
                    x = A[i] + 1.0
                    B[i] = x * x

        return main

    a = values(64)
    assert torch.equal(simulate(build(squares), a).tensors[1], (a + 1) * (a + 1))


def test_half_arithmetic_rounds_at_each_operation(build, simulate):
    @tilelang.jit
    def expression(N=256):
        @T.prim_func
        def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    B[i] = A[i] * A[i] + A[i]

        return main

    a = values(256, dtype=torch.float16)
    assert torch.equal(simulate(build(expression), a).tensors[1], a * a + a)


def test_bfloat16_arithmetic_rounds_at_each_operation(build, simulate):
    @tilelang.jit
    def expression(N=256):
        @T.prim_func
        def main(A: T.Tensor((N,), "bfloat16"), B: T.Tensor((N,), "bfloat16")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    B[i] = A[i] * T.bfloat16(1.7) + A[i]

        return main

    a = values(256, dtype=torch.bfloat16)
    factor = torch.tensor(1.7, dtype=torch.bfloat16)
    assert torch.equal(simulate(build(expression), a).tensors[1], a * factor + a)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("exp", torch.exp),
        ("exp2", torch.exp2),
        ("log", lambda x: torch.log(x)),
        ("log2", lambda x: torch.log2(x)),
        ("sqrt", torch.sqrt),
        ("rsqrt", torch.rsqrt),
        ("sin", torch.sin),
        ("cos", torch.cos),
        ("tanh", torch.tanh),
        ("sigmoid", torch.sigmoid),
        ("floor", torch.floor),
        ("ceil", torch.ceil),
        ("abs", torch.abs),
        ("erf", torch.erf),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_elementary_functions(build, simulate, name, reference, dtype):
    kind = str(dtype).removeprefix("torch.")

    @tilelang.jit
    def apply(name, kind, N=128):
        @T.prim_func
        def main(A: T.Tensor((N,), kind), B: T.Tensor((N,), kind)):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    B[i] = getattr(T, name)(A[i])

        return main

    a = values(128, dtype=dtype).abs() + 0.25
    result = simulate(build(apply, name=name, kind=kind), a).tensors[1]
    tolerance = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}[dtype]
    torch.testing.assert_close(
        result.double(), reference(a.double()), rtol=tolerance, atol=tolerance
    )


def test_integer_division_and_bits(build, simulate):
    @tilelang.jit
    def bits(N=64):
        @T.prim_func
        def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    B[i] = ((A[i] >> 2) & 7) ^ (A[i] // 3) | T.max(A[i] % 5, 2)

        return main

    a = torch.arange(-32, 32, dtype=torch.int32)
    expected = ((a >> 2) & 7) ^ torch.div(a, 3, rounding_mode="floor") | (a % 5).clamp(min=2)
    assert torch.equal(simulate(build(bits), a).tensors[1], expected)


def test_nan_is_dropped_by_max(build, simulate):
    @tilelang.jit
    def relu(N=8):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N):
                    B[i] = T.max(A[i], 0.0)

        return main

    a = torch.tensor([1.0, -1.0, float("nan"), 2.0] * 2)
    assert torch.equal(simulate(build(relu), a).tensors[1], a.nan_to_num(0.0).clamp(min=0))


def test_scalar_integers_wrap_like_their_types(build, simulate):
    @tilelang.jit
    def decoded(bits=4):
        @T.prim_func
        def main(
            A: T.Tensor((2,), "uint32"), B: T.Tensor((16,), "int32"), H: T.Tensor((1,), "uint32")
        ):
            with T.Kernel(1, threads=1):
                for i in T.serial(16):
                    word = A[i // 8] >> T.Cast("uint32", (i % 8) * bits)
                    field = T.Cast("int32", word & T.uint32(15))
                    B[i] = (field << 28) >> 28
                H[0] = (A[0] + T.uint32(7)) * T.uint32(2654435761)

        return main

    fields = [each - 8 for each in range(16)]
    words = [sum((f & 15) << (4 * at) for at, f in enumerate(fields[s : s + 8])) for s in (0, 8)]
    given = torch.tensor(words, dtype=torch.int64).to(torch.uint32)
    outcome = simulate(build(decoded), given)
    assert outcome.tensors[1].tolist() == fields
    assert outcome.tensors[2].tolist() == [(words[0] + 7) * 2654435761 % 2**32]
