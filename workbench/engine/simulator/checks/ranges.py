"""Finds values beyond the range of a narrow type: conversions that saturate, integers that wrap."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from workbench.engine.simulator.dtypes import float_to_int, saturate
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
BEYOND_RANGE = "narrow-overflow"


def _ends(dtype: np.dtype[Any], is_integer: bool) -> tuple[Any, Any]:
    """Return the least and greatest values that become a number of the type without its limits.

    Those of floats are float64, so that a comparison is not made in a narrower type.
    """
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if is_integer:
            return int(info.min), int(info.max)
        return np.nextafter(info.min - 1.0, 0.0), np.nextafter(info.max + 1.0, 0.0)
    limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    largest = float(limits.max)
    half_step = 2.0 ** (np.floor(np.log2(largest)) - limits.nmant - 1)
    return np.float64(-largest - half_step), np.float64(largest + half_step)


def note_beyond(
    rt: Runtime, site: int, values: Any, dtype: np.dtype[Any], what: str, mask: Any = None
) -> None:
    """Note finite values that a type cannot hold; `what` made them."""
    wide = np.asarray(values)
    low, high = _ends(dtype, wide.dtype.kind in "iub")
    beyond = (wide > high) | (wide < low)
    if not beyond.any():
        return
    if wide.dtype.kind == "f":
        beyond = beyond & np.isfinite(wide)
    if mask is not None:
        beyond = beyond & mask
    if beyond.any():
        _note(rt, site, wide, beyond, dtype, what)


def _note(
    rt: Runtime, site: int, values: Array, beyond: Any, dtype: np.dtype[Any], what: str
) -> None:
    at = tuple(map(int, np.unravel_index(int(np.argmax(beyond)), beyond.shape)))
    value = float(np.broadcast_to(values, beyond.shape)[at])
    wraps = dtype.kind in "iu" and values.dtype.kind in "iu"
    kept = int(np.asarray(int(value)).astype(dtype)) if wraps else _nearest(value, dtype)
    effect = f"wraps around to {kept:g}" if wraps else f"becomes {kept:g}, the end of its range"
    evidence = {"value": value, "dtype": dtype.name, "kept": kept}
    rt.note(
        BEYOND_RANGE,
        "warning",
        site,
        lambda: (
            f"{what} is {value:.6g}, more than {dtype.name} of {rt.site(site).buffer} can hold: "
            f"it {effect}"
        ),
        lambda: Where(at, at, evidence),
        int(np.count_nonzero(beyond)),
    )


def _nearest(value: float, dtype: np.dtype[Any]) -> float:
    made = float_to_int(value, dtype) if dtype.kind in "iu" else saturate(value, dtype)
    return float(made)


@helper
def saturate_noting(
    rt: Runtime, site: int, value: Any, dtype: np.dtype[Any], mask: Any, what: str
) -> Any:
    """Convert floats to a type that saturates, and note what lay beyond it."""
    note_beyond(rt, site, value, dtype, what, mask)
    return float_to_int(value, dtype) if dtype.kind in "iu" else saturate(value, dtype)


@helper
def note_wrapped(
    rt: Runtime, site: int, value: Any, dtype: np.dtype[Any], mask: Any, what: str
) -> None:
    """Integers are about to be converted to a narrower type."""
    note_beyond(rt, site, value, dtype, what, mask)


@helper
def note_wrapped_sum(
    rt: Runtime, site: int, source: Array, axis: int, target: Array, is_absolute: bool
) -> None:
    """Integers of a tile have been summed along an axis into a type that may be too narrow."""
    wide = source.astype(np.int64)
    total = (np.abs(wide) if is_absolute else wide).sum(axis=axis)
    note_beyond(rt, site, total, target.dtype, "a sum")
