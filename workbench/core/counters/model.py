"""What is read of a launch's counters: quantities with the metrics that hold them, and readings."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

Values = Mapping[str, float | None]


class Group(enum.Enum):
    """What a quantity is about."""

    TIME = "time"
    LAUNCH = "launch"
    OCCUPANCY = "occupancy"
    WAVEFRONTS = "shared memory wavefronts"
    CONFLICTS = "shared memory bank conflicts"
    INSTRUCTIONS = "instructions"
    GLOBAL = "global memory"
    LOCAL = "local memory"
    L2 = "L2"
    DRAM = "DRAM"
    UNITS = "units"
    STALLS = "stalls"


class Noise(enum.Enum):
    """Why a counter is not exact, as seen on an NVIDIA H200; the values say it to a person.

    Counts by the instructions that the profiler adds to the code ("sass_") are exact.
    """

    ARBITRATION = "the L1 counts arbitration between warps too, mostly a few tenths of a percent"
    STORES = "the L1 was seen to count stores up to 5 % too few or too many"


_NOISY = (
    (re.compile(r"l1tex__data_"), Noise.ARBITRATION),
    (re.compile(r"l1tex__t_sectors_\w+_op_st\."), Noise.STORES),
)


@dataclass(frozen=True)
class Formula:
    """A metric, or several added and subtracted: how much of each, by official name."""

    text: str
    terms: Mapping[str, int]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The official names that it needs."""
        return tuple(self.terms)

    @property
    def noise(self) -> Noise | None:
        """Why it is not exact; None where nothing of the kind is known."""
        return next((noise for p, noise in _NOISY if any(map(p.match, self.terms))), None)

    def value(self, values: Values) -> float | None:
        """Its value, None where one of the metrics is not there or was not told."""
        parts = [values.get(name) for name in self.terms]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        found = sum(sign * part for sign, part in zip(self.terms.values(), known, strict=True))
        # A difference of counts of several passes of the profiler can fall below nothing.
        return max(0.0, found) if len(known) > 1 else found


@dataclass(frozen=True)
class Quantity:
    """A figure of a launch. `candidates` hold it, on one chip or another, the best first.

    `unit` is ours: "" (a count, or a fraction), "B", "us", "MHz", "GB/s", "%", "cycles", and
    `base` the profiler's base unit. `basic` quantities are read whenever counters are.
    """

    key: str
    title: str
    group: Group
    candidates: tuple[Formula, ...]
    unit: str = ""
    base: str = ""
    basic: bool = True
    note: str | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every official name that may hold it."""
        return tuple(dict.fromkeys(name for each in self.candidates for name in each.metrics))


@dataclass(frozen=True)
class Reading:
    """What was read of a quantity: in its unit, None where the profiler could not tell.

    `metric` is the official name, or the names as they were added up; `noise` as of `Formula`.
    """

    quantity: Quantity
    value: int | float | None
    metric: str
    note: str | None = None
    noise: Noise | None = None


@cache
def formula(text: str) -> Formula:
    """A formula of its text: official names with " + " and " - " between them."""
    words = ["+", *text.split()]
    terms: dict[str, int] = {}
    for sign, name in zip(words[::2], words[1::2], strict=True):
        if sign not in ("+", "-") or re.fullmatch(r"[\w.]+", name) is None:
            raise ValueError(f"no sum of metrics: {text}")
        terms[name] = terms.get(name, 0) + (1 if sign == "+" else -1)
    return Formula(text, terms)
