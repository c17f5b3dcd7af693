"""Loops that go beyond a fragment: executed where TileLang gives it the loop's layout."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def spread(extent, also_copied=False):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            few = T.alloc_fragment((4,), "float32")
            many = T.alloc_fragment((64,), "float32")
            for i in T.Parallel(64):
                few[i] = A[i]
            if also_copied:
                T.copy(few, B[0:4])
            for i in T.Parallel(extent):
                many[i] = few[i] * 2
            for i in T.Parallel(extent):
                B[i] = many[i]

    return main


def codes(outcome):
    return [(each.code, each.severity) for each in outcome.report.findings]


def test_each_iteration_keeps_its_own_element_and_the_lines_are_told(build, simulate):
    a = torch.randn(64)
    outcome = simulate(build(spread, extent=64), a)
    assert torch.equal(outcome.tensors[1], a * 2)
    assert codes(outcome) == [("index-beyond-fragment", "warning")] * 2
    assert "[63]" in outcome.report.findings[0].message
    assert outcome.report.findings[0].buffer == "few"


def test_loops_of_different_extents_are_out_of_bounds(build, simulate):
    outcome = simulate(build(spread, extent=32), torch.randn(64))
    assert {code for code, _ in codes(outcome)} >= {"out-of-bounds-write", "out-of-bounds-read"}


def test_a_fragment_that_a_tile_operation_uses_is_out_of_bounds(build, simulate):
    outcome = simulate(build(spread, extent=64, also_copied=True), torch.randn(64))
    assert ("out-of-bounds-write", "error") in codes(outcome)
