"""Runs a document's reference in float64, whatever casts its author wrote into it.

A reference such as `(A.float() @ B.float()).half()` rounds as it goes; judged against it, a better
kernel looks worse. So the inputs are widened and the casts between floating types of 16 bits and
more become no-ops. Casts to 8-bit floats and to integers are the algorithm and stay.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from workbench.engine.faults import DocumentFaultError

_CPU = torch.device("cpu")
_NARROW = (torch.float16, torch.bfloat16, torch.float32)
_FP8 = tuple(
    dtype
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
    if (dtype := getattr(torch, name, None)) is not None
)
_CASTS = (torch.Tensor.half, torch.Tensor.float, torch.Tensor.bfloat16, torch.Tensor.double)


class ReinterpretError(Exception):
    """The reference looks at the bits of a floating tensor, so it cannot run widened."""


class ReferenceOutputError(DocumentFaultError):
    """The reference returned something that is no output."""


class Widened(TorchFunctionMode):  # type: ignore[misc] # torch is not followed by mypy
    """Within it, every floating tensor of 16 bits or more is created and cast as `wide`, and every
    device that is named is `place`."""

    def __init__(self, wide: torch.dtype, place: torch.device) -> None:
        super().__init__()
        self._wide = wide
        self._place = place

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func` with widened dtypes and this machine's devices."""
        if func in _CASTS:
            return args[0].to(self._wide)
        if func is torch.Tensor.view and _looks_at_bits(*args):
            raise ReinterpretError("view(dtype)")
        if func in (torch.Tensor.cuda, torch.Tensor.cpu):
            return args[0]
        widened = {name: self._widen(value) for name, value in (kwargs or {}).items()}
        return func(*[self._widen(a) for a in args], **widened)

    def _widen(self, value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return self._wide if value in _NARROW or value == torch.float64 else value
        if isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda")):
            return self._place
        return value


def _looks_at_bits(tensor: torch.Tensor, *wanted: Any) -> bool:
    """Whether a view gives the bits of floats that are widened, or makes such floats of bits."""
    wide = (*_NARROW, torch.float64)
    dtypes = [each for each in wanted if isinstance(each, torch.dtype)]
    return bool(dtypes) and any(dtype in wide for dtype in (tensor.dtype, *dtypes))


def run_reference(
    reference: Callable[..., Any],
    inputs: Sequence[Any],
    everything: Sequence[Any],
    place: torch.device = _CPU,
) -> tuple[tuple[Any, ...] | None, str]:
    """The reference's outputs as a tuple (None where it returned None), and how it was computed:
    "float64", "float32" or "as written".

    `inputs` are what goes into the kernel; where the reference has as many parameters as there
    are tensors in `everything`, it receives those. `place` is the device of the tensors.
    """
    arguments = everything if takes(reference, len(everything)) else inputs
    for wide, method in ((torch.float64, "float64"), (torch.float32, "float32")):
        try:
            return _run_widened(reference, arguments, wide, place), method
        except (ReinterpretError, RuntimeError, NotImplementedError, TypeError):
            continue  # an operation without this precision: the next narrower form decides
    return _as_outputs(reference(*[_copied(a) for a in arguments])), "as written"


def _run_widened(
    reference: Callable[..., Any],
    arguments: Sequence[Any],
    wide: torch.dtype,
    place: torch.device,
) -> tuple[Any, ...] | None:
    default = torch.get_default_dtype()
    torch.set_default_dtype(wide)
    try:
        widened = [_widened_input(a, wide) for a in arguments]
        with Widened(wide, place), torch.no_grad():
            return _as_outputs(reference(*widened))
    finally:
        torch.set_default_dtype(default)


def _widened_input(value: Any, wide: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype in (*_NARROW, *_FP8):
        return value.to(wide)
    return _copied(value)


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def takes(reference: Callable[..., Any], count: int) -> bool:
    """Whether a reference has so many parameters that must be given by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(reference).parameters.values()
    return sum(p.kind in kinds and p.default is p.empty for p in parameters) == count


def _as_outputs(returned: Any) -> tuple[Any, ...] | None:
    if returned is None:
        return None
    outputs = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    wrong = [type(o).__name__ for o in outputs if not isinstance(o, torch.Tensor)]
    if wrong:
        raise ReferenceOutputError(
            f"the reference returned a {wrong[0]} where a tensor is expected"
        )
    return outputs
