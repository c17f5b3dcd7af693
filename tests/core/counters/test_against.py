from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.analysis_results import (
    analysis,
    global_report,
    global_site,
    occupancy,
    shared_report,
    shared_site,
)
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.global_sites import GlobalKind
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.counters.against import Comparison, Verdict, compare, paired
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.targets.table import load_targets

TOTAL = "memory_l1_wavefronts_shared"
LSU_STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
BLOCK = BlockResources(threads=256, registers=24, dynamic_shared_bytes=4096)


def compared(made: KernelAnalysis, key: str, **values: float | None) -> Comparison:
    counters = KernelCounters("main", {n.replace("_sum", ".sum"): v for n, v in values.items()})
    arch = load_targets().resolve("h200").arch
    return {each.quantity.key: each for each in compare(made, counters, arch)}[key]


def outcome(found: Comparison) -> tuple[object, object, object, str]:
    return found.predicted, found.measured, found.difference, found.verdict.value


def with_registers(count: int | None) -> KernelAnalysis:
    return analysis(block_resources=replace(BLOCK, registers=count))


def test_what_is_the_same_is_equal_and_what_is_not_differs() -> None:
    made = with_registers(24)
    equal = compared(made, "registers", launch__registers_per_thread=24.0)
    assert outcome(equal) == (24, 24, 0, "equal")
    differs = compared(made, "registers", launch__registers_per_thread=26.0)
    assert outcome(differs) == (24, 26, 2, "differs")


def test_a_launch_has_no_fewer_than_16_registers() -> None:
    found = compared(with_registers(13), "registers", launch__registers_per_thread=16.0)
    assert outcome(found) == (16, 16, 0, "equal")
    assert found.note == "the code needs 13; no launch has fewer than 16"


def test_registers_without_machine_code_are_unknown() -> None:
    found = compared(with_registers(None), "registers", launch__registers_per_thread=24.0)
    assert (*outcome(found), found.note) == (
        *(None, 24, None, "unknown"),
        "unknown without the machine code",
    )


def test_occupancy_is_computed_with_the_carveout_that_was_measured() -> None:
    block = replace(BLOCK, threads=128, registers=39, dynamic_shared_bytes=8192)
    made = analysis(block_resources=block, occupancy=occupancy())
    values = {
        "launch__shared_mem_config_size": 135168.0,
        "launch__occupancy_limit_shared_mem": 14.0,
        "sm__maximum_warps_per_active_cycle_pct": 75.0,
    }
    by_registers = compared(made, "occupancy", **values)  # 12 blocks of 4 warps, of 64
    assert outcome(by_registers) == (0.75, 0.75, 0, "equal")
    assert compared(made, "occupancy_limit.shared_memory", **values).predicted == 14
    small = {**values, "launch__shared_mem_config_size": 65536.0}
    assert compared(made, "occupancy_limit.shared_memory", **small).predicted == 7


def test_an_occupancy_is_told_in_hundredths_of_a_percent() -> None:
    made = analysis(block_resources=replace(BLOCK, threads=96))  # 63 of 64 warps
    values = {
        "launch__shared_mem_config_size": 167936.0,
        "sm__maximum_warps_per_active_cycle_pct": 98.44,
    }
    assert compared(made, "occupancy", **values).verdict is Verdict.EQUAL
    values["sm__maximum_warps_per_active_cycle_pct"] = 98.46
    assert compared(made, "occupancy", **values).verdict is Verdict.DIFFERS


def test_an_occupancy_that_the_profiler_does_not_know_is_unknown() -> None:
    found = compared(with_registers(24), "occupancy", sm__maximum_warps_per_active_cycle_pct=0.0)
    assert (found.verdict, found.measured) == (Verdict.UNKNOWN, None)
    assert found.note == "the profiler says 0, the kernel runs"


def test_a_limit_of_no_block_is_not_held_against_a_kernel_that_ran() -> None:
    """As of `c05_gemm_sm90`, whose static and dynamic shared memory are 49 KiB."""
    block = BlockResources(256, 168, 1024, 49152)
    values = {"launch__shared_mem_config_size": 65536.0, "launch__occupancy_limit_shared_mem": 0.0}
    made = analysis(block_resources=block, occupancy=occupancy())
    found = compared(made, "occupancy_limit.shared_memory", **values)
    assert (found.verdict, found.predicted, found.measured) == (Verdict.UNKNOWN, 1, None)
    assert found.note == "the profiler says 0, the kernel runs"


