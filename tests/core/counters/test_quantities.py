from __future__ import annotations

import pytest

from tests.support.measured_counters import recorded
from workbench.core.counters.model import Noise, formula
from workbench.core.counters.quantities import BY_KEY, QUANTITIES, quantities, reading, wanted
from workbench.core.counters.raw_csv import read_raw_csv
from workbench.core.profiles import KernelCounters

SASS = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
LSU = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"


def counters(**values: float | None) -> KernelCounters:
    return KernelCounters("k", {name.replace("_sum", ".sum"): v for name, v in values.items()})


def page() -> KernelCounters:
    return read_raw_csv(recorded("c12_flash_sm80.raw.csv")).kernels[0]


def test_keys_are_those_of_one_quantity_each() -> None:
    assert len(BY_KEY) == len(QUANTITIES)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("profiled_time_us", 10.848),
        ("clock.sm", 1943.134),
        ("registers", 136),
        ("shared_dynamic_bytes", 24576),
        ("shared_carveout_bytes", 132 * 1024),
        ("occupancy", 0.1875),
        ("occupancy_limit.shared_memory", 5),
        ("shared.wavefronts", 401408),
        ("shared.ideal", 372736),
        ("shared.loads.wavefronts", 299008),
        ("shared.async-copy.wavefronts", 65536),
        ("shared.tensor.wavefronts", 0),
        ("shared.stores.conflicts", 28672),
        ("global.load_sectors", 278528),
        ("l2.hit_rate", 51.166921),
        ("dram.read_bytes", 1602048),
        ("dram.bandwidth", 147.681416),
        ("tensor.utilization", 18.196307),
        ("stall.long_scoreboard", 0.666521),
    ],
)
def test_quantities_of_a_page_of_an_h200(key: str, value: float) -> None:
    found = reading(page(), key)
    assert found is not None
    assert found.value == pytest.approx(value, rel=1e-9)


def test_a_quantity_is_read_of_the_best_metric_that_was_told() -> None:
    both = counters(**{f"{SASS}ld_sum": 8.0, f"{SASS}ldsm_sum": 4.0, f"{LSU}ld_sum": 13.0})
    exact = reading(both, "shared.loads.wavefronts")
    assert exact is not None
    assert (exact.value, exact.noise, exact.note) == (12, None, None)
    noisy = reading(counters(**{f"{LSU}ld_sum": 13.0}), "shared.loads.wavefronts")
    assert noisy is not None
    assert (noisy.value, noisy.noise) == (13, Noise.ARBITRATION)
    assert "arbitration" in (noisy.note or "")


def test_a_metric_that_was_not_told_is_unknown_and_one_not_asked_for_is_left_out() -> None:
    told = counters(lts__t_sectors_sum=None)
    assert [(each.quantity.key, each.value) for each in quantities(told)] == [("l2.sectors", None)]
    assert reading(told, "l2.hit_rate") is None


def test_no_theoretical_occupancy_is_unknown() -> None:
    found = reading(counters(sm__maximum_warps_per_active_cycle_pct=0.0), "occupancy")
    assert found is not None
    assert (found.value, found.note) == (
        None,
        "the profiler says 0, the kernel runs",
    )


def test_registers_say_that_they_have_a_floor() -> None:
    found = reading(counters(launch__registers_per_thread=16.0), "registers")
    assert found is not None
    assert (found.value, found.note) == (16, "the driver gives a thread no fewer than 16")


def test_a_difference_of_counts_is_not_below_nothing() -> None:
    assert formula("a - b").value({"a": 5.0, "b": 7.0}) == 0
    assert formula("a - b").value({"a": 5.0, "b": None}) is None


def test_a_formula_has_names_and_signs_alone() -> None:
    with pytest.raises(ValueError, match="no sum of metrics"):
        formula("a * b")


