"""Arithmetic on colours written as `#RRGGBB`: luminance, contrast and mixing."""

from __future__ import annotations

_CHANNELS = (slice(1, 3), slice(3, 5), slice(5, 7))
_LUMINANCE_WEIGHTS = (0.2126, 0.7152, 0.0722)


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255; ValueError where `colour` is not `#RRGGBB`."""
    if len(colour) != 7 or not colour.startswith("#"):
        raise ValueError(f"{colour!r} is not a colour of the form #RRGGBB")
    red, green, blue = (int(colour[part], 16) for part in _CHANNELS)
    return red, green, blue


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1, as WCAG 2.2 defines it."""
    linear = (_linear(value / 255) for value in channels(colour))
    return sum(weight * value for weight, value in zip(_LUMINANCE_WEIGHTS, linear, strict=True))


def contrast(first: str, second: str) -> float:
    """Contrast ratio of WCAG 2.2, 1 to 21, the same in either order."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def mix(start: str, end: str, share: float) -> str:
    """The colour `share` (0 to 1) of the way from `start` to `end`."""
    pairs = zip(channels(start), channels(end), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
