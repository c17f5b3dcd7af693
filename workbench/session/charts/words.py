"""Numbers and lists as charts write them."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.comparison.values import rounded
from workbench.core.figures import figure, number
from workbench.core.runs import MetricSource

_PERCENT = 100.0


def amount(value: float) -> str:
    """A number as it stands at a mark: whole where it is a count, else with three digits."""
    if float(value).is_integer() and abs(value) < 1e6:
        return number(int(value))
    return number(float(f"{value:.3g}")) if abs(value) < 1e6 else short(value)


def short(value: float) -> str:
    """A count in thousands, millions or billions where it is large."""
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= scale:
            scaled = value / (1e3 if letter == "k" else scale)
            return f"{scaled:.3g} {letter}"
    return number(int(value)) if float(value).is_integer() else number(value)


def measure(value: float | None, unit: str) -> str:
    """A value with its unit, in the multiple that reads best."""
    return str(figure(None if value is None else rounded(value), unit))


def percent(part: float) -> str:
    """A part of one in per cent."""
    return f"{part * _PERCENT:.3g} %"


def listed(names: Sequence[str]) -> str:
    """Names with commas, and "and" before the last."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def word(source: MetricSource) -> str:
    """The source as an adjective."""
    return source.value


def sentence(text: str) -> str:
    """With a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""
