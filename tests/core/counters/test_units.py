from __future__ import annotations

import pytest

from workbench.core.counters.units import scale_of


@pytest.mark.parametrize(
    ("written", "unit", "factor"),
    [
        ("Kbyte", "byte", 1000),  # by 1000: 65.536 Kbyte is a carve-out of 64 KiB
        ("Kbyte/block", "byte/block", 1000),
        ("Mbyte", "byte", 10**6),
        ("us", "ns", 1000),
        ("usecond", "ns", 1000),
        ("second", "ns", 10**9),
        ("Ghz", "Hz", 10**9),
        ("cycle/nsecond", "Hz", 10**9),
        ("Gbyte/s", "byte/s", 10**9),
        ("byte/second", "byte/s", 1),
        ("sector/us", "sector/s", 10**6),
        ("%", "%", 1),
        ("register/thread", "register/thread", 1),
        ("", "", 1),
    ],
)
def test_units_are_scaled_to_base_units(written: str, unit: str, factor: int) -> None:
    scale = scale_of(written)
    assert (scale.unit, scale.factor) == (unit, factor)
