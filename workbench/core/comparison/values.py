"""How a metric's value reads in a comparison: shares in per cent, figures of three digits."""

from __future__ import annotations

from workbench.core.figures import Figure, figure, number

_RATIOS = ("baseline.ratio",)
_SHARES = ("share.", "occupancy", "achieved_occupancy")
_COUNTS = ("occupancy_",)  # blocks of an SM, by what limits them
_MOST_WHOLE = 1e15  # up to which a whole number is told as one


def value_figure(name: str, value: int | float, unit: str) -> Figure:
    """A metric's value with its unit."""
    if name.startswith(_RATIOS):
        return Figure(number(rounded(value)), "×")
    if name.startswith(_SHARES) and not name.startswith(_COUNTS):
        return Figure(number(rounded(value * 100)), "%")
    if unit == "cycles" and value == 1:
        return Figure("1", "cycle")
    return figure(value if unit == "B" else rounded(value), unit)


def rounded(value: int | float) -> int | float:
    """The value with three digits; a whole number is a count, and stays."""
    if float(value).is_integer() and abs(value) < _MOST_WHOLE:
        return int(value)
    return float(f"{value:.3g}")
