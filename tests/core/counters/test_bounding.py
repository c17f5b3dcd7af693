from __future__ import annotations

from tests.support.measured_counters import recorded
from workbench.core.counters.bounding import bounding_of
from workbench.core.counters.raw_csv import read_raw_csv
from workbench.core.profiles import KernelCounters

TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
TIME = "gpu__time_duration.sum"


def stalled(reason: str) -> str:
    return f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"


def launch(name: str = "k", **values: float) -> KernelCounters:
    names = {"tensor": TENSOR, "sm": SM, "memory": MEMORY, "dram": DRAM, "time": TIME}
    return KernelCounters(name, {names.get(key, stalled(key)): v for key, v in values.items()})


def test_a_busy_unit_bounds() -> None:
    found = bounding_of([launch(tensor=84.0, sm=83.0, memory=41.0, dram=6.0)])
    assert found is not None
    assert found.text == "the tensor pipe, 84 % in use"


def test_a_whole_is_not_told_beside_the_part_that_it_is() -> None:
    found = bounding_of([launch(dram=88.0, memory=89.0)])
    assert found is not None
    assert [each.key for each in found.used] == ["dram.utilization"]


def test_a_whole_is_told_where_another_part_of_it_is_busier() -> None:
    found = bounding_of([launch(dram=20.0, memory=91.0)])
    assert found is not None
    assert found.text == "the busiest of L1, L2 and DRAM, 91 % in use"


def test_without_a_busy_unit_it_is_what_warps_wait_for() -> None:
    found = bounding_of([launch(tensor=42.0, dram=5.0, barrier=3.0, wait=1.0, selected=1.0)])
    assert found is not None
    assert found.text == (
        "latency, no unit being busy (the tensor pipe 42 %); "
        "the longest stall is waiting at a barrier (60 %)"
    )


def test_issuing_is_no_stall() -> None:
    found = bounding_of([launch(tensor=42.0, barrier=1.0, selected=9.0)])
    assert found is not None
    assert found.wait is not None
    assert found.wait.reason == "waiting at a barrier"


def test_of_several_launches_the_longest_counts() -> None:
    found = bounding_of([launch("a", time=9.0, dram=81.0), launch("b(int)", time=70.0, dram=95.0)])
    assert found is not None
    assert found.text == "b: DRAM, 95 % in use"


def test_nothing_is_said_where_no_unit_was_counted() -> None:
    assert bounding_of([]) is None
    assert bounding_of([launch(time=9.0)]) is None


def test_a_page_of_an_h200() -> None:
    found = bounding_of(read_raw_csv(recorded("c12_flash_sm80.raw.csv")).kernels)
    assert found is not None
    assert found.text == (
        "latency, no unit being busy (the tensor pipe 18 %, the busiest of L1, L2 and DRAM 13 %); "
        "the longest stall is waiting a fixed number of cycles (25 %)"
    )
