"""How values and titles read in a comparison."""

from __future__ import annotations

import pytest

from workbench.core.comparison.metric_table import Better, kind_of
from workbench.core.comparison.values import value_figure


@pytest.mark.parametrize(
    ("name", "value", "unit", "text"),
    [
        ("time_us", 1574.08, "us", "1,570 µs"),
        ("sm_clock.low_mhz", 1575.0, "MHz", "1,575 MHz"),
        ("registers", 168, "", "168"),
        ("occupancy", 0.1875, "", "18.8 %"),
        ("achieved_occupancy", 0.185, "", "18.5 %"),
        ("occupancy_limit.warps", 5, "", "5"),
        ("share.copy", 0.121, "", "12.1 %"),
        ("baseline.ratio", 0.9931, "", "0.993 ×"),
        ("stall.selected", 1.0, "cycles", "1 cycle"),
        ("stall.gmma", 0.06, "cycles", "0.0600 cycles"),
        ("dram.read_bytes", 143654912, "B", "137 MiB"),
    ],
)
def test_a_value_reads_with_its_unit(name: str, value: float, unit: str, text: str) -> None:
    assert str(value_figure(name, value, unit)) == text


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("stall.gmma", "Stalled: waiting for a warp group's matrix product"),
        ("dram.bandwidth", "DRAM, rate"),
        ("l2.sm_sectors", "L2, sectors for the SMs"),
        ("instructions", "Instructions of warps"),
        ("registers", "Registers a thread"),
        ("odd.new_thing", "Odd new thing"),
    ],
)
def test_a_counter_has_its_title(name: str, title: str) -> None:
    assert kind_of(name).title == title


def test_a_rate_of_memory_is_no_goal_and_its_bytes_are() -> None:
    assert kind_of("dram.bandwidth").better is Better.NEITHER
    assert kind_of("dram.write_bytes").better is Better.LOWER
