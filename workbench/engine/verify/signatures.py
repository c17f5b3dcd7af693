"""Brings a wrong output with what is known around it before the detectors of its signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from workbench.core.jobs import OutputComparison, Signature
from workbench.core.verification import Observation, Operand, signatures_of
from workbench.engine.verify.comparing import Tolerance, wrong_elements

MOST_ELEMENTS = 2**26
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_LONGEST_TILE = 65_536

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Surroundings:
    """What is known around an output: inputs by name, the kernel's arguments, and the output's
    memory before the run. `compared` marks the elements that count, None for all."""

    inputs: Mapping[str, torch.Tensor]
    arguments: Mapping[str, Any]
    before: torch.Tensor | None = None
    compared: torch.Tensor | None = None


def find_signatures(
    comparison: OutputComparison,
    got: torch.Tensor,
    expected: torch.Tensor,
    tolerance: Tolerance,
    around: Surroundings,
) -> tuple[Signature, ...]:
    """What kind of wrong an output is; empty where it is right, or nothing can be told."""
    if comparison.mismatched == 0 or got.numel() > MOST_ELEMENTS:
        return ()
    compared = around.compared
    wrong = wrong_elements(got, expected, tolerance)
    seen = Observation(
        got=_array(got),
        expected=_array(expected),
        wrong=(wrong if compared is None else wrong & compared).numpy(),
        dtype=comparison.dtype,
        rtol=tolerance.rtol,
        atol=tolerance.atol,
        compared=None if compared is None else compared.numpy(),
        untouched=_untouched(got, around.before),
        tile=comparison.blocks.tile if comparison.blocks is not None else None,
        operands=tuple(_operands(around.inputs)),
        lengths=lengths_of(around.arguments),
    )
    return signatures_of(seen)


def lengths_of(arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """The whole numbers among the arguments that may be lengths of tiles, those of K first."""
    found = [
        (name, value)
        for name, value in arguments.items()
        if isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= _LONGEST_TILE
    ]
    found.sort(key=lambda item: "k" not in item[0].lower().replace("block", ""))
    return tuple(dict.fromkeys(value for _, value in found))


def _operands(inputs: Mapping[str, torch.Tensor]) -> list[Operand]:
    return [
        Operand(name, _array(value))
        for name, value in inputs.items()
        if value.numel() and not _is_packed(value)
    ]


def _is_packed(tensor: torch.Tensor) -> bool:
    return bool(tensor.dtype == getattr(torch, "float4_e2m1fn_x2", None))


def _array(tensor: torch.Tensor) -> Array:
    """The values for numpy, which lacks torch's narrow floats."""
    plain = tensor.detach()
    narrow = plain.dtype.is_floating_point and plain.dtype not in (
        torch.float16,
        torch.float32,
        torch.float64,
    )
    return np.asarray((plain.to(torch.float32) if narrow else plain).numpy())


def _untouched(got: torch.Tensor, before: torch.Tensor | None) -> Array | None:
    """Elements with the bits they had; None where those of computed ones may be the same.

    The NaN of 8-bit floats is only one.
    """
    if before is None or before.shape != got.shape or got.dtype == torch.bool:
        return None
    if got.dtype.is_floating_point and got.dtype.itemsize == 1:
        return None
    bits = _BITS[got.dtype.itemsize]
    return np.asarray((got.contiguous().view(bits) == before.contiguous().view(bits)).numpy())
