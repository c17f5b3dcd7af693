"""The tensor maps that the host makes for the tensor memory accelerator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

# CUtensorMapDataType of the CUDA driver API (cuda.h, 13.0): bits of an element.
_BITS = {0: 8, 1: 16, 2: 32, 3: 32, 4: 64, 5: 64, 6: 16, 7: 32, 8: 64, 9: 16, 10: 32, 11: 32}
_PACKED = {12: 32, 13: 4, 14: 4, 15: 6}
_SWIZZLES = {0: 0, 1: 32, 2: 64, 3: 128}


@dataclass(frozen=True)
class TensorMap:
    """A tiled tensor map; `box` is the innermost extent first, `swizzle_bytes` 0 for none.

    `extents` are those of the tensor in the same order; None where known at launch only.
    """

    buffer: str
    element_bits: int
    box: tuple[int, ...]
    swizzle_bytes: int
    extents: tuple[int, ...] | None = None

    @property
    def box_bytes(self) -> int:
        """Bytes that one copy moves."""
        return math.prod(self.box) * self.element_bits // 8


def tensor_maps(host_module: Any) -> dict[str, TensorMap]:
    """The tiled tensor maps of a host module by the names of their parameters."""
    found: dict[str, TensorMap] = {}
    functions = host_module.functions.values() if host_module is not None else ()
    for func in functions:
        attrs = func.attrs or {}
        if "tma_descriptor_args" not in attrs:
            continue
        for variable, args in dict(attrs["tma_descriptor_args"]).items():
            made = _tensor_map(list(args))
            if made is not None:
                found[str(variable.name)] = made
    return found


def _tensor_map(args: list[Any]) -> TensorMap | None:
    """From (name, variable, type, rank, buffer, dims, strides - 1, box, steps, interleave, swizzle,
    L2, fill); None for an im2col map or one whose box is known at launch only."""
    if "tiled" not in str(getattr(args[0], "value", args[0])):
        return None
    try:
        kind, rank = int(args[2]), int(args[3])
        numbers = [int(each) for each in args[-(2 * rank + 4) :]]
    except (TypeError, ValueError):
        return None
    bits = {**_BITS, **_PACKED}.get(kind)
    if bits is None:
        return None
    swizzle = _SWIZZLES.get(numbers[2 * rank + 1], 0)
    buffer, extents = str(getattr(args[4], "name", args[4])), _extents(args[5 : 5 + rank])
    return TensorMap(buffer, bits, tuple(numbers[:rank]), swizzle, extents)


def _extents(dimensions: list[Any]) -> tuple[int, ...] | None:
    try:
        return tuple(int(each) for each in dimensions)
    except (TypeError, ValueError):
        return None
