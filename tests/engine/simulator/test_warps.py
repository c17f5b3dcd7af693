"""Shuffles and reductions among the threads of a warp."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def shuffled(name, operand, width=32):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding(0)
            B[tx] = getattr(T, name)(A[tx], operand, width)

    return main


def sources(name, operand, width):
    lane = torch.arange(64)
    moved = {
        "shfl_xor": lane ^ operand,
        "shfl_down": lane + operand,
        "shfl_up": lane - operand,
        "shfl_sync": lane // width * width + operand % width,
    }[name]
    return torch.where(moved // width == lane // width, moved, lane)


@pytest.mark.parametrize("width", [32, 8])
@pytest.mark.parametrize("name", ["shfl_xor", "shfl_down", "shfl_up", "shfl_sync"])
def test_lanes_read_inside_their_segment(build, simulate, name, width):
    a = torch.arange(64, dtype=torch.int32) * 7
    result = simulate(build(shuffled, name=name, operand=3, width=width), a).tensors[1]
    assert torch.equal(result, a[sources(name, 3, width)])


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_warp_reductions_reach_every_lane(build, simulate, kind):
    @tilelang.jit
    def reduced(kind):
        @T.prim_func
        def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                B[tx] = getattr(T, f"warp_reduce_{kind}")(A[tx])

        return main

    a = torch.randint(-99, 99, (64,), dtype=torch.int32)
    result = simulate(build(reduced, kind=kind), a).tensors[1].view(2, 32)
    reference = {"sum": torch.sum, "max": torch.amax, "min": torch.amin}[kind]
    assert torch.equal(result, reference(a.view(2, 32), 1, True).int().expand(2, 32))


def test_votes_of_a_warp(build, simulate):
    @tilelang.jit
    def votes():
        @T.prim_func
        def main(A: T.Tensor((64,), "int32"), B: T.Tensor((4, 64), "int32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                B[0, tx] = T.any_sync(A[tx] > 2)
                B[1, tx] = T.all_sync(A[tx] > 0)
                B[2, tx] = T.Cast("int32", T.ballot(A[tx] == 1))
                B[3, tx] = T.syncthreads_count(A[tx] == 1)

        return main

    a = torch.ones(64, dtype=torch.int32)
    a[5], a[40] = 0, 3
    got = simulate(build(votes), a).tensors[1]
    assert got[0].tolist() == [0] * 32 + [1] * 32
    assert got[1].tolist() == [0] * 32 + [1] * 32
    assert got[2, 0].item() == ~(1 << 5)
    assert got[2, 63].item() == ~(1 << 8)
    assert got[3].tolist() == [62] * 64


def test_allreduce_over_one_dimension_of_the_threads(build, simulate):
    @tilelang.jit
    def rows():
        @T.prim_func
        def main(A: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
            with T.Kernel(1, threads=(32, 4)):
                tx = T.get_thread_binding(0)
                ty = T.get_thread_binding(1)
                own = T.alloc_local((1,), "float32")
                total = T.alloc_local((1,), "float32")
                own[0] = A[ty, tx]
                with T.attr(
                    T.comm_reducer(lambda x, y: x + y, [T.cast(0, "float32")]),
                    "reduce_scope",
                    T.reinterpret(T.uint64(0), dtype="handle"),
                ):
                    T.evaluate(
                        T.tvm_thread_allreduce(
                            T.uint32(1), own[0], True, total[0], tx, dtype="handle"
                        )
                    )
                B[ty, tx] = total[0]

        return main

    a = torch.randn((4, 32), generator=torch.Generator().manual_seed(2))
    expected = a.double().sum(1, keepdim=True).expand(4, 32)
    got = simulate(build(rows), a).tensors[1]
    torch.testing.assert_close(got.double(), expected, rtol=1e-5, atol=1e-5)
