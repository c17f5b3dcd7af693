"""Where the rows of a timeline lie, and which time is at which x."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from workbench.session.lenses.pipeline.model import PipelinePicture, Row, RowKind

INSET = 16.0
AXIS = 24.0
GAP = 6.0
BRACKET = 44.0
_GUTTER, _NARROW_GUTTER, _NARROW = 142.0, 116.0, 480.0
_HEIGHTS = {RowKind.COPIES: 0.0, RowKind.ROLE: 42.0}
_UNIT, _LANE, _LEAST, _ORDERED = 34.0, 18.0, 38.0, 104.0
_TICK = 78.0  # px that a tick and its label need


@dataclass(frozen=True)
class Window:
    """The stretch of time in sight, in the units of the picture."""

    begin: float
    span: float


@dataclass(frozen=True)
class Geometry:
    """Places of a picture in a window at a width, in px."""

    picture: PipelinePicture
    window: Window
    width: float

    @property
    def left(self) -> float:
        """Where times begin."""
        return INSET + (_GUTTER if self.width >= _NARROW else _NARROW_GUTTER)

    @property
    def right(self) -> float:
        """Where they end."""
        return max(self.left + 40, self.width - INSET)

    def x(self, time: float) -> float:
        """The place of a time."""
        share = (time - self.window.begin) / self.window.span
        return self.left + share * (self.right - self.left)

    def time(self, x: float) -> float:
        """The time at a place."""
        share = (x - self.left) / (self.right - self.left)
        return self.window.begin + share * self.window.span

    def row(self, number: int) -> QRectF:
        """A row from edge to edge."""
        picture = self.picture
        above = sum(height_of(picture, row) + GAP for row in picture.rows[:number])
        return QRectF(0, AXIS + above, self.width, height_of(picture, picture.rows[number]))

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return rows_height(self.picture)

    def block(self, number: int) -> QRectF:
        """A block, not cut to what is in sight."""
        block = self.picture.blocks[number]
        row, area = self.picture.rows[block.row], self.row(block.row)
        height = area.height() / row.lanes
        top = area.top() + block.lane * height
        inset = 1.0 if row.lanes > 1 else 0.0
        begin, end = self.x(block.begin), self.x(block.end)
        return QRectF(begin, top + inset, end - begin, height - 2 * inset)

    def ticks(self) -> tuple[list[float], int]:
        """Times to write at the axis, and the digits behind the point that tell them apart."""
        room = max(1.0, (self.right - self.left) / _TICK)
        least = self.window.span / room
        power = 10.0 ** math.floor(math.log10(least))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999)
        first = math.ceil(self.window.begin / step - 1e-9)
        count = int((self.window.begin + self.window.span) / step - first + 1e-9) + 1
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return [(first + number) * step for number in range(max(0, count))], digits


def height_of(picture: PipelinePicture, row: Row) -> float:
    """The px of a row; in an order alone it is high enough for upright labels."""
    if not picture.is_timed:
        return _ORDERED
    if row.kind is RowKind.COPIES:
        return max(_LEAST, row.lanes * _LANE)
    return _HEIGHTS.get(row.kind, _UNIT)


def rows_height(picture: PipelinePicture) -> float:
    """The px of the axis and all rows."""
    return AXIS + sum(height_of(picture, row) + GAP for row in picture.rows)


def total_height(picture: PipelinePicture) -> float:
    """The px of all rows with the axis and the bracket."""
    return rows_height(picture) + (BRACKET if picture.bracket is not None else GAP)
