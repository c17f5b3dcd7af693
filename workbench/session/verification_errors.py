"""The arrays behind the picture of an output: values, wrong elements, and errors laid out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from workbench.core.jobs import OutputComparison
from workbench.session.verification_layout import Index, MapLayout

Array = np.ndarray[Any, Any]

OUTSIDE = -1.0
_MOST_PAINTED = 2**22


@dataclass(frozen=True, eq=False)
class ErrorGrid:
    """The errors of a picture, float32: a value for each `row_step` x `column_step` elements.

    0 is within tolerance, infinity where one side is no number, `OUTSIDE` outside the output. The
    others are absolute errors, or multiples of the tolerance where `in_tolerances` is set.
    `largest` is the greatest finite one, 0 where there is none.
    """

    values: Array
    row_step: int = 1
    column_step: int = 1
    in_tolerances: bool = False

    @cached_property
    def largest(self) -> float:
        """The greatest finite error shown."""
        if not self.has_nonfinite:
            return max(0.0, self._top)
        finite = self.values[np.isfinite(self.values)]
        return max(0.0, float(finite.max())) if finite.size else 0.0

    @cached_property
    def coarser(self) -> ErrorGrid:
        """The same with the largest of four errors in one, for pictures of fewer pixels."""
        values = self.values
        odd = [(0, size % 2) for size in values.shape]
        if any(after for _, after in odd):
            values = np.pad(values, odd, constant_values=OUTSIDE)
        rows = np.maximum(values[::2], values[1::2])
        pooled = np.maximum(rows[:, ::2], rows[:, 1::2])
        return ErrorGrid(pooled, 2 * self.row_step, 2 * self.column_step, self.in_tolerances)

    @cached_property
    def has_nonfinite(self) -> bool:
        """Whether some element is wrong because it is no number."""
        return math.isinf(self._top)

    @cached_property
    def _top(self) -> float:
        return float(self.values.max(initial=OUTSIDE))


def floats(blob: int | None, blobs: Sequence[bytes], shape: Index) -> Array | None:
    """A blob's float32 in the output's shape, (1,) for a scalar; None where there is no blob."""
    return None if blob is None else np.frombuffer(blobs[blob], "<f4").reshape(shape or (1,))


def wrong_elements(comparison: OutputComparison, blobs: Sequence[bytes]) -> Array | None:
    """Which elements are wrong, as bool in the output's shape; None where that is unknown."""
    shape = tuple(comparison.shape) or (1,)
    if comparison.mismatched == 0:
        return np.broadcast_to(np.False_, shape)
    if comparison.wrong_blob is None:
        return None
    packed = np.frombuffer(blobs[comparison.wrong_blob], np.uint8)
    return np.unpackbits(packed, count=math.prod(shape)).view(bool).reshape(shape)


def absolute_error(got: Array | None, expected: Array | None) -> Array:
    """|got - expected|: 0 where both are the same infinity or both NaN, infinite where one is."""
    if got is None or expected is None:
        raise ValueError("an output without values has no errors")
    with np.errstate(invalid="ignore"):
        error = np.subtract(got, expected)
    np.abs(error, out=error)
    if error.size and math.isnan(error.max()):
        strange = np.isnan(error)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        error[strange & same] = 0
        error[strange & ~same] = math.inf
    return np.asarray(error)


def element_errors(error: Array, wrong: Array | None, layout: MapLayout) -> ErrorGrid:
    """The errors of all elements, those of right ones as 0."""
    if wrong is not None:
        # An error that float32 cannot tell from none is still one.
        np.maximum(error, np.finfo(np.float32).tiny, out=error)
        error[~wrong] = 0
    return ErrorGrid(layout.arranged(error.astype(np.float32, copy=False), outside=OUTSIDE))


def pooled_errors(comparison: OutputComparison, blob: bytes) -> ErrorGrid:
    """The largest error of each cell over its tolerance, as the worker pooled them."""
    shape = comparison.error_map_shape or (1, 1)
    values = np.frombuffer(blob, "<f4").reshape(shape)
    columns = comparison.shape[-1] if comparison.shape else 1
    rows = math.prod(comparison.shape) // max(1, columns)
    steps = [_step(size, cells) for size, cells in ((rows, shape[0]), (columns, shape[1]))]
    shown = np.where(values > 1, values, np.float32(0))
    return ErrorGrid(shown, steps[0], steps[1], in_tolerances=True)


def _step(size: int, cells: int) -> int:
    """How many elements a cell stands for: the least number with which so many cells do."""
    return max(1, -(-size // max(1, cells)))


def no_errors(layout: MapLayout, total: int) -> ErrorGrid:
    """The picture of an output that is right throughout: one value, where nothing lies outside."""
    if total > _MOST_PAINTED or total == math.prod(layout.extent) > 0:
        rows, columns = layout.extent
        return ErrorGrid(np.zeros((1, 1), np.float32), rows, columns)
    zeros = np.broadcast_to(np.float32(0), layout.shape)
    return ErrorGrid(layout.arranged(zeros, outside=OUTSIDE))
