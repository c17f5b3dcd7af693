"""The waves of a grid as an image of one pixel a block, so that a million are painted at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

_PALEST, _DARKEST = 0.16, 0.72
_ORDER_STEPS = 64  # shades of the launch order where waves are unknown
_DISTINCT = 8  # waves that are told apart by shade alone; of more, every other one is lifted
_LIFT = 0.07


def wave_shares(count: int) -> tuple[float, ...]:
    """How strong the hue of each wave is, from the first to the last."""
    if count == 1:
        return ((_PALEST + _DARKEST) / 2,)
    steps = np.linspace(_PALEST, _DARKEST, count)
    if count > _DISTINCT:
        steps = steps + np.where(np.arange(count) % 2 == 1, _LIFT, -_LIFT)
    return tuple(float(step) for step in steps)


def shade(ground: QColor, hue: QColor, share: float) -> QColor:
    """The hue laid over the ground."""
    parts = [
        round(a + (b - a) * share)
        for a, b in zip(ground.getRgb()[:3], hue.getRgb()[:3], strict=True)  # type: ignore[index]
    ]
    return QColor(*parts)


def wave_image(
    numbers: npt.NDArray[np.int64], capacity: int | None, ground: QColor, hue: QColor
) -> QImage:
    """The cells of `numbers` (launch numbers, -1 for none) in the shade of their waves."""
    rows, columns = numbers.shape
    most = int(numbers.max(initial=0))
    size = capacity if capacity is not None else max(1, -(-(most + 1) // _ORDER_STEPS))
    shares = wave_shares(most // size + 1)
    colours = np.array([shade(ground, hue, share).rgb() for share in shares] + [0], dtype=np.uint32)
    waves = np.where(numbers >= 0, numbers // size, len(shares))
    pixels = np.ascontiguousarray(colours[waves])
    image = QImage(pixels.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32)
    return image.copy()  # the array goes away


def all_shades(count: int, ground: QColor, hue: QColor) -> Sequence[QColor]:
    """The shades of so many waves, for a legend."""
    return [shade(ground, hue, share) for share in wave_shares(count)]
