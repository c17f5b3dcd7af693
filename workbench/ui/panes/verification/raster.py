"""Errors as pixels: each shows the largest error behind it, so that no wrong element is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from workbench.session.verification_errors import OUTSIDE, ErrorGrid
from workbench.ui.panes.verification.colours import ErrorColours
from workbench.ui.panes.verification.viewport import Viewport

Array = np.ndarray[Any, Any]
_SHORT = 8  # numpy's `reduceat` takes many times as long as this over shorter ranges


def pooled(errors: ErrorGrid, view: Viewport, height: int, width: int) -> Array:
    """The largest error behind each pixel of a picture of that size, `OUTSIDE` where there is none.

    A wrong element always wins over those within tolerance, and what is no number over all.
    """
    errors = _fitting(errors, view, height, width)
    rows = _edges(view.top, view.rows, height, errors.row_step)
    columns = _edges(view.left, view.columns, width, errors.column_step)
    values = errors.values
    across = _along(values, rows, 0)
    return _along(across, columns, 1)


def _fitting(errors: ErrorGrid, view: Viewport, height: int, width: int) -> ErrorGrid:
    """The coarsest grid that still has a cell for each pixel."""
    while (
        view.rows / height >= 2 * errors.row_step and view.columns / width >= 2 * errors.column_step
    ):
        errors = errors.coarser
    return errors


def _edges(start: float, length: float, pixels: int, step: int) -> Array:
    """Where each pixel begins and the last one ends, in cells of the grid."""
    return (start + length * np.arange(pixels + 1) / pixels) / step


def _along(values: Array, edges: Array, axis: int) -> Array:
    """Each pixel's cells reduced to their maximum along an axis."""
    count = values.shape[axis]
    first = np.floor(edges[:-1] + 1e-9).astype(np.intp)
    inside = first < count
    first = first[inside]
    if edges[1] - edges[0] <= 1:
        found = np.take(values, first, axis)
    else:
        end = min(count, int(np.ceil(edges[-1] - 1e-9)))
        found = _greatest(values, first, np.append(first[1:], end), axis)
    missing = int((~inside).sum())
    if not missing:
        return np.asarray(found)
    padding = [(0, missing), (0, 0)] if axis == 0 else [(0, 0), (0, missing)]
    return np.pad(found, padding, constant_values=OUTSIDE)


def _greatest(values: Array, first: Array, end: Array, axis: int) -> Array:
    """The maximum from each `first` to before its `end`."""
    most = int((end - first).max(initial=0))
    if most > _SHORT:
        part = values[: end[-1]] if axis == 0 else values[:, : end[-1]]
        return np.asarray(np.maximum.reduceat(part, first, axis))
    found = np.take(values, first, axis)
    for step in range(1, most):
        np.maximum(found, np.take(values, np.minimum(first + step, end - 1), axis), out=found)
    return found


def error_image(
    errors: ErrorGrid, view: Viewport, height: int, width: int, colours: ErrorColours
) -> QImage:
    """The picture in px of the screen; transparent outside the output."""
    argb = np.ascontiguousarray(colours.argb(pooled(errors, view, height, width)))
    image = QImage(argb.data, width, height, 4 * width, QImage.Format.Format_ARGB32)
    return image.copy()  # which owns its pixels
