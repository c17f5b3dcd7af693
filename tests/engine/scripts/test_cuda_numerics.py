from __future__ import annotations

import torch

from workbench.engine.scripts import cuda_on_cpu
from workbench.engine.scripts.cuda_on_cpu import CudaOnCpu


def test_what_a_gpu_draws_leaves_the_cpus_numbers() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    with CudaOnCpu():
        torch.randn(100, device="cuda")
        torch.empty(9, device="cuda").uniform_()
        assert torch.equal(torch.rand(4), expected)


def test_a_gpus_numbers_go_on_and_begin_again_with_its_seed() -> None:
    with CudaOnCpu():
        cuda_on_cpu.STREAMS.seed(5)
        first, second = torch.rand(4, device="cuda"), torch.rand(4, device="cuda")
        cuda_on_cpu.STREAMS.seed(5)
        assert torch.equal(torch.rand(4, device="cuda"), first)
    assert not torch.equal(first, second)


def test_dividing_by_a_number_multiplies_with_its_reciprocal() -> None:
    x = torch.linspace(1, 3, 1000)
    with CudaOnCpu():
        assert torch.equal(x / 448.0, x * torch.tensor(1 / 448.0))
        y = x.clone()
        y /= 448.0
    assert torch.equal(y, x * torch.tensor(1 / 448.0))
    assert not torch.equal(x / 448.0, y)


def test_other_divisions_are_exact() -> None:
    x = torch.arange(5)
    with CudaOnCpu():
        assert torch.equal(x / 2, torch.tensor([0, 0.5, 1, 1.5, 2]))
        assert torch.equal(torch.div(x, 2, rounding_mode="floor"), torch.tensor([0, 0, 1, 1, 2]))


def test_a_device_can_be_named_without_a_gpu() -> None:
    with CudaOnCpu():
        assert torch.device(0) == torch.device("cuda", 0) == torch.ones(1, device=0).device
        assert torch.ones(1, device="cuda:0").to(torch.device("cuda")).is_cuda
        assert torch.ones(2).new_zeros(2, device="cuda").tolist() == [0, 0]
