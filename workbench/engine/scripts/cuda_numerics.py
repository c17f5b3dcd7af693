"""Where torch on a CUDA device computes other numbers than on a CPU: random streams, and division.

Scripts with fixed seeds and exact comparisons depend on both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

# These draw on the device that they are told; the rest of the table on that of their tensor.
_CREATING = {"rand", "randn", "randint", "randperm", "normal"}
_DRAWING = _CREATING | {
    *("rand_like", "randn_like", "randint_like", "dropout", "dropout_", "bernoulli", "multinomial"),
    *("uniform_", "normal_", "random_", "bernoulli_", "exponential_", "log_normal_", "cauchy_"),
    *("geometric_",),
}
_IN_PLACE = {"div_", "true_divide_", "__itruediv__"}
_DIVIDING = _IN_PLACE | {"div", "true_divide", "__truediv__"}


class RandomStreams:
    """The CPU's generator and one more for the GPU: drawing from one leaves the other as it is.

    The numbers of the GPU's are not those of a GPU (which uses Philox), only its independence is.
    """

    def __init__(self) -> None:
        self._cuda = torch.random.get_rng_state()

    def seed(self, seed: int) -> None:
        """What torch.manual_seed does to a GPU's generator."""
        self._cuda = torch.Generator("cpu").manual_seed(int(seed)).get_state()

    @property
    def state(self) -> torch.Tensor:
        """The state of the GPU's generator."""
        return self._cuda.clone()

    @state.setter
    def state(self, state: torch.Tensor) -> None:
        self._cuda = state.clone()

    def is_cuda_draw(self, name: str, kwargs: Mapping[str, Any], on_cuda: bool) -> bool:
        """Whether a call draws from the GPU's generator; `on_cuda`: it names a CUDA device."""
        if name not in _DRAWING or kwargs.get("generator") is not None:
            return False
        return on_cuda or (name not in _CREATING and not self._is_capturing())

    def draw(self, call: Callable[[], Any]) -> Any:
        """The result of a call that draws from the GPU's generator."""
        outer = torch.random.get_rng_state()
        torch.random.set_rng_state(self._cuda)
        try:
            return call()
        finally:
            self._cuda = torch.random.get_rng_state()
            torch.random.set_rng_state(outer)

    def _is_capturing(self) -> bool:
        """Without memory nothing is drawn: a fake tensor mode has no generator's state to keep."""
        return bool(torch._C._len_torch_dispatch_stack() > 0)


def divided_by_scalar(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A tensor divided by a number as CUDA does it, times the reciprocal; None for other calls.

    Source: PyTorch, aten/src/ATen/native/cuda/BinaryDivTrueKernel.cu (div_true_kernel_cuda).
    """
    if name not in _DIVIDING or len(args) != 2 or kwargs:
        return None
    tensor, number = args
    if not isinstance(tensor, torch.Tensor) or not tensor.dtype.is_floating_point:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or number == 0:
        return None
    wide = np.float64 if tensor.dtype == torch.float64 else np.float32
    reciprocal = float(wide(1) / wide(number))
    return tensor.mul_(reciprocal) if name in _IN_PLACE else tensor.mul(reciprocal)
