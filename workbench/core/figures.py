"""Numbers as people read them: three digits, binary sizes, thousands with comma, a true minus."""

from __future__ import annotations

import math
from dataclasses import dataclass

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")
_TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_SECONDS = dict(_TIMES)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = "\N{MINUS SIGN}"
_DIGITS = 3


@dataclass(frozen=True)
class Figure:
    """A number as text and its unit, "" for a plain count."""

    text: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.unit}".strip()


UNKNOWN = Figure("unknown")


def figure(value: int | float | None, unit: str = "") -> Figure:
    """A value with its unit, in the multiple of the unit that reads best; None is unknown."""
    if value is None:
        return UNKNOWN
    if unit == "B":
        return size(value)
    if unit in _SECONDS:
        return duration(value * _SECONDS[unit])
    return Figure(number(value), "µs" if unit == "us" else unit)


def number(value: int | float) -> str:
    """Whole numbers with commas; others with three digits, the very small and large by powers."""
    if isinstance(value, int):
        return _signed(f"{abs(value):,}", value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else _signed("∞", value)
    size_of = abs(value)
    if value == 0:
        return "0"
    if not 1e-3 <= size_of < 1e6:
        return _signed(_power(size_of), value)
    places = max(0, _DIGITS - 1 - math.floor(math.log10(size_of)))
    return _signed(f"{size_of:,.{places}f}", value)


def size(size_bytes: int | float) -> Figure:
    """A size in the largest binary unit in which it is at least 1."""
    value, unit = float(size_bytes), 0
    while abs(value) >= 1024 and unit < len(_BINARY) - 1:
        value, unit = value / 1024, unit + 1
    shown = int(value) if value == int(value) else value
    return Figure(number(shown), _BINARY[unit])


def duration(seconds: float) -> Figure:
    """A time in the largest of s, ms, µs, ns in which it is at least 1."""
    for unit, least in _TIMES:
        if abs(seconds) >= least * 0.9995:
            return Figure(number(float(seconds / least)), unit)
    return Figure("0", "s") if seconds == 0 else Figure(number(seconds / 1e-9), "ns")


def _power(value: float) -> str:
    mantissa, exponent = f"{value:.{_DIGITS - 1}e}".split("e")
    return f"{mantissa} · 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def _signed(text: str, value: float) -> str:
    return f"{_MINUS}{text}" if value < 0 else text