def test_the_metrics_asked_for_are_those_that_the_profiler_lists() -> None:
    hopper = ["sm__pipe_tensor_cycles_active", "sm__pipe_tensor_op_hmma_cycles_active"]
    assert wanted(hopper) == ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",)
    turing = ["sm__pipe_tensor_op_hmma_cycles_active"]
    assert wanted(turing) == (
        "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
    )
    stalls = ["smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"]
    assert wanted(stalls) == ()
    assert wanted(stalls, full=True) == tuple(stalls)


CHIPS = ("tu102", "ga100", "ga102", "ad102", "gh100", "gb100", "gb202")
# What an architecture has no instructions for, or its profiler no counter.
NO_STMATRIX = {"shared.stmatrix.wavefronts", "shared.stmatrix.conflicts"}
NO_STMATRIX |= {"shared.stmatrix.instructions", "shared.arbitration"}
NO_BULK = {"instructions.bulk_load", "instructions.bulk_store"}
NO_BULK |= {"global.bulk_load_bytes", "global.bulk_store_bytes"}
NO_GMMA = {"shared.tensor.conflicts", "shared.tensor.instructions"}
NO_COPIES = {"shared.async-copy.wavefronts", "shared.async-copy.conflicts"}
NO_COPIES |= {"shared.async-copy.instructions", "shared.tensor.wavefronts"}
ABSENT = {
    "tu102": NO_STMATRIX | NO_BULK | NO_GMMA | NO_COPIES,
    **dict.fromkeys(("ga100", "ga102", "ad102"), NO_STMATRIX | NO_BULK | NO_GMMA),
    "gh100": set(),
    **dict.fromkeys(("gb100", "gb202"), NO_GMMA),
}


def listed(chip: str) -> list[str]:
    """What `ncu --query-metrics --chips` of Nsight Compute 2025.3.1 lists for a chip."""
    head, *rows = recorded("metrics-by-chip.txt").splitlines()
    place = head.split().index(chip)
    return [row.split()[1] for row in rows if row[place] == "x"] + derived()


def derived() -> list[str]:
    prefixes = ("launch__", "memory_", "sm__maximum_warps_", "inst_executed")
    return [name for each in QUANTITIES for name in each.metrics if name.startswith(prefixes)]


@pytest.mark.parametrize("chip", CHIPS)
def test_every_basic_quantity_has_a_metric_on_every_chip_that_has_such_a_thing(chip: str) -> None:
    asked = dict.fromkeys(wanted(listed(chip)), 1.0)
    found = {each.quantity.key for each in quantities(KernelCounters("k", asked))}
    assert {each.key for each in QUANTITIES if each.basic} - found == ABSENT[chip]


@pytest.mark.parametrize(
    ("chip", "key", "metric"),
    [
        ("gh100", "tensor.utilization", "sm__pipe_tensor_cycles_active"),
        ("gb100", "tensor.utilization", "sm__pipe_tc_cycles_active"),
        ("gb202", "dram.read_bytes", "dram__bytes_op_read"),
        ("ga100", "dram.read_bytes", "dram__bytes_read"),
        ("tu102", "shared.loads.wavefronts", "sm__sass_l1tex_data_pipe_lsu_wavefronts"),
        ("gb100", "shared.tensor.wavefronts", "l1tex__data_pipe_tc_wavefronts_mem_shared"),
        ("ga100", "global.load_sectors", "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld"),
        ("tu102", "global.load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"),
    ],
)
def test_names_differ_by_chip(chip: str, key: str, metric: str) -> None:
    asked = dict.fromkeys(wanted(listed(chip)), 1.0)
    found = reading(KernelCounters("k", asked), key)
    assert found is not None
    assert found.metric.startswith(metric)


def test_no_metric_is_named_that_no_chip_has() -> None:
    known = {name for chip in CHIPS for name in listed(chip)}
    named = {name for each in QUANTITIES for name in each.metrics}
    assert {name for name in named if not {name, name.partition(".")[0]} & known} == set()
