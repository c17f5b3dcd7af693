"""The roofline lens's picture: all targets' series, the axes, and the sentence above them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.session.lenses.roofline.series import Series, series_of
from workbench.session.lenses.roofline.words import NumbersRow, conclusion, heads, numbers
from workbench.session.lenses.subject import LensSubject

_MOST_DECADES = 5.0


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from 10^`low` to 10^`high`."""

    low: float
    high: float

    def part(self, value: float) -> float:
        """Where a positive value lies, 0 at the low end and 1 at the high one."""
        return (math.log10(value) - self.low) / (self.high - self.low)

    def value(self, part: float) -> float:
        """The value at a part of the axis."""
        return float(10 ** (self.low + part * (self.high - self.low)))

    @property
    def ticks(self) -> tuple[float, ...]:
        """Powers of ten within, with twos and fives where there are few."""
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        steps = (1,) if self.high - self.low > 3.2 else (1, 2, 5)
        values = [step * 10.0**power for power in powers for step in steps]
        return tuple(value for value in values if 0 <= self.part(value) <= 1)


@dataclass(frozen=True)
class RooflinePicture:
    """`missing` says of targets without a series why. `x` is flop a byte, `y` is TFLOP/s.

    `has_plot` is False where no target's kernel computes anything: then the numbers are all.
    """

    series: tuple[Series, ...]
    missing: tuple[tuple[str, int, str], ...]
    x: Axis
    y: Axis
    heads: tuple[str, ...]
    rows: tuple[NumbersRow, ...]
    conclusion: str

    @property
    def has_plot(self) -> bool:
        """Whether a kernel has a place between the ceilings."""
        return any(each.computed is not None for each in self.series)


def roofline_picture(
    subject: LensSubject, measured_us: Mapping[str, float] | None = None
) -> RooflinePicture | str:
    """The rooflines of all chosen targets; why there is none, where there is none.

    `measured_us` are the times of profiled runs by the target's name.
    """
    times = measured_us or {}
    before = {each.target.name: each for each in subject.before}
    found = [
        (each, series_of(each, before.get(each.target.name), times.get(each.target.name)))
        for each in subject.targets
    ]
    series = tuple(each for _, each in found if isinstance(each, Series))
    missing = tuple((t.label, t.mark, why) for t, why in found if isinstance(why, str))
    if not series:
        return f"{missing[0][0]}: {missing[0][2]}" if missing else "no target is chosen"
    columns = heads(series)
    return RooflinePicture(
        series,
        missing,
        _x_axis(series),
        _y_axis(series),
        columns,
        tuple(numbers(each, columns) for each in series),
        conclusion(series),
    )


def _x_axis(series: Sequence[Series]) -> Axis:
    values = [m.intensity for each in series for m in each.moved if m.intensity]
    values += [each.ridge for each in series if each.ridge]
    values += [each.before[0] for each in series if each.before]
    return _axis(values or [1.0, 100.0])


def _y_axis(series: Sequence[Series]) -> Axis:
    rates = [rate for each in series for rate in (each.predicted, each.measured)]
    values = [rate.tera for rate in rates if rate is not None]
    values += [each.peak for each in series if each.peak]
    values += [max(each.used_peaks) for each in series if each.used_peaks]
    values += [each.before[1] for each in series if each.before]
    return _axis(values or [1.0, 100.0])


def _axis(values: Iterable[float]) -> Axis:
    """The values with some room at both ends, five decades at the most."""
    known = [value for value in values if value > 0 and math.isfinite(value)]
    high = math.log10(max(known) * 1.8)
    low = math.log10(min(known) / 2.5)
    return Axis(max(low, high - _MOST_DECADES), max(high, low + 1.5))
