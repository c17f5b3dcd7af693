"""Puts launches into a stream so that the GPU is never waiting for the host while it is timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

from workbench.core.profiles import DeviceInfo

Launch = Callable[[], object]

_LEAST_FLUSH_BYTES = 256 * 1024**2  # several times the L2 of any GPU so far
_L2_TIMES = 3
_SPIN_MHZ = 2000
_HOST_TRIALS = 5
_MARGIN = 2.0
_LONG_SECONDS = 0.05  # what takes longer is launched no more often than needed
_MOST_SPIN_US = 20_000.0


class Stream:
    """The current stream of one GPU, and what is put into it around a launch that is timed."""

    def __init__(self, device: DeviceInfo) -> None:
        size = max(_LEAST_FLUSH_BYTES, _L2_TIMES * (device.l2_bytes or 0))
        place = torch.device("cuda", device.index)
        self._other = torch.empty(size, dtype=torch.uint8, device=place)

    def flush(self) -> None:
        """Overwrite the L2 with memory that no kernel reads."""
        self._other.zero_()


def spin(microseconds: float) -> None:
    """Keep the GPU busy for a while without touching memory, where torch can do that.

    At a clock that is lower than assumed it takes longer, which does no harm.
    """
    sleep = getattr(torch.cuda, "_sleep", None)
    if sleep is not None and microseconds > 0:
        sleep(int(min(microseconds, _MOST_SPIN_US) * _SPIN_MHZ))


def empty_launch() -> Launch | None:
    """Launches a kernel that does nothing; None where torch has none."""
    sleep = getattr(torch.cuda, "_sleep", None)
    return None if sleep is None else lambda: sleep(0)


def host_us(launch: Launch) -> float:
    """Microseconds that the host takes to put one launch into the stream, with a margin."""
    times: list[float] = []
    end = time.perf_counter() + _LONG_SECONDS
    for _ in range(_HOST_TRIALS):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        if times and begun > end:
            break
        launch()
        times.append(time.perf_counter() - begun)
    torch.cuda.synchronize()
    return _MARGIN * statistics.median(times) * 1e6


def event() -> torch.cuda.Event:
    """An event that keeps its time."""
    return torch.cuda.Event(enable_timing=True)


def between_us(before: torch.cuda.Event, after: torch.cuda.Event) -> float:
    """Microseconds between two events that have happened."""
    return float(before.elapsed_time(after)) * 1e3


def estimated_us(launch: Launch) -> float:
    """A first idea of one launch's time, without care for caches."""
    count = 1 if once_seconds(launch) > _LONG_SECONDS else 3
    lead_us = host_us(launch) * count
    before, after = event(), event()
    spin(lead_us)
    before.record()
    for _ in range(count):
        launch()
    after.record()
    torch.cuda.synchronize()
    return between_us(before, after) / count


def warm_up(launch: Launch, seconds: float) -> None:
    """Launch for a while, so that clocks are up and nothing is loaded while timing."""
    end = time.perf_counter() + seconds
    once_seconds(launch)
    count = 1 if once_seconds(launch) > seconds / 20 else 10
    while time.perf_counter() < end:
        for _ in range(count):
            launch()
        torch.cuda.synchronize()


def once_seconds(launch: Launch) -> float:
    """Wall-clock seconds of one launch to its end."""
    torch.cuda.synchronize()
    begun = time.perf_counter()
    launch()
    torch.cuda.synchronize()
    return time.perf_counter() - begun
