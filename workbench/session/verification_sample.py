"""Marks in the picture of an output what the blocks of a sample did not compute."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from workbench.core.jobs import OutputComparison
from workbench.session.verification_errors import OUTSIDE, Array, ErrorGrid
from workbench.session.verification_layout import MapLayout

_NOBODY = -1
_MOST_ELEMENTS = 2**26


def run_elements(comparison: OutputComparison, owners: Array | None) -> Array | None:
    """Which elements lie in tiles of blocks that ran, as bool in the output's shape."""
    blocks = comparison.blocks
    if blocks is None or owners is None or math.prod(comparison.shape) > _MOST_ELEMENTS:
        return None
    ran = owners != _NOBODY
    for axis, (length, size) in enumerate(zip(blocks.tile, comparison.shape, strict=True)):
        ran = np.take(ran, np.arange(size) // length, axis=axis)
    return np.asarray(ran)


def run_tiles(ran: Array, layout: MapLayout) -> Array:
    """Which tiles of the picture's rows and columns were run."""
    height, width = layout.cell
    return layout.arranged(ran, outside=0)[::height, ::width].astype(bool)


def without_others(errors: ErrorGrid, ran: Array, layout: MapLayout) -> ErrorGrid:
    """The errors, with what was not run outside the picture."""
    picture = layout.arranged(ran, outside=0).astype(bool)
    if errors.row_step == errors.column_step == 1:
        return replace(errors, values=np.where(picture, errors.values, np.float32(OUTSIDE)))
    if errors.values.size == 1:  # right throughout: a value a tile is enough
        height, width = layout.cell
        values = np.where(picture[::height, ::width], np.float32(0), np.float32(OUTSIDE))
        return ErrorGrid(values, height, width, errors.in_tolerances)
    rows, columns = errors.values.shape
    reduced = _any(_any(picture, errors.row_step).T, errors.column_step).T[:rows, :columns]
    return replace(errors, values=np.where(reduced, errors.values, np.float32(OUTSIDE)))


def _any(picture: Array, step: int) -> Array:
    """Whether any of each group of so many rows is set."""
    return np.asarray(np.logical_or.reduceat(picture, np.arange(0, len(picture), step), axis=0))
