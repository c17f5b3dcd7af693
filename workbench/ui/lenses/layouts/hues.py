"""A hue for each thread or bank: neighbours differ, and text stands out on all of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

_SATURATION = 0.42
_LIGHTNESS = {"light": 0.90, "dark": 0.30}
_QUAD_STEP, _LANE_STEP = 0.115, 0.09  # tokens: from quad to quad, and within a quad


@lru_cache(maxsize=8192)
def hue_colour(number: int, scheme: str) -> QColor:
    """The colour of a thread or a bank in a scheme."""
    hue = (_QUAD_STEP * (number // 4) + _LANE_STEP * (number % 4)) % 1.0
    return QColor.fromHslF(hue, _SATURATION, _LIGHTNESS[scheme])


def colours_of(
    numbers: npt.NDArray[np.int64], scheme: str, nothing: QColor
) -> npt.NDArray[np.uint32]:
    """The colours of an array of numbers as 0xAARRGGBB; of negative ones, `nothing`."""
    table = [hue_colour(n, scheme).rgba() for n in range(int(numbers.max(initial=0)) + 1)]
    # The last of the table is what -1 finds.
    return np.asarray([*table, nothing.rgba()], np.uint32)[np.maximum(numbers, -1)]
