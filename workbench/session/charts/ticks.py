"""Where an axis has its ticks, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.core.figures import number

_MANY_DECADES = 2.6


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to parts from 0 to 1, evenly or by their logarithms."""

    low: float
    high: float
    is_log: bool = False

    def part(self, value: float) -> float:
        """Where a value lies; what is not above zero lies at the low end of a logarithmic one."""
        if not self.is_log:
            return (value - self.low) / ((self.high - self.low) or 1.0)
        if value <= 0:
            return 0.0
        return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))

    def value(self, part: float) -> float:
        """The value at a part."""
        if not self.is_log:
            return self.low + part * (self.high - self.low)
        span = math.log(self.high) - math.log(self.low)
        return math.exp(math.log(self.low) + part * span)

    def ticks(self, wanted: int, log_base: int = 10) -> tuple[float, ...]:
        """Round values within, about as many as are wanted."""
        if self.is_log:
            return _log_ticks(self.low, self.high, wanted, log_base)
        return _even_ticks(self.low, self.high, wanted)


def _even_ticks(low: float, high: float, wanted: int) -> tuple[float, ...]:
    span = high - low
    if span <= 0 or not math.isfinite(span):
        return ()
    raw = span / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(n * step, 12) for n in range(first, last + 1))


def _log_ticks(low: float, high: float, wanted: int, base: int) -> tuple[float, ...]:
    span = math.log(high / low, base)
    every = max(1, math.ceil(span / max(1, wanted)))
    first, last = math.floor(math.log(low, base)), math.ceil(math.log(high, base))
    steps: tuple[int, ...] = (1, 2, 5) if base == 10 and span <= _MANY_DECADES else (1,)
    powers = range(first - first % every, last + 1, every)
    values = [step * float(base) ** power for power in powers for step in steps]
    return tuple(v for v in values if low * 0.999 <= v <= high * 1.001)


def tick_text(value: float, is_percent: bool = False) -> str:
    """A tick in words."""
    if is_percent:
        return f"{value * 100:.0f} %"
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.4g} M"
    whole = round(value)
    if abs(value - whole) < 1e-9 * max(1.0, abs(value)):
        return number(int(whole))
    return f"{value:.4g}"
