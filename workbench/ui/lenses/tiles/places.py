"""Where the parts of the tile map stand: the output with its inputs around it, or beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF

from workbench.session.lenses.tiles.panel import Panel
from workbench.session.lenses.tiles.picture import TileMap
from workbench.session.lenses.tiles.tensors import TensorView

INSET = 16.0
HEAD = 20.0  # of a title above a picture
_GAP = 18.0
_WIDEST_LEFT, _LEAST_LEFT = 200.0, 96.0
_TOP_SHARE = 0.26
_LEAST_TOP = 44.0
_BAND_SHARE = 0.36
_MOST_ASPECT = 3.0
_STRETCH = 1.8
_LOW = 300.0  # px over which a grid is stretched more the lower it is
_LEGEND, _WAVES = 128.0, 112.0
_NARROW = 380.0  # a picture that has no room for a legend at its side
_LEAST_WIDTH = 64.0
_LEAST_TITLE = 180.0
_FLAT = 12.0  # px of a tensor of one dimension
MARKS = 18.0


@dataclass(frozen=True)
class Places:
    """Areas in px: the grid, each input (and output beside the grid), and the legend.

    `tensors` has the areas of pictures in the order of `shown_views`, `heads` the widths of their
    titles. `waves` is that of the legend of waves, `marks` that of all other marks, which are a row
    where it is low.
    """

    grid: QRectF
    tensors: tuple[QRectF, ...]
    heads: tuple[float, ...]
    waves: QRectF
    marks: QRectF
    left: frozenset[int] = frozenset()
    top: frozenset[int] = frozenset()


def shown_views(found: TileMap) -> tuple[tuple[TensorView, bool], ...]:
    """The tensors drawn beside the grid, and whether each is an input: outputs where the grid
    does not show them."""
    inputs = [(view, True) for view in found.inputs]
    grid = found.panel.tensor if found.panel.tile is not None else None
    return (*inputs, *((view, False) for view in found.outputs if view.tensor.name != grid))


def places_of(found: TileMap, size: QSizeF) -> Places:
    """Where everything stands in a picture of that size."""
    views = shown_views(found)
    left = frozenset(n for n, (view, _) in enumerate(views) if _stands_left(found.panel, view))
    top = frozenset(n for n, (view, _) in enumerate(views) if _stands_above(found.panel, view))
    if left and top and len(left) + len(top) == len(views) and len(left) == 1:
        return _crossed(found.panel, views, left, top, size)
    return _banded(found.panel, views, size)


def _stands_left(panel: Panel, view: TensorView) -> bool:
    """Whether the rows of an input are those of the grid, whatever the column."""
    if panel.tile is None or panel.wrapped or panel.row_axis < 0:
        return False
    return view.row_axis == panel.row_axis and view.column_axis != panel.column_axis


def _stands_above(panel: Panel, view: TensorView) -> bool:
    if panel.tile is None or panel.wrapped or panel.column_axis < 0:
        return False
    return view.column_axis == panel.column_axis and view.row_axis != panel.row_axis


def _crossed(
    panel: Panel,
    views: Sequence[tuple[TensorView, bool]],
    left: frozenset[int],
    top: frozenset[int],
    size: QSizeF,
) -> Places:
    """As a product is drawn on paper: A to the left, B above, C where they meet."""
    width, height = size.width() - 2 * INSET, size.height() - MARKS
    left_width = min(_WIDEST_LEFT, max(_LEAST_LEFT, width * 0.24))
    room_down = height - (len(top) + 1) * HEAD - _GAP * 0.5
    above = max(_LEAST_TOP, room_down * _TOP_SHARE)
    heights = {n: _FLAT if views[n][0].row_dimension < 0 else above for n in top}
    grid_top = sum(heights.values()) + len(top) * (HEAD + _GAP * 0.5) + HEAD
    room = QSizeF(width - left_width - _GAP, max(40.0, height - grid_top - _GAP * 0.5))
    fitted = _fitted(panel, room)
    grid = QRectF(INSET + left_width + _GAP, grid_top, fitted.width(), fitted.height())
    areas = {n: QRectF(INSET, grid_top, left_width, grid.height()) for n in left}
    y = HEAD
    for n in sorted(top):
        areas[n] = QRectF(grid.left(), y, grid.width(), heights[n])
        y += heights[n] + HEAD + _GAP * 0.5
    waves = QRectF(INSET, 0, left_width + _GAP * 0.5, grid_top - HEAD)
    marks = QRectF(INSET, grid.bottom() + _GAP * 0.5, width, MARKS)
    tensors = tuple(areas[n] for n in range(len(views)))
    heads = tuple(each.width() + _GAP * 0.5 for each in tensors)
    return Places(grid, tensors, heads, waves, marks, left, top)


def _banded(panel: Panel, views: Sequence[tuple[TensorView, bool]], size: QSizeF) -> Places:
    """The tensors in a band above, the grid below them with the legend at its side."""
    width, height = size.width() - 2 * INSET, size.height()
    most = max(_LEAST_TOP, (height - 2 * HEAD - _GAP) * _BAND_SHARE)
    tensors, slot = _band(views, width, most)
    grid_top = max((each.bottom() for each in tensors), default=-_GAP) + _GAP + HEAD
    is_narrow = width < _NARROW
    room_width = width - (0 if is_narrow else _LEGEND + _GAP)
    below = MARKS + _GAP * 0.5 if is_narrow else 0.0
    fitted = _fitted(panel, QSizeF(room_width, max(40.0, height - grid_top - below - 2)))
    grid = QRectF(INSET, grid_top, fitted.width(), fitted.height())
    if is_narrow:
        waves = QRectF()
        marks = QRectF(INSET, grid.bottom() + _GAP * 0.5, width, MARKS)
    else:
        beside = max(grid.right(), INSET + _LEAST_TITLE) + _GAP
        waves = QRectF(beside, grid_top - HEAD, _LEGEND, _WAVES)
        marks = QRectF(waves.left(), waves.top(), _LEGEND, height - waves.top())
    return Places(grid, tensors, (slot,) * len(tensors), waves, marks)


def _band(
    views: Sequence[tuple[TensorView, bool]], width: float, most: float
) -> tuple[tuple[QRectF, ...], float]:
    """The areas side by side, each in its own form as far as that can be seen, and their slot."""
    count = max(1, len(views))
    each = (width - _GAP * (count - 1)) / count
    areas = []
    for place, (view, _) in enumerate(views):
        aspect = min(max(view.columns / view.rows, 1 / _MOST_ASPECT), _MOST_ASPECT)
        own_width = min(each, max(most * aspect, _LEAST_WIDTH))
        own_height = _FLAT if view.row_dimension < 0 else min(most, own_width / aspect)
        areas.append(QRectF(INSET + place * (each + _GAP), HEAD, own_width, own_height))
    return tuple(areas), each


def _fitted(panel: Panel, room: QSizeF) -> QSizeF:
    """The grid in its own form as far as that is neither too narrow nor too flat."""
    tile = panel.tile or (1, 1)
    aspect = panel.columns * tile[1] / max(1, panel.rows * tile[0])
    aspect = min(max(aspect, 1 / _MOST_ASPECT), _MOST_ASPECT)
    # A grid stretched a little fills the room better than one with true proportions.
    stretch = max(_STRETCH, min(_MOST_ASPECT, _LOW / room.height()))
    if room.width() / room.height() > aspect:
        return QSizeF(min(room.width(), room.height() * aspect * stretch), room.height())
    return QSizeF(room.width(), min(room.height(), room.width() / aspect * stretch))
