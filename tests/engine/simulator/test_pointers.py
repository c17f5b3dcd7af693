"""Tensors that a kernel makes from addresses."""

# ruff: noqa: N803, N806, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator import ArgumentError, follows_pointers


@tilelang.jit
def doubled():
    @T.prim_func
    def main(Sources: T.Tensor((2,), T.ptr), Targets: T.Tensor((2,), T.ptr)):
        with T.Kernel(2, threads=64) as block:
            A = T.make_tensor(Sources[block], (8, 16), "float32")
            B = T.make_tensor(Targets[block], (8, 16), "float32")
            S = T.alloc_shared((8, 16), "float32")
            T.copy(A, S)
            for i, j in T.Parallel(8, 16):
                B[i, j] = S[i, j] * 2

    return main


def table(tensors):
    return torch.tensor([each.data_ptr() for each in tensors])


def test_memory_behind_a_table_of_addresses_is_read_and_written(build, simulate):
    program = build(doubled)
    sources, targets = torch.randn(2, 8, 16), [torch.zeros(8, 16), torch.zeros(10, 16)]
    simulate(program, table(sources.unbind()), table(targets))
    assert torch.equal(targets[0], sources[0] * 2)
    assert torch.equal(targets[1][:8], sources[1] * 2)
    assert not targets[1][8:].any()
    assert follows_pointers(program.source)


def test_a_tensor_that_ends_too_early_is_named(build, simulate):
    sources, targets = torch.randn(2, 8, 16), [torch.zeros(8, 16), torch.zeros(7, 16)]
    with pytest.raises(ArgumentError, match="B takes 512 bytes, but its tensor has 448"):
        simulate(build(doubled), table(sources.unbind()), table(targets))


def test_an_address_of_no_tensor_is_refused(build, simulate):
    with pytest.raises(ArgumentError, match="A: the address 0x40 is that of no tensor"):
        simulate(build(doubled), torch.tensor([64, 64]), torch.tensor([64, 64]))
