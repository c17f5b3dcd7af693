"""Writes the numbers of rows and columns beside a grid, or at the edge of what is in sight."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, Qt

from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.layouts.cells import LEFT, TOP, Cells, Frame
from workbench.ui.theme.fonts import TextRole

_MIDDLE = Qt.AlignmentFlag.AlignCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW_ROOM = 13.0  # px that a row's number needs
_GROUND = 0.9  # how much of what is scrolled under the numbers they hide


def paint_numbers(canvas: Canvas, frame: Frame, cells: Cells) -> None:
    """Those of lifted cells stand out."""
    left = max(frame.grid.left() - LEFT, frame.view.left())
    top = max(frame.grid.top() - TOP, frame.view.top())
    _paint_ground(canvas, frame, left, top)
    lifted, step = _lifted_along(cells, 0), _column_step(canvas, frame, cells)
    for column in frame.columns[::step]:
        box = frame.box(0, column)
        area = QRectF(box.left() - 20, top, box.width() + 40, TOP - 3)
        _number(canvas, area, cells.column_label(column), column in lifted, _MIDDLE)
    lifted = _lifted_along(cells, 1)
    for row in frame.rows[:: _power(_ROW_ROOM / frame.height)]:
        box = frame.box(row, 0)
        area = QRectF(left, box.top(), LEFT - 7, max(box.height(), 12))
        if area.center().y() > top + TOP:
            _number(canvas, area, cells.row_label(row), row in lifted, _RIGHT)


def _paint_ground(canvas: Canvas, frame: Frame, left: float, top: float) -> None:
    ground = canvas.colour("bg1", _GROUND)
    if top > frame.grid.top() - TOP:
        canvas.painter.fillRect(QRectF(left, top, frame.view.width(), TOP), ground)
    if left > frame.grid.left() - LEFT:
        canvas.painter.fillRect(QRectF(left, top, LEFT, frame.view.height()), ground)


def _lifted_along(cells: Cells, axis: int) -> frozenset[int]:
    """The columns (along axis 0) or rows with a lifted cell."""
    if cells.lifted is None:
        return frozenset()
    return frozenset(np.flatnonzero(np.any(cells.lifted, axis=axis)).tolist())


def _column_step(canvas: Canvas, frame: Frame, cells: Cells) -> int:
    """Every how many columns a number has room."""
    ends = (frame.columns[0], frame.columns[-1])
    widest = max(canvas.text_width(cells.column_label(n), TextRole.NOTE) for n in ends)
    return _power((widest + 5) / frame.width)


def _power(least: float) -> int:
    """The smallest power of two that is not below."""
    return 1 << (max(1, math.ceil(least)) - 1).bit_length()


def _number(
    canvas: Canvas, area: QRectF, text: str, is_strong: bool, align: Qt.AlignmentFlag
) -> None:
    role = TextRole.STRONG_LABEL if is_strong else TextRole.NOTE
    canvas.text(area, text, role, "fg" if is_strong else "fg3", align, elide=False)
