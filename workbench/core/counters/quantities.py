"""Reads the quantities that we know off a launch's counters, whatever the chip calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.core.counters import launch_quantities, memory_quantities
from workbench.core.counters.model import Formula, Quantity, Reading
from workbench.core.profiles import KernelCounters

QUANTITIES: tuple[Quantity, ...] = (
    *launch_quantities.TIME,
    *launch_quantities.LAUNCH,
    *launch_quantities.OCCUPANCY,
    *memory_quantities.WAVEFRONTS,
    *memory_quantities.CONFLICTS,
    *memory_quantities.INSTRUCTIONS,
    *memory_quantities.GLOBAL,
    *memory_quantities.L2,
    *memory_quantities.DRAM,
    *launch_quantities.UNITS,
    *launch_quantities.STALLS,
)
BY_KEY: Mapping[str, Quantity] = {each.key: each for each in QUANTITIES}
# How many of the profiler's base unit one of ours is.
_DIVISORS = {("ns", "us"): 1e3, ("Hz", "MHz"): 1e6, ("byte/s", "GB/s"): 1e9, ("%", ""): 1e2}
#: What Nsight Compute says of a kernel that runs where it finds no room for a block. It counts no
#: opt-in to more shared memory where the dynamic part alone is no more than 48 KiB.
ZERO_SAID = "the profiler says 0, the kernel runs"
_NEVER_ZERO = ("occupancy", "occupancy_limit.")


def quantities(counters: KernelCounters) -> tuple[Reading, ...]:
    """What the counters hold of the known quantities, in the order of the table.

    A quantity none of whose metrics was asked for is left out.
    """
    readings = (_reading(each, counters.values) for each in QUANTITIES)
    return tuple(each for each in readings if each is not None)


def reading(counters: KernelCounters, key: str) -> Reading | None:
    """One quantity; None where none of its metrics was asked for. Raises KeyError."""
    return _reading(BY_KEY[key], counters.values)


def wanted(names: Iterable[str], full: bool = False) -> tuple[str, ...]:
    """The metrics to ask a profiler for that lists `names`: of the first candidate that it has.

    A listed name may lack the last parts of a metric's: "dram__bytes_read" has
    "dram__bytes_read.sum". What the profiler derives of a launch or of the code is not listed.
    """
    listed = frozenset(names)
    found: dict[str, None] = {}
    for quantity in QUANTITIES:
        if quantity.basic or full:
            best = next((c for c in quantity.candidates if _has(c, listed)), None)
            found |= dict.fromkeys(best.metrics if best is not None else ())
    return tuple(found)


def _has(candidate: Formula, listed: frozenset[str]) -> bool:
    return all(_is_listed(name, listed) for name in candidate.metrics)


def _is_listed(name: str, listed: frozenset[str]) -> bool:
    return name in listed or name.partition(".")[0] in listed


def _reading(quantity: Quantity, values: Mapping[str, float | None]) -> Reading | None:
    present = [c for c in quantity.candidates if all(name in values for name in c.metrics)]
    if not present:
        return None
    for candidate in present:
        value = candidate.value(values)
        if value is not None:
            return _told(quantity, candidate, value)
    return Reading(quantity, None, present[0].text, "the profiler could not tell")


def _told(quantity: Quantity, candidate: Formula, value: float) -> Reading:
    if value == 0 and quantity.key.startswith(_NEVER_ZERO):
        return Reading(quantity, None, candidate.text, ZERO_SAID)
    scaled = value / _DIVISORS.get((quantity.base, quantity.unit), 1)
    noise = candidate.noise
    note = quantity.note or (None if noise is None else noise.value)
    return Reading(quantity, _whole(scaled), candidate.text, note, noise)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value
