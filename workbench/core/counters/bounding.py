"""What bounds a launch by its counters: the unit that is busiest, or else what warps wait for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.counters.quantities import BY_KEY, quantities
from workbench.core.profiles import KernelCounters

#: In use for this part of the time, a unit is what bounds: pipes and buses seldom reach more.
BUSY = 80.0
_LITTLE = 10.0  # percent: what is in use less is not worth its words
_DRAM, _MEMORY, _SM = "dram.utilization", "memory.throughput", "sm.throughput"
_UNITS = {
    "tensor.utilization": "the tensor pipe",
    _DRAM: "DRAM",
    _MEMORY: "the busiest of L1, L2 and DRAM",
    _SM: "the busiest part of the SMs",
}
_WHOLES = {_MEMORY: (_DRAM,), _SM: ("tensor.utilization",)}  # what is said before says it already
_SAME = 3.0  # percent
_STALLED, _ISSUING = "Stalled: ", "stall.selected"  # how titles begin, and which is no stall


@dataclass(frozen=True)
class Usage:
    """A unit and the percentage of its peak that a launch made of it."""

    key: str
    title: str
    percent: float


@dataclass(frozen=True)
class Wait:
    """What warps wait for most, and its part of all of their cycles."""

    reason: str
    share: float


@dataclass(frozen=True)
class Bounding:
    """What bounds one launch. `used` has the busiest unit first; `wait` is None where not counted.

    `of` says which launch it is of, where there were several: the one that takes longest.
    """

    used: tuple[Usage, ...]
    wait: Wait | None = None
    of: str = ""

    @property
    def text(self) -> str:
        """A clause: "DRAM, 84 % in use; the longest stall is waiting at a barrier (30 %)"."""
        return "; ".join(part for part in (f"{self.of}{self._unit}", self._waits) if part)

    @property
    def _unit(self) -> str:
        if self.used and self.used[0].percent >= BUSY:
            return f"{self.used[0].title}, {self.used[0].percent:.0f} % in use"
        used = ", ".join(f"{each.title} {each.percent:.0f} %" for each in self.used)
        return f"latency, no unit being busy ({used or 'none in use for long'})"

    @property
    def _waits(self) -> str:
        if self.wait is None:
            return ""
        return f"the longest stall is {self.wait.reason} ({100 * self.wait.share:.0f} %)"


def bounding_of(launches: Sequence[KernelCounters]) -> Bounding | None:
    """What bounds the longest of some launches; None where their units were not counted."""
    if not launches:
        return None
    told = [_values(each) for each in launches]
    place = max(range(len(told)), key=lambda index: told[index].get("profiled_time_us", 0.0))
    used = _usages(told[place])
    if not used:
        return None
    name = f"{launches[place].name.partition('(')[0]}: " if len(launches) > 1 else ""
    busy = tuple(each for each in used if each.percent >= _LITTLE)
    return Bounding(busy, _wait(launches[place]), name)


def _values(counters: KernelCounters) -> Mapping[str, float]:
    return {each.quantity.key: each.value for each in quantities(counters) if each.value}


def _usages(values: Mapping[str, float]) -> list[Usage]:
    """Every unit in use, the busiest first; a whole only where it is busier than its named part."""
    known = {key: values[key] for key in _UNITS if key in values}
    kept = {
        key: value
        for key, value in known.items()
        if all(value > known.get(part, -_SAME) + _SAME for part in _WHOLES.get(key, ()))
    }
    return sorted((Usage(k, _UNITS[k], v) for k, v in kept.items()), key=lambda each: -each.percent)


def _wait(counters: KernelCounters) -> Wait | None:
    found = {
        each.quantity.key: float(each.value)
        for each in quantities(counters)
        if each.value and each.quantity.title.startswith(_STALLED)
    }
    waits = {key: value for key, value in found.items() if key != _ISSUING}
    if not waits:
        return None
    most = max(waits, key=waits.__getitem__)
    reason = BY_KEY[most].title.removeprefix(_STALLED)
    return Wait(reason, waits[most] / sum(found.values()))
