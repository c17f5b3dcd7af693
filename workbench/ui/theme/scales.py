"""Colour scales for magnitudes: waves, errors, differences and the threads of a fragment."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

from workbench.ui.theme.colours import channels, luminance, mix
from workbench.ui.theme.tokens import Palette

_WAVE_SHARES = (0.16, 0.34, 0.54, 0.76)
# Position from 0 (within tolerance) to 1 (the largest error shown).
_ERROR_STOPS = (
    (0.0, "#EEF3F7"),
    (0.02, "#FDE7C8"),
    (0.35, "#F6A060"),
    (0.7, "#CE3E3A"),
    (1.0, "#680E32"),
)
_NEGATIVE = ("#2166AC", "#92C5DE")
_POSITIVE = ("#F4A582", "#B2182B")
_THREAD_SATURATION = 0.42
_THREAD_LIGHTNESS_LIGHT, _THREAD_LIGHTNESS_DARK = 0.90, 0.30


def wave_colour(palette: Palette, wave: int) -> str:
    """The shade of the wave of that number, from 0; the fourth and later ones share a shade."""
    share = _WAVE_SHARES[min(wave, len(_WAVE_SHARES) - 1)]
    return mix(palette.bg1, palette.accent, share)


def error_colour(share: float) -> str:
    """The colour of an error: 0 is within tolerance, 1 the largest shown; clamped between."""
    return _interpolate(_ERROR_STOPS, share)


def difference_colour(palette: Palette, share: float) -> str:
    """The colour of a signed difference from -1 to 1; 0 is the colour of the ground."""
    stops = (
        (-1.0, _NEGATIVE[0]),
        (-0.5, _NEGATIVE[1]),
        (0.0, palette.bg1),
        (0.5, _POSITIVE[0]),
        (1.0, _POSITIVE[1]),
    )
    return _interpolate(stops, share)


def thread_colour(palette: Palette, thread: int) -> str:
    """The hue of a thread in a fragment: quads drift slowly, the four of a quad are neighbours."""
    dark = luminance(palette.bg1) < 0.5
    lightness = _THREAD_LIGHTNESS_DARK if dark else _THREAD_LIGHTNESS_LIGHT
    hue = (0.115 * (thread // 4) + 0.09 * (thread % 4)) % 1.0
    parts = colorsys.hls_to_rgb(hue, lightness, _THREAD_SATURATION)
    return "#" + "".join(f"{round(part * 255):02X}" for part in parts)


def error_table(size: int = 256) -> tuple[tuple[int, int, int], ...]:
    """The error scale as `size` steps of red, green and blue, for painting whole images."""
    return tuple(channels(error_colour(step / (size - 1))) for step in range(size))


def _interpolate(stops: Sequence[tuple[float, str]], position: float) -> str:
    """The colour at `position` between stops in rising order; ends are kept beyond them."""
    low_position, low = stops[0]
    for high_position, high in stops[1:]:
        if position <= high_position:
            span = high_position - low_position
            return mix(low, high, max(0.0, (position - low_position) / span))
        low_position, low = high_position, high
    return low
