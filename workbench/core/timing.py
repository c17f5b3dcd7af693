"""Judges samples of a kernel's time: percentiles, and in sentences what to believe of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.profiles import Clocks, Latency

FEW_SAMPLES = 20
WIDE_SPREAD = 0.10  # of the median, between the 10th and the 90th percentile
DRIFT = 0.03
LOW_CLOCK = 0.95
OVERHEAD_SHARE = 0.2
_LEAST_MODE = 0.2  # of the samples on either side of a gap that makes two modes
_LEAST_GAP = 0.03  # of the median

WRONG_RESULT = (
    "The result is wrong: this is the time of a kernel that does not compute what its reference "
    "does."
)


@dataclass(frozen=True)
class Spread:
    """Where samples lie, in microseconds."""

    median: float
    p10: float
    p90: float

    @property
    def share(self) -> float:
        """The middle 80 % of the samples as a share of the median."""
        return (self.p90 - self.p10) / self.median if self.median > 0 else 0.0


def percentile(samples: Sequence[float], fraction: float) -> float:
    """The value below which a fraction of the samples lies, interpolated linearly."""
    ranked = sorted(samples)
    place = fraction * (len(ranked) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (ranked[high] - ranked[low]) * (place - low)


def spread_of(samples: Sequence[float]) -> Spread:
    """Median, 10th and 90th percentile."""
    return Spread(*(percentile(samples, fraction) for fraction in (0.5, 0.1, 0.9)))


def drift_of(samples: Sequence[float]) -> float:
    """How much slower the last third of the samples is than the first, as a share of the first."""
    third = len(samples) // 3
    if third == 0:
        return 0.0
    first, last = statistics.median(samples[:third]), statistics.median(samples[-third:])
    return (last - first) / first if first > 0 else 0.0


def modes_of(samples: Sequence[float]) -> tuple[float, float] | None:
    """The medians of two clusters where a clear gap parts the samples, else None."""
    ranked = sorted(samples)
    count = len(ranked)
    least = max(2, math.ceil(_LEAST_MODE * count))
    if count < 2 * least:
        return None
    at = max(range(least, count - least + 1), key=lambda i: ranked[i] - ranked[i - 1])
    gap = ranked[at] - ranked[at - 1]
    below, above = ranked[:at], ranked[at:]
    if gap < _LEAST_GAP * statistics.median(ranked) or gap < max(_half(below), _half(above)):
        return None
    return statistics.median(below), statistics.median(above)


def _half(ranked: Sequence[float]) -> float:
    """The distance between the quartiles."""
    return percentile(ranked, 0.75) - percentile(ranked, 0.25)


def trust_of(latency: Latency, verified: bool | None) -> tuple[str, ...]:
    """What to believe of a latency, the worst first; the last sentence says what is good.

    `verified` is False where the kernel's result is wrong, None where nothing was compared.
    """
    found = [WRONG_RESULT] if verified is False else []
    for judge in _JUDGES:
        sentence = judge(latency)
        if sentence is not None:
            found.append(sentence)
    return (*found, *_good(latency))


def _few(latency: Latency) -> str | None:
    count = len(latency.samples_us)
    if count >= FEW_SAMPLES:
        return None
    return f"{_samples(count)} say little: one launch takes long, so measure for more seconds."


def _held_down(latency: Latency) -> str | None:
    clocks = latency.clocks
    if clocks is None or clocks.high_mhz is None or not clocks.most_mhz:
        return None
    if clocks.high_mhz >= LOW_CLOCK * clocks.most_mhz:
        return None
    return (
        f"The SMs ran at {_range(clocks)} MHz, of {clocks.most_mhz:,} that they can"
        f"{_reasons(clocks)}: compare only with what ran at the same clock."
    )


def _moved(latency: Latency) -> str | None:
    clocks = latency.clocks
    if clocks is None or not clocks.low_mhz or not clocks.high_mhz:
        return None
    if clocks.low_mhz >= LOW_CLOCK * clocks.high_mhz:
        return None
    return f"The SMs' clock moved from {_range(clocks)} MHz while timing{_reasons(clocks)}."


def _two_modes(latency: Latency) -> str | None:
    modes = modes_of(latency.samples_us)
    if modes is None:
        return None
    return (
        f"The samples lie around two times, {_us(modes[0])} and {_us(modes[1])}, and the median "
        "is one of them by chance."
    )


def _wide(latency: Latency) -> str | None:
    spread = spread_of(latency.samples_us)
    if spread.share <= WIDE_SPREAD or modes_of(latency.samples_us) is not None:
        return None
    return f"The middle 80 % of the samples spread over {spread.share:.0%} of the median."


def _drifts(latency: Latency) -> str | None:
    drift = drift_of(latency.samples_us)
    if abs(drift) < DRIFT:
        return None
    word = "slower" if drift > 0 else "faster"
    return f"The last third of the samples is {abs(drift):.0%} {word} than the first."


def _overhead(latency: Latency) -> str | None:
    overhead = latency.launch_overhead_us
    if overhead is None or overhead < OVERHEAD_SHARE * latency.median_us:
        return None
    share = f"{overhead / latency.median_us:.0%}"
    return (
        f"An empty kernel takes {_us(overhead)} by the same method, {share} of this: much of the "
        "time is the launch."
    )


_JUDGES: tuple[Callable[[Latency], str | None], ...] = (
    _few,
    _held_down,
    _moved,
    _two_modes,
    _wide,
    _drifts,
    _overhead,
)


def _good(latency: Latency) -> tuple[str, ...]:
    spread, count = spread_of(latency.samples_us), len(latency.samples_us)
    if spread.share > WIDE_SPREAD or count < FEW_SAMPLES:
        return ()
    clocks = latency.clocks
    at = f", at {_range(clocks)} MHz" if clocks is not None and clocks.high_mhz else ""
    return (
        f"The middle 80 % of {_samples(count)} lie within {max(spread.share, 0.001):.1%} of the "
        f"median{at}.",
    )


def _range(clocks: Clocks) -> str:
    low, high = clocks.low_mhz, clocks.high_mhz
    return f"{high:,}" if low is None or low == high else f"{low:,} to {high:,}"


def _reasons(clocks: Clocks) -> str:
    return f" ({', '.join(clocks.throttled)})" if clocks.throttled else ""


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count:,} samples"


def _us(value: float) -> str:
    return f"{value:.3g} µs" if value < 1000 else f"{value:,.0f} µs"
