"""What is noticed while a kernel runs: where, at which element, and what healthy kernels do not."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

from pathlib import Path

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator import SimulationOptions


@pytest.fixture(scope="module")
def check(build):
    """Return a function that runs a kernel with all checks and gives its findings by code."""

    def run(kernel, *inputs, fresh=None, infos=False, **arguments):
        program = build(kernel, checks=True, **arguments)
        values = [each.clone().numpy() for each in inputs]
        for each in program.parameters[len(values) :]:
            values.append(np.zeros(each.shape, each.dtype))
        report = program.run(values, SimulationOptions(fresh=fresh))
        return {f.code: f for f in report.findings if infos or f.severity != "info"}

    return run


def line_of(text):
    """Return the line in this file that ends in a kernel's comment."""
    lines = Path(__file__).read_text().splitlines()
    found = [at for at, line in enumerate(lines, 1) if line.endswith(f"# {text}")]
    assert len(found) == 1
    return found[0]


@tilelang.jit
def half_filled(N=64, reaches=True):
    count = N if reaches else N // 2

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((N,), "float32")
            f = T.alloc_fragment((N,), "float32")
            for i in T.Parallel(N // 2):
                s[i] = A[i]
            T.copy(s, f)
            for i in T.Parallel(N):
                f[i] = f[i] * 2.0
            for i in T.Parallel(N):
                if i < count:
                    B[i] = f[i]

    return main


def test_an_undefined_read_is_told_where_it_reaches_an_output(check):
    found = check(half_filled, torch.ones(64))["uninitialized-read"]
    assert found.buffer == "s"
    assert found.evidence["reaches"] == "B[32]"


def test_undefined_elements_that_reach_no_output_are_no_finding(check):
    assert "uninitialized-read" not in check(half_filled, torch.ones(64), reaches=False)


@tilelang.jit
def double_buffered(N=64, steps=4):
    @T.prim_func
    def main(A: T.Tensor((steps, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((2, N), "float32")
            acc = T.alloc_fragment((N,), "float32")
            T.clear(acc)
            for k in T.serial(steps):
                T.copy(A[k, 0], s[k % 2, :])
                for i in T.Parallel(N):
                    acc[i] += s[k % 2, i]
            T.copy(acc, B)

    return main


def test_a_buffer_filled_in_parts_is_defined(check):
    assert check(double_buffered, torch.ones(4, 64)) == {}


@tilelang.jit
def cleared_by_first_product(K=64):
    @T.prim_func
    def main(A: T.Tensor((16, K), "float16"), B: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((16, 16), "float16")
            acc = T.alloc_fragment((16, 16), "float32")
            for k in T.serial(K // 16):
                T.copy(A[0, k * 16], a)
                T.gemm(a, a, acc, transpose_B=True, clear_accum=k == 0)
            T.copy(acc, B)

    return main


def test_a_product_that_clears_needs_no_clear(check):
    assert check(cleared_by_first_product, torch.ones(16, 64, dtype=torch.float16)) == {}


@tilelang.jit
def undefined_condition(N=32):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            flag = T.alloc_shared((1,), "int32")
            for i in T.Parallel(N):
                B[i] = 0
            if flag[0] > 0:  # decides
                T.copy(A, B)

    return main


def test_a_condition_on_undefined_memory_is_a_finding(check):
    found = check(undefined_condition, torch.ones(32, dtype=torch.int32))["uninitialized-read"]
    assert found.line == line_of("decides")


@tilelang.jit
def undefined_bound(N=32):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            count = T.alloc_shared((1,), "int32")
            steps = T.min(T.max(count[0], 1), 3)  # counts
            for i in T.Parallel(N):
                B[i] = 0
            for _ in T.serial(steps):
                T.copy(A, B)

    return main


def test_a_number_of_turns_from_undefined_memory_is_a_finding(check):
    found = check(undefined_bound, torch.ones(32, dtype=torch.int32))["uninitialized-read"]
    assert found.line == line_of("counts")


@tilelang.jit
def overlapping(N=64, same=False):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(4, threads=32) as bx:
            for i in T.Parallel(32):
                if same:
                    B[bx * 10 + i] = 1.0
                else:
                    B[bx * 10 + i] = A[i]  # overlaps

    return main


def test_blocks_that_store_one_element_race(check):
    found = check(overlapping, torch.arange(64.0), fresh=())["block-race"]
    assert (found.line, found.index, found.block) == (
        line_of("overlaps"),
        (10,),
        (1,),
    )
    assert found.evidence["other_block"] == [0]


def test_blocks_that_store_the_same_value_are_only_told(check):
    found = check(overlapping, torch.arange(64.0), fresh=(), infos=True, same=True)["block-race"]
    assert found.severity == "info"


@tilelang.jit
def neighbour_in_place(N=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(N // 32, threads=32) as bx:
            s = T.alloc_shared((32,), "float32")
            for i in T.Parallel(32):
                s[i] = A[(bx * 32 + i + 32) % N]
            T.copy(s, A[bx * 32])

    return main


def test_a_block_that_reads_what_another_stores_races(check):
    assert check(neighbour_in_place, torch.arange(128.0))["block-race"].severity == "error"


@tilelang.jit
def shifted_in_place(N=32, offset=1):
    @T.prim_func
    def main(A: T.Tensor((N + 1,), "float32"), B: T.Tensor((N + 1,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((N + 1,), "float32")
            T.copy(A, s)
            for i in T.Parallel(N):
                s[i] = s[i + offset]  # shifts
            T.copy(s, B)

    return main


def test_an_iteration_that_reads_what_another_writes_races(check):
    found = check(shifted_in_place, torch.arange(33.0))["parallel-race"]
    assert found.line == line_of("shifts")
    assert (found.index, dict(found.loops)) == ((1,), {"i": 0})


def test_an_iteration_that_reads_its_own_element_does_not(check):
    assert check(shifted_in_place, torch.arange(33.0), offset=0) == {}


@tilelang.jit
def summed(N=64, scope="shared"):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((1,), "float32", scope=scope)
            T.clear(s)
            for i in T.Parallel(N):
                s[0] += A[i]  # sums
            B[0] = s[0]

    return main


def test_iterations_that_all_add_to_one_element_of_shared_memory_race(check):
    found = check(summed, torch.arange(64.0))["parallel-race"]
    assert found.line == line_of("sums")


def test_iterations_that_add_to_one_element_of_a_fragment_have_a_layout(check):
    assert "parallel-race" not in check(summed, torch.arange(64.0), scope="local.fragment")


@tilelang.jit
def flattened(N=8):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N * N,), "float32")):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(N, N):
                B[i * N + j] = A[i, j]

    return main


def test_iterations_with_an_element_each_do_not_collide(check):
    assert check(flattened, torch.ones(8, 8)) == {}


@tilelang.jit
def last_wins(N=8):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(N, N):
                B[i] = A[i, j]

    return main


@tilelang.jit
def far_apart(N=8, stride=4096, offset=0):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N * stride,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                B[(i + offset * (i % 2)) * stride] = A[i]  # scattered

    return main


def test_elements_far_apart_collide_where_they_are_the_same(check):
    assert "parallel-race" not in check(far_apart, torch.arange(8.0))
    found = check(far_apart, torch.arange(8.0), offset=-1)["parallel-race"]
    assert (found.line, found.index) == (line_of("scattered"), (0,))


def test_iterations_that_store_different_values_in_one_element_collide(check):
    found = check(last_wins, torch.arange(64.0).reshape(8, 8))["parallel-race"]
    assert (found.index, dict(found.loops)) == ((0,), {"i": 0, "j": 0})


def test_iterations_that_store_the_same_value_do_not(check):
    assert check(last_wins, torch.ones(8, 8)) == {}


@tilelang.jit
def reciprocal(N=32, guarded=False):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((N,), "float32")
            for i in T.Parallel(N):
                f[i] = 1.0 / A[i] + 1.0  # divides
            for i in T.Parallel(N):
                B[i] = T.if_then_else(A[i] == 0.0, 0.0, f[i]) if guarded else f[i]

    return main


def test_the_step_that_makes_infinity_is_told_with_its_operands(check):
    a = torch.ones(32)
    a[5] = 0
    found = check(reciprocal, a)["nan-source"]
    assert (found.line, found.index) == (line_of("divides"), (5,))
    assert found.evidence["operation"] == "a quotient"
    assert 0.0 in map(float, found.evidence["operands"].values())


def test_infinity_that_reaches_no_output_is_only_told(check):
    a = torch.ones(32)
    a[5] = 0
    assert "nan-source" not in check(reciprocal, a, guarded=True)
    assert "nan-source" in check(reciprocal, a, guarded=True, infos=True)


@tilelang.jit
def part_written(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 20, threads=32) as bx:  # launches
            for i in T.Parallel(20):
                B[bx * 20 + i] = A[bx * 20 + i]

    return main


def test_an_output_not_covered_is_told_at_the_launch(check):
    found = check(part_written, torch.ones(64))["output-not-covered"]
    assert (found.line, found.index) == (line_of("launches"), (60,))
    assert found.evidence == {"elements": 4, "of": 64}
    assert "B[60:64]" in found.message


def test_memory_that_held_something_need_not_be_covered(check):
    assert check(part_written, torch.ones(64), torch.ones(64), fresh=()) == {}


@tilelang.jit
def added_into_fresh_memory(N=32):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(4, threads=32):
            for i in T.Parallel(N):
                T.atomic_add(B[i], A[i])

    return main


def test_atomics_on_fresh_memory_read_what_is_undefined(check):
    assert "uninitialized-read" in check(added_into_fresh_memory, torch.ones(32), fresh=(1,))
    assert check(added_into_fresh_memory, torch.ones(32), fresh=()) == {}


@tilelang.jit
def overrun(N=16):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((N,), "int32")
            T.clear(s)
            for k in T.serial(3):
                for i in T.Parallel(N):
                    s[A[i] + k] = 1
            T.copy(s, B)

    return main


def test_findings_have_index_block_and_loop_values(build, simulate):
    a = torch.arange(16, dtype=torch.int32)
    (found,) = simulate(build(overrun), a).report.findings
    assert (found.code, found.index, found.block) == ("out-of-bounds-write", (16,), (0,))
    assert dict(found.loops) == {"k": 1, "i": 15}


@tilelang.jit
def through_a_flat_view(rows=40):
    @T.prim_func
    def main(A: T.Tensor((4, 8, 16), "float32"), B: T.Tensor((4, 8, 16), "float32")):
        with T.Kernel(T.ceildiv(rows, 16), threads=64) as bx:
            flat_a = T.Tensor((32, 16), "float32", A.data)
            flat_b = T.Tensor((32, 16), "float32", B.data)
            own = T.alloc_fragment((16, 16), "float32")
            T.copy(flat_a[bx * 16, 0], own)
            T.copy(own, flat_b[bx * 16, 0])

    return main


def test_a_parameter_seen_in_another_shape_is_not_followed(check):
    found = check(through_a_flat_view, torch.ones(4, 8, 16))
    assert {each.severity for each in found.values()} == {"warning"}
    assert set(found) == {"tile-outside"}
    assert check(through_a_flat_view, torch.ones(4, 8, 16), rows=32) == {}


@tilelang.jit
def masked_product(mask=-float("inf"), factor=1.0):
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((32, 32), "float32")
            c = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                c[i, j] = T.if_then_else(i >= j, 0.0, mask)
            T.gemm(a, a, c, transpose_B=True)
            T.copy(c, B)

    return main


def test_an_infinite_mask_below_a_product_is_not_blamed_on_it(check):
    assert check(masked_product, torch.ones(32, 32), infos=True) == {}
    found = check(masked_product, torch.full((32, 32), 1e19), mask=0.0)
    assert found["nan-source"].buffer == "c"
