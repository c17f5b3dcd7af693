"""The units in which a profiler writes its metrics, and the base units that we keep them in.

Nsight Compute scales by powers of 1000 unless `--print-units base` is given, and has named its
units differently over the years ("nsecond", "ns"; "cycle/nsecond", "Ghz").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_PREFIXES = {"": 1, "K": 10**3, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_SCALED = re.compile(r"([KkMGTP]?)(bytes?|hz)", re.IGNORECASE)
# In nanoseconds.
_TIMES = {
    **dict.fromkeys(("ns", "nsecond", "nanosecond"), Decimal(1)),
    **dict.fromkeys(("us", "µs", "usecond", "microsecond"), Decimal(10**3)),
    **dict.fromkeys(("ms", "msecond", "millisecond"), Decimal(10**6)),
    **dict.fromkeys(("s", "second"), Decimal(10**9)),
}
_BASES = {"byte": "byte", "bytes": "byte", "hz": "Hz"}
TIME = "ns"
_PER_SECOND = Decimal(10**9)


@dataclass(frozen=True)
class Scale:
    """A base unit, and how many of it one of the unit read is."""

    unit: str
    factor: Decimal = Decimal(1)


def scale_of(unit: str) -> Scale:
    """The base unit of a written one: "byte", "ns", "Hz", "byte/s", "%"; others as they are."""
    above, slash, below = unit.strip().partition("/")
    if not slash:
        return _single(above)
    over, under = _single(above), _single(below)
    if under.unit == TIME:
        factor = over.factor * _PER_SECOND / under.factor
        return Scale("Hz" if over.unit == "cycle" else f"{over.unit}/s", factor)
    return Scale(f"{over.unit}/{under.unit}", over.factor / under.factor)


def _single(unit: str) -> Scale:
    if unit in _TIMES:
        return Scale(TIME, _TIMES[unit])
    scaled = _SCALED.fullmatch(unit)
    if scaled is None:
        return Scale(unit)
    return Scale(_BASES[scaled[2].lower()], Decimal(_PREFIXES[scaled[1]]))
