"""Three ways to time a launch: events around it, replay of a graph, and CUPTI's own records."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workbench.engine.device.launches import (
    Launch,
    Stream,
    between_us,
    estimated_us,
    event,
    host_us,
    spin,
)

_BATCH = 50  # samples in flight: a stream takes about a thousand launches before the host waits
_GROUP_US = 100.0
_MOST_IN_GROUP = 100
GRAPH_US = 2000.0
_MOST_IN_GRAPH = 500
_LEAST_US = 0.01  # a difference can be less than nothing, a time cannot
_MOST_COLD_IN_GRAPH = 10


class MethodError(Exception):
    """A method cannot time this launch; the message says why."""


@dataclass(frozen=True)
class Samples:
    """Microseconds of one launch in the order taken, each the mean of so many launches."""

    microseconds: tuple[float, ...]
    launches_per_sample: int = 1


def by_events(
    launch: Launch, stream: Stream, is_cold: bool, count: int, about_us: float
) -> Samples:
    """CUDA events around single launches; warm short ones in groups.

    Where what runs before is too short for the host to get ahead, a spinning kernel in front keeps
    the GPU busy meanwhile.
    """
    group = 1 if is_cold else max(1, min(_MOST_IN_GROUP, math.ceil(_GROUP_US / about_us)))
    lead_us = host_us(launch) * group + 10
    ahead_us = estimated_us(stream.flush) if is_cold else group * about_us

    def put(before: Any, after: Any) -> None:
        if is_cold:
            stream.flush()
        spin(lead_us - ahead_us)
        before.record()
        for _ in range(group):
            launch()
        after.record()

    taken = _taken(put, count, max(1, _BATCH // group), lead_us)
    return Samples(tuple(time / group for time in taken), group)


def by_graph(launch: Launch, stream: Stream, is_cold: bool, count: int, about_us: float) -> Samples:
    """Replays of a graph of several launches; cold: less those of a graph of the flushes alone.

    Raises MethodError where the launch cannot be captured.
    """
    if is_cold:
        return _by_cold_graph(launch, stream, count, cold_group(about_us))
    group = max(1, min(_MOST_IN_GRAPH, math.ceil(GRAPH_US / about_us)))
    graph = captured(launch for _ in range(group))
    return Samples(tuple(time / group for time in _replayed(graph, count)), group)


def by_cupti(launch: Launch, stream: Stream, is_cold: bool, count: int, about_us: float) -> Samples:
    """The GPU's own record of when each kernel began and ended, through torch's profiler.

    Raises MethodError where torch has no CUPTI, or it recorded nothing.
    """
    flushes = _recorded(stream.flush, 1)
    others = {name for name, _ in flushes}

    def once() -> None:
        if is_cold:
            stream.flush()
        launch()

    kernels = [(name, time) for name, time in _recorded(once, count) if name not in others]
    if not kernels or len(kernels) % count:
        raise MethodError(f"CUPTI recorded {len(kernels)} kernels of {count} launches")
    each = len(kernels) // count
    times = [time for _, time in kernels]
    return Samples(tuple(sum(times[i : i + each]) for i in range(0, len(times), each)))


Method = Callable[[Launch, Stream, bool, int, float], Samples]
METHODS: dict[str, tuple[str, Method]] = {
    "events": ("cuda events", by_events),
    "graph": ("graph replay", by_graph),
    "cupti": ("cupti", by_cupti),
}


def cold_group(about_us: float) -> int:
    """How many launches of such a time, each behind a flush, a graph holds."""
    return max(1, min(_MOST_COLD_IN_GRAPH, math.ceil(GRAPH_US / about_us)))


def captured(launches: Iterable[Launch]) -> Any:
    """A graph of launches; raises MethodError where one does what a graph cannot hold."""
    graph = torch.cuda.CUDAGraph()
    try:
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            for launch in launches:
                launch()
        graph.replay()
        torch.cuda.synchronize()
    except RuntimeError as error:
        first = str(error).strip().partition("\n")[0]
        raise MethodError(f"its launch cannot be captured in a graph: {first}") from error
    return graph


def _by_cold_graph(launch: Launch, stream: Stream, count: int, group: int) -> Samples:
    both = captured(each for _ in range(group) for each in (stream.flush, launch))
    alone = captured(stream.flush for _ in range(group))
    found: list[float] = []
    for _ in range(-(-count // _BATCH)):
        with_kernel = _replayed(both, min(_BATCH, count - len(found)))
        without = _replayed(alone, len(with_kernel))
        found += [a - b for a, b in zip(with_kernel, without, strict=True)]
    return Samples(tuple(max(_LEAST_US, time / group) for time in found), group)


def _replayed(graph: Any, count: int) -> list[float]:
    """Microseconds of each replay."""
    lead_us = host_us(graph.replay) + 10

    def put(before: Any, after: Any) -> None:
        before.record()
        graph.replay()
        after.record()

    return _taken(put, count, _BATCH, lead_us)


def _taken(put: Callable[[Any, Any], None], count: int, batch: int, lead_us: float) -> list[float]:
    """Microseconds between the two events of `put`, so many times; waits after each batch.

    The GPU spins for `lead_us` before the first of a batch, later ones run behind others.
    """
    found: list[float] = []
    while len(found) < count:
        pairs = [(event(), event()) for _ in range(min(batch, count - len(found)))]
        spin(lead_us)
        for before, after in pairs:
            put(before, after)
        torch.cuda.synchronize()
        found += [between_us(before, after) for before, after in pairs]
    return found


def _recorded(launch: Launch, count: int) -> Sequence[tuple[str, float]]:
    """Name and microseconds of each kernel and memory operation, in the order they ran."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile, supported_activities

    if ProfilerActivity.CUDA not in supported_activities():
        raise MethodError("this torch is built without CUPTI")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of cycles, of which there is one
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            for _ in range(count):
                launch()
            torch.cuda.synchronize()
    found = [e for e in profiler.events() or () if e.device_type == DeviceType.CUDA]
    if not found:
        raise MethodError("CUPTI recorded no kernel: another profiler may hold it")
    found.sort(key=lambda each: each.time_range.start)
    return [(each.name, each.time_range.elapsed_us()) for each in found]
