"""Which part of a parameter each block wrote."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator import writes


def boxes(report, number):
    """Block to (starts, extents) of one parameter."""
    table = report.writes[number]
    rows = zip(table.blocks.tolist(), table.starts.tolist(), table.extents.tolist(), strict=True)
    return {tuple(block): (tuple(starts), tuple(extents)) for block, starts, extents in rows}


@tilelang.jit
def copied(M=100, N=96):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=64) as (bx, by):
            s = T.alloc_shared((64, 32), "float32")
            T.copy(A[by * 64, bx * 32], s)
            T.copy(s, B[by * 64, bx * 32])

    return main


def test_tiles_are_clipped_to_the_output(build, simulate):
    report = simulate(build(copied), torch.zeros(100, 96), record_writes=True).report
    assert report.grids == ((3, 2),)
    assert list(report.writes) == [1]
    found = boxes(report, 1)
    assert len(found) == 6
    assert found[0, 0, 0] == ((0, 0), (64, 32))
    assert found[2, 1, 0] == ((64, 64), (36, 32))
    assert report.writes[1].starts.dtype == np.int32


def test_nothing_is_recorded_unasked(build, simulate):
    assert simulate(build(copied), torch.zeros(100, 96)).report.writes is None


def test_too_many_blocks_are_not_recorded(build, simulate, monkeypatch):
    monkeypatch.setattr("workbench.engine.simulator.runtime.MOST_BLOCKS", 5)
    assert writes.MOST_BLOCKS == 65_536
    outcome = simulate(build(copied), torch.ones(100, 96), record_writes=True)
    assert outcome.report.writes is None
    assert torch.equal(outcome.tensors[1], torch.ones(100, 96))


def test_guarded_elements_are_those_inside(build, simulate):
    @tilelang.jit
    def guarded(N=100):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(2, threads=64) as bx:
                for i in T.Parallel(64):
                    if bx * 64 + i < 90:
                        B[bx * 64 + i] = A[bx * 64 + i]

        return main

    report = simulate(build(guarded), torch.zeros(100), record_writes=True).report
    assert boxes(report, 1) == {(0, 0, 0): ((0,), (64,)), (1, 0, 0): ((64,), (26,))}


def test_elements_beyond_the_end_are_not_written(build, simulate):
    @tilelang.jit
    def tail(N=100):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(2, threads=64) as bx:
                for i in T.Parallel(64):
                    B[bx * 64 + i] = A[bx * 64 + i]

        return main

    report = simulate(build(tail), torch.zeros(100), record_writes=True).report
    assert boxes(report, 1)[1, 0, 0] == ((64,), (36,))


def test_threads_that_store_one_element_each(build, simulate):
    @tilelang.jit
    def threads(N=96):
        @T.prim_func
        def main(B: T.Tensor((N,), "int32")):
            with T.Kernel(3, threads=32) as bx:
                tx = T.get_thread_binding()
                if tx < 30:
                    B[bx * 32 + tx] = tx

        return main

    report = simulate(build(threads), torch.zeros(96, dtype=torch.int32), record_writes=True).report
    assert boxes(report, 0)[2, 0, 0] == ((64,), (30,))


@pytest.mark.parametrize("by_tile", [True, False])
def test_atomics_are_writes(build, simulate, by_tile):
    @tilelang.jit
    def split(by_tile):
        @T.prim_func
        def main(A: T.Tensor((4, 32), "float32"), B: T.Tensor((2, 32), "float32")):
            with T.Kernel(2, 2, threads=32) as (bx, by):
                s = T.alloc_shared((32,), "float32")
                T.copy(A[by * 2 + bx, 0:32], s)
                if by_tile:
                    T.atomic_add(B[bx, 0], s)
                else:
                    for i in T.Parallel(32):
                        T.atomic_add(B[bx, i], s[i])

        return main

    program = build(split, by_tile=by_tile)
    outcome = simulate(program, torch.ones(4, 32), torch.zeros(2, 32), record_writes=True)
    assert torch.equal(outcome.tensors[1], torch.full((2, 32), 2.0))
    assert boxes(outcome.report, 1)[1, 1, 0] == ((1, 0), (1, 32))


def test_a_block_that_writes_twice_has_one_box(build, simulate):
    @tilelang.jit
    def corners(N=64):
        @T.prim_func
        def main(B: T.Tensor((N, N), "float32")):
            with T.Kernel(1, threads=32):
                T.fill(B[0:4, 0:4], 1)
                B[63, 40] = 2.0

        return main

    report = simulate(build(corners), torch.zeros(64, 64), record_writes=True).report
    assert boxes(report, 0) == {(0, 0, 0): ((0, 0), (64, 41))}


def test_writes_through_a_view_are_the_parameters(build, simulate):
    @tilelang.jit
    def reshaped():
        @T.prim_func
        def main(B: T.Tensor((4, 8, 16), "float32")):
            flat = T.Tensor((32, 16), "float32", B.data)
            with T.Kernel(2, 2, threads=32) as (bx, by):
                s = T.alloc_shared((8, 8), "float32")
                T.fill(s, 1)
                T.copy(s, flat[by * 8 + 8, bx * 8])

        return main

    report = simulate(build(reshaped), torch.zeros(4, 8, 16), record_writes=True).report
    assert boxes(report, 0)[1, 1, 0] == ((2, 0, 8), (1, 8, 8))


def test_every_launch_has_a_number(build, simulate):
    @tilelang.jit
    def two():
        @T.prim_func
        def main(B: T.Tensor((8,), "float32"), D: T.Tensor((8,), "float32")):
            with T.Kernel(2, threads=32) as bx:
                T.fill(B[bx * 4 : bx * 4 + 4], 1)
            with T.Kernel(1, threads=32):
                T.fill(D, 2)

        return main

    report = simulate(build(two), torch.zeros(8), torch.zeros(8), record_writes=True).report
    assert report.grids == ((2,), (1,))
    assert [each.launches.tolist() for each in report.writes.values()] == [[0, 0], [1]]
