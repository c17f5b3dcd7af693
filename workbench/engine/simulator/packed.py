"""Types of which two share a byte: what callers give packed has an element a byte while it runs.

The element with the even index is in the low half of its byte, as TileLang and CUDA have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def unpack(packed: Array, dtype: np.dtype[Any]) -> Array:
    """Return the elements of bytes; the last dimension becomes twice as long."""
    data = packed.view(np.uint8)
    halves = np.stack([data & 0xF, data >> 4], axis=-1).reshape(*data.shape[:-1], -1)
    if dtype.name == "int4":
        return ((halves ^ 8).astype(np.int8) - 8).astype(dtype)
    return np.asarray(halves.view(dtype) if dtype.name != "uint4" else halves.astype(dtype))


def pack_into(packed: Array, values: Array) -> None:
    """Store elements in bytes of half the number."""
    if values.dtype.name.startswith("float"):
        halves = values.view(np.uint8) & 0xF
    else:
        halves = values.astype(np.int8).view(np.uint8) & 0xF
    packed.view(np.uint8)[...] = halves[..., ::2] | halves[..., 1::2] << 4
