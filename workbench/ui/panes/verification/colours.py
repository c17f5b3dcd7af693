"""The colours of errors: the tokens' scale on light ground, its mirror image on dark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from workbench.ui.theme.colours import channels, mix
from workbench.ui.theme.scales import error_colour
from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.theme.tokens import Palette

Array = np.ndarray[Any, Any]

# On a dark ground what is far off has to be bright: the same hues, the other way round.
_DARK_STOPS = ((0.02, "#7A1638"), (0.35, "#CE3E3A"), (0.7, "#F6A060"), (1.0, "#FDE7C8"))
_LEAST_WRONG = 0.02  # where the scale of wrong elements begins
_STEPS = 256
WITHIN, NO_NUMBER, OUTSIDE = _STEPS, _STEPS + 1, _STEPS + 2


@dataclass(frozen=True)
class ErrorColours:
    """Turns errors into colours; `top` is the error that has the last colour."""

    palette: Palette
    top: float

    @property
    def within(self) -> str:
        """Within tolerance."""
        return self.palette.bg3 if is_dark(self.palette) else error_colour(0)

    @property
    def no_number(self) -> str:
        """NaN or infinite on one side alone."""
        return self.palette.l2

    def at(self, share: float) -> str:
        """The colour of a wrong element whose error is that share of `top`."""
        position = _LEAST_WRONG + (1 - _LEAST_WRONG) * min(max(share, 0.0), 1.0)
        if not is_dark(self.palette):
            return error_colour(position)
        low_position, low = _DARK_STOPS[0]
        for high_position, high in _DARK_STOPS[1:]:
            if position <= high_position:
                return mix(low, high, (position - low_position) / (high_position - low_position))
            low_position, low = high_position, high
        return low

    def of(self, error: float) -> str:
        """The colour of an error, which is not outside the output."""
        if error == 0:
            return self.within
        return self.at(error / self.top) if math.isfinite(error) else self.no_number

    def argb(self, errors: Array) -> Array:
        """Errors as 32-bit ARGB; outside the output it is transparent."""
        with np.errstate(invalid="ignore"):
            shares = np.clip(errors / np.float32(self.top), 0, 1) * (_STEPS - 1)
        places = np.nan_to_num(shares, posinf=_STEPS - 1).astype(np.int16)
        places[errors == 0] = WITHIN
        places[np.isinf(errors)] = NO_NUMBER
        places[errors < 0] = OUTSIDE
        return np.asarray(self._table[places])

    @property
    def _table(self) -> Array:
        return _table(self.palette)


@lru_cache(maxsize=4)
def _table(palette: Palette) -> Array:
    """The colours of all steps of a palette, which takes some milliseconds to make."""
    colours = ErrorColours(palette, 1.0)
    steps = [colours.at(step / (_STEPS - 1)) for step in range(_STEPS)]
    table = [_opaque(colour) for colour in (*steps, colours.within, colours.no_number)]
    return np.array([*table, 0], np.uint32)


def nice_top(largest: float) -> float:
    """1, 2 or 5 times a power of ten, at most `largest`; 1 where there is no error."""
    if not largest > 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(largest))
    return float(max(step * power for step in (1, 2, 5) if step * power <= largest * (1 + 1e-9)))


def _opaque(colour: str) -> int:
    red, green, blue = channels(colour)
    return 0xFF000000 | red << 16 | green << 8 | blue
