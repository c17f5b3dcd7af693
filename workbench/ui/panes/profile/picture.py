"""The picture of a profile: spread, order and shares, side by side as far as there is room."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF

from workbench.session.profile.rates import Share
from workbench.session.profile.samples import SamplesPicture
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.panes.profile.lanes import Lanes, lanes_height
from workbench.ui.panes.profile.order import paint_order
from workbench.ui.panes.profile.shares import paint_shares, shares_height

_INSET, _GAP, _BELOW = 16.0, 28.0, 6.0
_WIDE, _MIDDLE = 900.0, 500.0
_ORDER_LEAST = 120.0


@dataclass(frozen=True)
class ProfilePicture:
    """What is painted: the times, None where none were taken, and the shares."""

    samples: SamplesPicture | None
    shares: tuple[Share, ...]
    mark: int
    name: str

    def height(self, width: float) -> float:
        """The px that it needs at a width."""
        return max(area.bottom() for area in self._areas(width)) + _BELOW

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint the three parts."""
        spread, order, shares = self._areas(size.width())
        if self.samples is not None:
            Lanes(canvas, spread, self.samples, self.mark, self.name).paint()
            paint_order(canvas, order, self.samples.order, self.mark)
            paint_shares(canvas, shares, self.shares)

    def _areas(self, width: float) -> tuple[QRectF, QRectF, QRectF]:
        """Where spread, order and shares stand at a width."""
        high = lanes_height(self.samples) if self.samples is not None else 0.0
        high = max(high, _ORDER_LEAST)
        room = width - 2 * _INSET
        below = shares_height(self.shares, room)
        if width >= _WIDE:
            each = (room - 2 * _GAP) / 3
            below = shares_height(self.shares, each)
            tall = max(high, below)
            lefts = [_INSET + place * (each + _GAP) for place in range(3)]
            return tuple(QRectF(left, 4, each, tall) for left in lefts)  # type: ignore[return-value]
        if width >= _MIDDLE:
            each = (room - _GAP) / 2
            first = QRectF(_INSET, 4, each, high)
            second = QRectF(_INSET + each + _GAP, 4, each, high)
            return first, second, QRectF(_INSET, high + 10, room, below)
        first = QRectF(_INSET, 4, room, high)
        second = QRectF(_INSET, high + 10, room, _ORDER_LEAST + 20)
        return first, second, QRectF(_INSET, second.bottom() + 8, room, below)
