"""Samples of a time as pictures: how they are spread, and how they went in the order taken."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.core.profiles import Baseline, Latency
from workbench.core.timing import DRIFT, drift_of

BINS = 48
_ROOM = 0.06  # of the range, at both ends of an axis
_LEAST_RANGE = 0.04  # of the median: below it noise would look like spread
_FAR = (
    3.0  # times the distance of p90 from the median: what lies beyond is told, not drawn to scale
)
_FEWEST = 12  # samples below which a drift says nothing


@dataclass(frozen=True)
class Lane:
    """One function's samples, in µs. `bins` are shares of its fullest bin over the common axis.

    `beyond` counts samples outside the axis; the longest of all is `most_us`.
    """

    name: str
    is_kernel: bool
    p10_us: float
    median_us: float
    p90_us: float
    bins: tuple[float, ...]
    count: int
    beyond: int = 0
    most_us: float = 0.0


@dataclass(frozen=True)
class Order:
    """The kernel's samples in the order taken; some may lie beyond `low_us` to `high_us`.

    `drift` is the last third's median over the first's, less one; None of few samples.
    """

    samples_us: tuple[float, ...]
    low_us: float
    high_us: float
    p10_us: float
    median_us: float
    p90_us: float
    drift: float | None = None

    @property
    def drifts(self) -> bool:
        """Whether the time rose or fell while it was measured."""
        return self.drift is not None and abs(self.drift) >= DRIFT


@dataclass(frozen=True)
class SamplesPicture:
    """The lanes over one axis from `low_us` to `high_us`, and the predicted time if it is known."""

    lanes: tuple[Lane, ...]
    low_us: float
    high_us: float
    ticks_us: tuple[float, ...]
    order: Order
    predicted_us: float | None = None

    def part(self, time_us: float) -> float:
        """Where a time lies on the axis, 0 at its low end and 1 at its high one."""
        return (time_us - self.low_us) / (self.high_us - self.low_us)


def samples_picture(
    latency: Latency, baseline: Baseline | None = None, predicted_us: float | None = None
) -> SamplesPicture:
    """The kernel's samples above its baseline's."""
    found = [("kernel", latency), *([(baseline.name, baseline.latency)] if baseline else [])]
    ends = [_ends(each) for _, each in found]
    values = [value for pair in ends for value in pair]
    if predicted_us is not None and 0.5 * min(values) < predicted_us < 2 * max(values):
        values.append(predicted_us)
    low, high = _roomy(min(values), max(values), latency.median_us)
    lanes = tuple(_lane(name, each, low, high) for name, each in found)
    return SamplesPicture(lanes, low, high, ticks(low, high), _order(latency), predicted_us)


def ticks(low: float, high: float, wanted: int = 5) -> tuple[float, ...]:
    """Round values of an axis, about as many as wanted."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next((f * power for f in (1, 2, 2.5, 5) if f * power >= raw * 0.75), 10 * power)
    first, last = math.ceil(low / step), math.floor(high / step)
    return tuple(round(step * n, 9) for n in range(first, last + 1))


def _ends(latency: Latency) -> tuple[float, float]:
    """The least and the most that are drawn: what lies far beyond most is told in words."""
    samples, median = latency.samples_us or (latency.p10_us, latency.p90_us), latency.median_us
    least = _LEAST_RANGE * median
    low = median - _FAR * max(median - latency.p10_us, least)
    high = median + _FAR * max(latency.p90_us - median, least)
    return max(min(samples), low), min(max(samples), high)


def _roomy(low: float, high: float, middle: float) -> tuple[float, float]:
    least = _LEAST_RANGE * middle
    if high - low < least:
        centre = (low + high) / 2
        low, high = centre - least / 2, centre + least / 2
    room = (high - low) * _ROOM
    return max(0.0, low - room), high + room


def _lane(name: str, latency: Latency, low: float, high: float) -> Lane:
    counts = [0] * BINS
    inside = [each for each in latency.samples_us if low <= each <= high]
    for each in inside:
        place = int((each - low) / (high - low) * BINS)
        counts[min(max(place, 0), BINS - 1)] += 1
    fullest = max(counts) or 1
    return Lane(
        name,
        name == "kernel",
        latency.p10_us,
        latency.median_us,
        latency.p90_us,
        tuple(count / fullest for count in counts),
        len(latency.samples_us),
        len(latency.samples_us) - len(inside),
        max(latency.samples_us, default=latency.p90_us),
    )


def _order(latency: Latency) -> Order:
    least, most = _ends(latency)
    low, high = _roomy(least, most, latency.median_us)
    return Order(
        latency.samples_us,
        low,
        high,
        latency.p10_us,
        latency.median_us,
        latency.p90_us,
        drift_of(latency.samples_us) if len(latency.samples_us) >= _FEWEST else None,
    )
