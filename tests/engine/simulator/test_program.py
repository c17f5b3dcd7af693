"""Programs: parameters, arguments, dynamic sizes, launches, block order, and refusals."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import inspect

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator import ArgumentError, SimulationOptions, Unsupported


@tilelang.jit
def scaled(N=256):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), factor: T.float32, B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 32, threads=32) as bx:
            for i in T.Parallel(32):
                B[bx * 32 + i] = A[bx * 32 + i] * factor

    return main


@tilelang.jit
def dynamic_scale(block=64):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            s = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], s)
            for i in T.Parallel(block):
                s[i] = s[i] * 2.0
            T.copy(s, B[bx * block])

    return main


def test_parameters_tell_what_the_body_does(build):
    program = build(scaled)
    assert [
        (each.name, each.dtype, each.shape, each.is_buffer, each.reads, each.writes)
        for each in program.parameters
    ] == [
        ("A", "float32", (256,), True, True, False),
        ("factor", "float32", (), False, True, False),
        ("B", "float32", (256,), True, False, True),
    ]


def test_scalars_are_passed_by_value(build, simulate):
    a = torch.arange(256.0)
    assert torch.equal(simulate(build(scaled), a, 3.0).tensors[2], a * 3)


def test_source_is_readable_python(build):
    source = build(scaled).source
    compile(source, "source", "exec")
    assert source.startswith("def program(rt, A_1, factor_1, B_1):")


@pytest.mark.parametrize("size", [64, 100, 300])
def test_dynamic_sizes_bind_from_the_tensors(build, simulate, size):
    program = build(dynamic_scale)
    assert program.parameters[0].shape == ("n",)
    a = torch.arange(float(size))
    assert torch.equal(simulate(program, a, torch.zeros(size)).tensors[1], a * 2)


def test_dynamic_sizes_must_agree(build):
    with pytest.raises(ArgumentError, match="B: shape"):
        build(dynamic_scale).run([np.zeros(4, np.float32), np.zeros(5, np.float32)])


def test_dynamic_strides_bind_from_the_tensors(build, simulate):
    @tilelang.jit
    def strided():
        m, row = T.dynamic("m, row")

        @T.prim_func
        def main(A: T.StridedTensor((m, 8), (row, 1), "float32"), B: T.Tensor((m, 8), "float32")):
            with T.Kernel(m, threads=32) as bx:
                for j in T.Parallel(8):
                    B[bx, j] = A[bx, j]

        return main

    wide = np.arange(80, dtype=np.float32).reshape(5, 16)
    result = np.zeros((5, 8), np.float32)
    build(strided).run([wide[:, :8], result])
    assert np.array_equal(result, wide[:, :8])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "3 arguments expected"),
        ([[1.0], 1.0, np.zeros(256, np.float32)], "A: a numpy array"),
        ([np.zeros(256), 1.0, np.zeros(256, np.float32)], "A: dtype float32 expected"),
        ([np.zeros(255, np.float32), 1.0, np.zeros(256, np.float32)], "A: shape"),
    ],
)
def test_arguments_that_do_not_fit_are_named(build, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        build(scaled).run(arguments)


def test_read_only_arrays_may_be_inputs_only(build):
    program = build(scaled)
    a, b = np.ones(256, np.float32), np.ones(256, np.float32)
    a.flags.writeable = False
    program.run([a, 2.0, b])
    assert b.sum() == 512
    b.flags.writeable = False
    with pytest.raises(ArgumentError, match="B: is written"):
        program.run([a, 2.0, b])


def test_reversed_arrays_may_be_inputs(build):
    a, b = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    build(scaled).run([a[::-1], 2.0, b])
    assert np.array_equal(b, a[::-1] * 2)


def test_shuffled_blocks_give_the_same_bits(build, simulate):
    a = torch.randn(256)
    program = build(scaled)
    plain = simulate(program, a, 1.5)
    shuffled = simulate(program, a, 1.5, shuffle_seed=7)
    assert torch.equal(plain.tensors[2], shuffled.tensors[2])
    assert plain.report.blocks_run == shuffled.report.blocks_run == 8


def test_a_sample_runs_so_many_blocks(build, simulate):
    outcome = simulate(build(scaled), torch.ones(256), 1.0, sample=3)
    assert (outcome.report.blocks_total, outcome.report.blocks_run) == (8, 3)
    written = ~outcome.tensors[2].isnan().view(8, 32)
    assert written.all(1).sum() == 3
    assert written[0].all()
    assert written[7].all()


def test_several_launches_run_in_order(build, simulate):
    @tilelang.jit
    def twice(N=64):
        @T.prim_func
        def main(
            A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
        ):
            with T.Kernel(2, threads=32) as bx:
                for i in T.Parallel(32):
                    B[bx * 32 + i] = A[bx * 32 + i] + 1.0
            with T.Kernel(1, threads=64):
                for i in T.Parallel(N):
                    C[i] = B[N - 1 - i]

        return main

    a = torch.arange(64.0)
    outcome = simulate(build(twice), a)
    assert torch.equal(outcome.tensors[2], (a + 1).flip(0))
    assert outcome.report.blocks_total == 3


def test_persistent_blocks_take_several_tiles(build, simulate):
    @tilelang.jit
    def persistent():
        @T.prim_func
        def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
            with T.Kernel(3, threads=64) as bx:
                for i, _ in T.Persistent([8, 1], 3, bx):
                    for k in T.Parallel(64):
                        B[i, k] = A[i, k] + 1.0

        return main

    a = torch.randn(8, 64)
    assert torch.equal(simulate(build(persistent), a).tensors[1], a + 1)


def test_on_chip_overrun_is_a_finding_at_its_line(build, simulate):
    @tilelang.jit
    def overrun():
        @T.prim_func
        def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
            with T.Kernel(2, threads=64) as bx:
                s = T.alloc_shared((64,), "float32")
                T.copy(A[bx, :], s)
                for i in T.Parallel(64):
                    B[bx, i] = s[i + bx]

        return main

    lines, first = inspect.getsourcelines(overrun.func)
    line = first + next(at for at, text in enumerate(lines) if "s[i + bx]" in text)
    (finding,) = simulate(build(overrun), torch.ones(2, 64)).report.findings
    assert (finding.code, finding.severity) == ("out-of-bounds-read", "error")
    assert (finding.line, finding.buffer, finding.block) == (line, "s", (1,))
    assert "[64], outside its shape (64,)" in finding.message


def test_tile_overrun_on_chip_is_an_error(build, simulate):
    @tilelang.jit
    def overrun():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(3, threads=64) as bx:
                s = T.alloc_shared((64,), "float32")
                T.fill(s[bx * 24 : bx * 24 + 32], 1)
                T.copy(s, A)

        return main

    (finding,) = simulate(build(overrun)).report.findings
    assert (finding.code, finding.severity) == ("out-of-bounds-write", "error")
    assert (finding.block, finding.count) == ((2,), 1)


def test_findings_are_counted(build, simulate):
    (read, write) = simulate(
        build(dynamic_scale), torch.ones(100), torch.zeros(100)
    ).report.findings
    assert (read.code, read.buffer, read.count) == ("partial-tile", "A", 1)
    assert (write.code, write.buffer, write.block) == ("partial-tile", "B", (1,))


def test_unsupported_names_the_operation_and_the_line(build):
    @tilelang.jit
    def printing():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                T.call_extern("handle", "my_device_function", A[0])

        return main

    lines, first = inspect.getsourcelines(printing.func)
    line = first + next(at for at, text in enumerate(lines) if "my_device_function" in text)
    with pytest.raises(Unsupported, match="my_device_function") as caught:
        build(printing)
    assert caught.value.line == line


def test_options_are_frozen():
    with pytest.raises(AttributeError):
        SimulationOptions().poison = False


def test_size_in_terms_of_a_dynamic_variable(build, simulate):
    @tilelang.jit
    def cleared():
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n * 3 + 1,), "int32")):
            with T.Kernel(1):
                for i in T.serial(n * 3 + 1):
                    A[i] = n

        return main

    assert (
        simulate(build(cleared), torch.zeros(16, dtype=torch.int32)).tensors[0].tolist() == [5] * 16
    )


def test_an_assumption_on_the_host_does_nothing(build, simulate):
    @tilelang.jit
    def halved():
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            T.assume(n % 4 == 0)
            with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
                for i in T.Parallel(32):
                    B[bx * 32 + i] = A[bx * 32 + i] / 2

        return main

    a = torch.arange(96.0)
    assert torch.equal(simulate(build(halved), a, torch.zeros(96)).tensors[1], a / 2)