def stored(wavefronts: int) -> KernelAnalysis:
    site = shared_site(4, SharedKind.STORE, wavefronts=wavefronts, ideal=wavefronts, conflicts=0)
    return analysis(shared=shared_report(site))


def test_arbitration_in_a_noisy_counter_is_no_difference() -> None:
    found = compared(stored(196608), "shared.stores.wavefronts", **{LSU_STORES: 197159.0})
    assert outcome(found) == (196608, 197159, 551, "equal")
    assert found.note == "but for arbitration between warps, which this counter adds: +551"
    more = compared(stored(196608), "shared.stores.wavefronts", **{LSU_STORES: 210000.0})
    assert more.verdict is Verdict.DIFFERS


def test_an_exact_total_tells_that_all_of_the_excess_is_arbitration() -> None:
    values = {LSU_STORES: 17263.0, TOTAL: 16384.0}
    assert compared(stored(16384), "shared.stores.wavefronts", **values).verdict is Verdict.EQUAL
    values = {LSU_STORES: 17263.0, TOTAL: 17000.0}
    found = compared(stored(16384), "shared.stores.wavefronts", **values)
    assert found.verdict is Verdict.DIFFERS


def test_a_count_of_stores_in_the_l1_that_is_a_little_off_tells_nothing() -> None:
    made = analysis(global_memory=global_report(global_site(5, GlobalKind.STORE, 65536)))
    in_l1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
    near = compared(made, "global.store_sectors", **{in_l1: 65432.0})
    assert outcome(near) == (65536, 65432, -104, "unknown")
    assert (near.note or "").startswith("this counter is not exact")
    assert compared(made, "global.store_sectors", **{in_l1: 65536.0}).verdict is Verdict.EQUAL
    far = compared(made, "global.store_sectors", **{in_l1: 131072.0})
    assert far.verdict is Verdict.DIFFERS
    by_code = {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum": 65535.0}
    assert compared(made, "global.store_sectors", **by_code).verdict is Verdict.DIFFERS


def test_what_depends_on_data_is_unknown_with_the_reason() -> None:
    site = shared_site(4, SharedKind.INTEGER_ATOMIC, unknown="its address depends on data")
    made = analysis(shared=shared_report(site))
    found = compared(made, "shared.wavefronts", **{TOTAL: 29952.0})
    assert (*outcome(found), found.note) == (
        *(None, 29952, None, "unknown"),
        "its address depends on data",
    )


def test_floating_point_atomics_are_counted_with_the_others() -> None:
    site = shared_site(4, SharedKind.FLOAT_ATOMIC, unknown="a loop")
    made = analysis(shared=shared_report(site))
    counted = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"
    found = compared(made, "shared.integer-atomic.wavefronts", **{counted: 5.0})
    assert found.verdict is Verdict.UNKNOWN
    assert (found.note or "").startswith("floating-point atomics are counted among them")


def test_a_kind_that_the_kernel_does_not_have_is_predicted_as_none_of_it() -> None:
    counted = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum"
    found = compared(stored(64), "shared.stmatrix.wavefronts", **{counted: 0.0})
    assert outcome(found) == (0, 0, 0, "equal")


def test_a_time_is_an_estimate() -> None:
    found = compared(stored(64), "profiled_time_us", **{"gpu__time_duration.sum": 14240.0})
    assert (found.predicted, found.measured, found.estimate) == (12.34, 14.24, True)
    assert found.difference == pytest.approx(1.9)


def test_launches_are_paired_by_the_name_of_the_kernel() -> None:
    first, second = analysis(), replace(analysis(), name="other")
    launches = [KernelCounters(name, {}) for name in ("other(float *)", "main", "cub::fill")]
    found = paired([first, second], CounterReport("ncu", tuple(launches)))
    assert [(each.name, launch.name) for each, launch in found] == [
        ("other", "other(float *)"),
        ("main", "main"),
    ]


def test_a_single_launch_is_that_of_the_only_kernel() -> None:
    launch = KernelCounters("renamed", {})
    assert paired([analysis()], CounterReport("ncu", (launch,))) == ((analysis(), launch),)
