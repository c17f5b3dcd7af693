"""Measures the time of a launch: how many samples, by which method, and what to believe of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from workbench.core.profiles import DeviceInfo, Latency
from workbench.core.timing import spread_of
from workbench.engine.device.clock_watch import ClockWatch
from workbench.engine.device.launches import (
    Launch,
    Stream,
    empty_launch,
    estimated_us,
    warm_up,
)
from workbench.engine.device.timing_methods import (
    GRAPH_US,
    METHODS,
    MethodError,
    Samples,
    captured,
    cold_group,
)

# Events add three to four microseconds to a launch on an H200 (graph replay one); from here on that
# is one percent at most.
EVENTS_FROM_US = 400.0
MOST_SAMPLES = 2000
_LEAST_SAMPLES = 5
_MOST_TIMES = 8.0  # how much longer than asked `min_samples` may make it
_WARM_UP_SECONDS = 0.2
_OVERHEAD_SAMPLES = 30
_SAMPLE_US = 120.0  # what a sample takes beside the launch: flush, spin, host


@dataclass(frozen=True)
class Plan:
    """How to measure: `method` by its key, "cold" or "warm", and for how long."""

    method: str
    cache: str
    min_samples: int
    seconds: float

    @property
    def is_cold(self) -> bool:
        """Whether the L2 is overwritten before each launch."""
        return self.cache == "cold"


class Meter:
    """Measures launches on one GPU; its memory goes with it."""

    def __init__(self, device: DeviceInfo) -> None:
        self._device = device
        self._stream = Stream(device)

    def chosen(self, method: str, launches: Sequence[Launch]) -> tuple[str, str | None]:
        """The method for some launches, and why it is that one, where nobody asked for it.

        "auto" takes graph replay for short launches, where all can be captured, else events.
        """
        if method not in ("auto", "graph"):
            return method, None
        shortest = min(estimated_us(launch) for launch in launches)
        if method == "auto" and shortest >= EVENTS_FROM_US:
            return "events", "CUDA events were taken: at this length they add less than 1 %."
        why = self._why_no_graph(launches)
        if why is not None:
            return "events", f"CUDA events were taken: {why}."
        if method == "graph":
            return "graph", None
        return "graph", "Graph replay was taken: events would add more than 1 % to so short a time."

    def measure(self, launch: Launch, plan: Plan, count: int | None = None) -> Latency:
        """The time of one launch, from so many samples if that is said; raises MethodError."""
        warm_up(launch, _WARM_UP_SECONDS)
        about = max(0.1, estimated_us(launch))
        count = count or sample_count(plan, about)
        with ClockWatch(self._device) as watch:
            samples = self._sampled(launch, plan, count, about)
        title = METHODS[plan.method][0]
        return replace(latency_of(samples, title, plan.cache), clocks=watch.clocks)

    def overhead_us(self, plan: Plan) -> float | None:
        """What the method gives for an empty kernel; None where there is none."""
        launch = empty_launch()
        if launch is None:
            return None
        warm_up(launch, 0)
        try:
            samples = self._sampled(launch, plan, _OVERHEAD_SAMPLES, 2.0)
        except MethodError:
            return None
        return spread_of(samples.microseconds).median

    def _sampled(self, launch: Launch, plan: Plan, count: int, about_us: float) -> Samples:
        _, function = METHODS[plan.method]
        return function(launch, self._stream, plan.is_cold, count, about_us)

    def _why_no_graph(self, launches: Sequence[Launch]) -> str | None:
        try:
            for launch in launches:
                launch()
                captured([launch])
        except MethodError as error:
            return str(error)
        return None


def sample_count(plan: Plan, about_us: float) -> int:
    """How many samples fit the time; at least `min_samples` where these do not take far longer."""
    each = about_us + _SAMPLE_US
    if plan.method == "graph":
        cold = cold_group(about_us) * (about_us + 2 * _SAMPLE_US)
        each = cold if plan.is_cold else max(GRAPH_US, about_us)
    fitting = math.floor(plan.seconds * 1e6 / each)
    bearable = math.floor(_MOST_TIMES * plan.seconds * 1e6 / each)
    wanted = max(fitting, min(plan.min_samples, bearable), _LEAST_SAMPLES)
    return min(wanted, max(MOST_SAMPLES, plan.min_samples))


def latency_of(samples: Samples, method: str, cache: str) -> Latency:
    """Samples as a latency."""
    spread = spread_of(samples.microseconds)
    return Latency(
        spread.median,
        spread.p10,
        spread.p90,
        samples.microseconds,
        method,
        cache,
        samples.launches_per_sample,
    )


def together(first: Latency, second: Latency) -> Latency:
    """Two measurements of one launch as one."""
    samples = Samples((*first.samples_us, *second.samples_us), first.launches_per_sample)
    both = latency_of(samples, first.method, first.cache)
    a, b = first.clocks, second.clocks
    if a is None or b is None:
        return replace(both, clocks=a or b)
    lows = [clock for clock in (a.low_mhz, b.low_mhz) if clock is not None]
    highs = [clock for clock in (a.high_mhz, b.high_mhz) if clock is not None]
    reasons = tuple(dict.fromkeys((*a.throttled, *b.throttled)))
    clocks = replace(
        a, low_mhz=min(lows, default=None), high_mhz=max(highs, default=None), throttled=reasons
    )
    return replace(both, clocks=clocks)


def release() -> None:
    """Give memory that is no longer used back to the GPU."""
    torch.cuda.empty_cache()
