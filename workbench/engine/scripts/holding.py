"""Stands in, while kernels are only noted, for values: tensors may lack them, comparisons hold."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import tilelang.profiler
import tilelang.utils.tensor
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from workbench.engine.scripts import cuda_on_cpu


def install(shapes_only: bool) -> None:
    """Have comparisons that hold, and with `shapes_only` tensors without memory."""
    cuda_on_cpu.enter_everywhere(_modes if shapes_only else cuda_on_cpu.CudaOnCpu)
    torch.testing.assert_close = _holds
    torch.allclose = torch.equal = _is_true
    tilelang.utils.tensor.torch_assert_close = _holds
    tilelang.profiler.Profiler.assert_allclose = _holds
    tilelang.profiler.Profiler.manual_assert_close = _holds


def _modes() -> ExitStack:
    """The modes of one thread: tensors without memory, and on top CUDA on the CPU."""

    class Both(ExitStack):
        def __enter__(self) -> Any:
            self.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
            self.enter_context(cuda_on_cpu.CudaOnCpu())
            return super().__enter__()

    return Both()


def _holds(*args: Any, **kwargs: Any) -> None:
    return None


def _is_true(*args: Any, **kwargs: Any) -> bool:
    return True
