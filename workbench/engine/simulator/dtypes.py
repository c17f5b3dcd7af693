"""Data types: numpy's counterpart of each TIR dtype, fresh memory, and casts as the GPU does them.

Sources: CUDA C++ programming guide, "Type conversions" (float to integer truncates and saturates,
NaN gives 0); CUDA fp8 headers (`__NV_SATFINITE`, which tilelang's casts use); fp16 overflows to
inf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import torch

from workbench.engine.simulator.model import Unsupported
from workbench.engine.simulator.registry import helper

_NUMPY: dict[str, Any] = {
    "bool": np.bool_,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3": ml_dtypes.float8_e4m3fn,  # tilelang's e4m3 is the finite one of NVIDIA
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8_e8m0fnu": ml_dtypes.float8_e8m0fnu,
    "custom[tfloat32]": np.float32,
    "handle": np.uint64,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "float4_e2m1fn": ml_dtypes.float4_e2m1fn,
    "custom[float4_e2m1_unpacked]": ml_dtypes.float4_e2m1fn,  # a byte each, on chip
} | {
    f"{sign}int{bits}": np.dtype(f"{sign}int{bits}")
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}

# Types of which several share a byte in memory, and their bits. While a kernel runs each element
# has a byte of its own.
PACKED = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4}
_SATURATING = (
    "float4_e2m1fn",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
)
_POISON_BYTE = 0xA5
_POISON_NIBBLE = {"int4": 5, "uint4": 10, "float4_e2m1fn": 6}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return numpy's dtype for a TIR dtype; Unsupported for vectors and unknown types."""
    if name not in _NUMPY:
        raise Unsupported(f"dtype {name}")
    dtype: np.dtype[Any] = np.dtype(_NUMPY[name])
    return dtype


def bit_width(name: str) -> int:
    """Return how many bits an element of a TIR dtype takes in memory."""
    return PACKED.get(name, numpy_dtype(name).itemsize * 8)


def is_float(name: str) -> bool:
    """Whether a TIR dtype is a floating-point type."""
    return "float" in name


def is_integer(name: str) -> bool:
    """Whether a TIR dtype is an integer type (bool is not)."""
    return name.startswith(("int", "uint"))


def is_native(name: str) -> bool:
    """Whether numpy itself, rather than ml_dtypes, implements the type."""
    if name in PACKED:
        return False
    return name in ("float16", "float32", "float64", "bool") or is_integer(name)


def new_array(shape: tuple[int, ...], dtype: str, poison: bool) -> np.ndarray[Any, Any]:
    """Return fresh memory: with `poison` NaN or, for integers, bytes 0xA5; else zeros."""
    if not poison:
        return np.zeros(shape, numpy_dtype(dtype))
    array = np.empty(shape, numpy_dtype(dtype))
    fill_poison(array)
    return array


def fill_poison(array: np.ndarray[Any, Any]) -> None:
    """Fill with what uninitialised memory reads as: NaN, 0xA5 bytes, or False."""
    if array.dtype.name in PACKED:
        array.fill(_POISON_NIBBLE[array.dtype.name])
    elif array.dtype.kind in "iu":
        array.view(np.uint8).fill(_POISON_BYTE)
    elif array.dtype.kind == "b":
        array.fill(False)
    else:
        array.fill(np.nan)


@helper
def half_to_float(value: Any) -> Any:
    """float16 to float32; torch's vector code is ten times numpy's."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return np.float32(value)
    result = np.empty(value.shape, np.float32)
    torch.from_numpy(result).copy_(torch.from_numpy(value))
    return result


@helper
def float_to_half(value: Any) -> Any:
    """float32 to float16, to nearest even, overflowing to infinity."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return np.float16(value)
    result = np.empty(value.shape, np.float16)
    torch.from_numpy(result).copy_(torch.from_numpy(value))
    return result


@helper
def float_to_int(value: Any, dtype: np.dtype[Any]) -> Any:
    """Truncate towards zero, saturate at the type's ends, NaN to 0."""
    wide = np.nan_to_num(
        np.trunc(np.asarray(value, np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf
    )
    info = (ml_dtypes.iinfo if dtype.kind == "V" else np.iinfo)(dtype)
    top = np.nextafter(float(info.max) + 1, 0)  # the largest double that still converts
    result = np.asarray(np.clip(wide, info.min, top).astype(dtype))
    result[wide > top] = info.max
    return result if result.ndim else result[()]


@helper
def saturate(value: Any, dtype: np.dtype[Any]) -> Any:
    """Round to an fp8 type; beyond its range, infinities included, to the largest finite value."""
    limit = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    result = np.clip(np.asarray(value, np.float32), -limit, limit).astype(dtype)
    return result if result.ndim else result[()]


@helper
def cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """Convert where numpy's own conversion is also the GPU's."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    if isinstance(value, int) and dtype.kind in "iu":
        return np.asarray(value).astype(dtype)[()]  # wraps, where the type's constructor refuses
    return dtype.type(value)


@helper
def wrap(value: Any, bits: int, signed: bool) -> int:
    """Return the number that so many bits of an integer are."""
    kept = int(value) & ((1 << bits) - 1)
    return kept - (1 << bits) if signed and kept >> (bits - 1) else kept


def wrapped(code: str, dtype: str) -> str:
    """Return code for a scalar in the range of its integer type (Python's integers have none)."""
    return f"wrap({code}, {bit_width(dtype)}, {not dtype.startswith('u')})"


@helper
def assign_half_float(target: Any, value: Any) -> None:
    """Store between float16 and float32 arrays of one shape, in either direction."""
    torch.from_numpy(target).copy_(torch.from_numpy(value))


_NAMED: dict[tuple[str, str], str] = {
    ("float16", "float32"): "half_to_float",
    ("float32", "float16"): "float_to_half",
}


def conversion(source: str, target: str) -> Callable[[str, str], str]:
    """Return how to write a cast: a function of the value's code and the target dtype's code."""
    if (source, target) in _NAMED:
        return lambda code, _: f"{_NAMED[source, target]}({code})"
    if is_float(source) and is_integer(target):
        return lambda code, dtype: f"float_to_int({code}, {dtype})"
    if numpy_dtype(target).name in _SATURATING:
        return lambda code, dtype: f"saturate({code}, {dtype})"
    return lambda code, dtype: f"cast({code}, {dtype})"
