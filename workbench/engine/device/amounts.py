"""How many operations a launch is, and how many bytes it has to move at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from workbench.core.formulas import evaluate
from workbench.core.profiles import ProfileRequest
from workbench.engine.simulator import Parameter


def bytes_moved(parameters: Sequence[Parameter], values: Sequence[Any]) -> int:
    """Bytes of every tensor that the kernel reads and of every one that it writes, once each."""
    pairs = zip(parameters, values, strict=True)
    return sum(
        value.numel() * value.element_size() * (parameter.reads + parameter.writes)
        for parameter, value in pairs
        if isinstance(value, torch.Tensor)
    )


def operations(
    request: ProfileRequest, parameters: Sequence[Parameter], values: Sequence[Any]
) -> float | None:
    """The case's formula with its arguments and dimensions; None where it has none.

    Raises formulas.FormulaError.
    """
    if request.flops is None:
        return None
    names = {**sizes_of(parameters, values), **request.dims, **request.kernel.args}
    return evaluate(request.flops, names)


def sizes_of(parameters: Sequence[Parameter], values: Sequence[Any]) -> Mapping[str, int]:
    """The dynamic dimensions by name, as the values have them."""
    found: dict[str, int] = {}
    for parameter, value in zip(parameters, values, strict=True):
        if not isinstance(value, torch.Tensor):
            continue
        for name, size in zip(parameter.shape, value.shape, strict=False):
            if isinstance(name, str) and name.isidentifier():
                found.setdefault(name, int(size))
    return found
