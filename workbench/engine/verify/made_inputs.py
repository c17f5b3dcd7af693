"""Checks that what a document's `make_inputs` returns is what the kernel's parameters take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from workbench.engine.faults import DocumentFaultError
from workbench.engine.simulator import Parameter
from workbench.engine.simulator.dtypes import PACKED

DtypeOf = Callable[[str], torch.dtype]


def check_made(
    parameters: Sequence[Parameter],
    values: Mapping[int, Any],
    dtype_of: DtypeOf,
    line: int | None,
) -> None:
    """Refuse values, by their parameter's position, of another dtype or shape than it has.

    `line` is that of `make_inputs`. Raises DocumentFaultError.
    """
    sizes: dict[str, int] = {}
    for index, value in values.items():
        parameter = parameters[index]
        if _fits(parameter, value, dtype_of, sizes):
            continue
        given, wanted = _described(value), _wanted(parameter, sizes)
        message = f"make_inputs gives {parameter.name} {given}, the kernel takes {wanted}"
        raise DocumentFaultError(message, line)


def _fits(parameter: Parameter, value: Any, dtype_of: DtypeOf, sizes: dict[str, int]) -> bool:
    if not parameter.is_buffer:
        return _is_number(value)
    if not isinstance(value, torch.Tensor):
        return False
    if parameter.dtype in PACKED:
        return True  # two elements a byte, or one: who runs it unpacks and checks them
    if value.dtype != dtype_of(parameter.dtype) or not _has_shape(value, parameter, sizes):
        return False
    sizes.update(_named_sizes(parameter, value))
    return True


def _has_shape(value: torch.Tensor, parameter: Parameter, sizes: Mapping[str, int]) -> bool:
    known = [sizes.get(size, size) if isinstance(size, str) else size for size in parameter.shape]
    return len(known) == value.ndim and all(
        isinstance(want, str) or want == have for want, have in zip(known, value.shape, strict=True)
    )


def _named_sizes(parameter: Parameter, value: torch.Tensor) -> dict[str, int]:
    pairs = zip(parameter.shape, value.shape, strict=True)
    return {name: size for name, size in pairs if isinstance(name, str) and name.isidentifier()}


def _is_number(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.numel() == 1)
    return isinstance(value, (bool, int, float))


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"a tensor of {dtype} with the shape {tuple(value.shape)}"
    return f"a {type(value).__name__}"


def _wanted(parameter: Parameter, sizes: Mapping[str, int]) -> str:
    if not parameter.is_buffer:
        return f"a number ({parameter.dtype})"
    shape = ", ".join(_extent(size, sizes) for size in parameter.shape)
    comma = "," if len(parameter.shape) == 1 else ""
    return f"{parameter.dtype} with the shape ({shape}{comma})"


def _extent(size: int | str, sizes: Mapping[str, int]) -> str:
    known = sizes.get(size) if isinstance(size, str) else None
    return str(size) if known is None else f"{size} = {known}"
