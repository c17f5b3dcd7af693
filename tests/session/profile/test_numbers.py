"""The tables of a profile: predicted beside measured, counters, stalls and lines."""

from __future__ import annotations

from dataclasses import replace

from tests.support.analysis_results import analysis
from tests.support.profiles import profile
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.source_csv import SAMPLES
from workbench.core.profiles import CounterReport, KernelCounters, LineCounters
from workbench.core.targets.table import load_targets
from workbench.session.profile.numbers import Numbers, numbers_of

ARCH = load_targets().resolve("h200").arch
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
VALUES = {
    "launch__registers_per_thread": 226.0,
    "launch__grid_size": 64.0,
    "memory_l1_wavefronts_shared": 1000.0,
    "dram__bytes_read.sum": 1605632.0,
    "sm__warps_active.avg.pct_of_peak_sustained_active": 6.239,
    STALL.format("long_scoreboard"): 3.0,
    STALL.format("selected"): 1.0,
    "my__own_metric.sum": None,
}
LINES = (
    LineCounters(5, {SAMPLES: 30.0, "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive": 20.0}),
    LineCounters(
        4,
        {
            SAMPLES: 10.0,
            "memory_l1_wavefronts_shared": 800.0,
            "memory_l1_wavefronts_shared_ideal": 200.0,
        },
        "T.copy(A, A_s)",
    ),
)


def report(**values: float | None) -> CounterReport:
    kernel = KernelCounters("main", {**VALUES, **values}, device="NVIDIA H200", lines=LINES)
    return CounterReport("Nsight Compute 2025.3.1", (kernel,))


def kernel(registers: int = 226) -> KernelAnalysis:
    block = BlockResources(128, registers, dynamic_shared_bytes=4096)
    return replace(analysis(block_resources=block), grid=(64, 1, 1))


def numbers(registers: int = 226, counted: CounterReport | None = None) -> Numbers:
    return numbers_of(profile(counters=counted or report()), (kernel(registers),), ARCH)


def test_what_is_exact_is_equal_or_differs() -> None:
    rows = {row.title: row for row in numbers(200).compared}
    registers = rows["Registers of a thread"]
    assert (registers.predicted, registers.measured, registers.difference, registers.verdict) == (
        "200",
        "226",
        "−12 %",
        "differs",
    )
    assert rows["Blocks"].verdict == "equal"
    assert rows["Blocks"].difference == "same"


def test_the_verdict_counts_and_names_what_differs() -> None:
    found = numbers(200)
    assert "exact predictions are as measured." in found.short_verdict
    assert "launch: registers of a thread" in found.verdict


def test_the_time_is_an_estimate() -> None:
    (time, *_) = numbers().compared
    assert (time.title, time.estimate) == ("Time of a launch", True)


def test_without_an_analysis_the_time_has_no_prediction() -> None:
    (time,) = numbers_of(profile(), (), ARCH).compared
    assert (time.predicted, time.measured, time.verdict) == ("unknown", "359 µs", "unknown")


def test_counters_are_told_by_group_with_their_official_names() -> None:
    rows = {row.name: row for row in numbers().counters}
    read = rows["dram__bytes_read.sum"]
    assert (read.group, read.title, read.text, read.unit) == ("DRAM", "Bytes read", "1.53", "MiB")
    achieved = rows["sm__warps_active.avg.pct_of_peak_sustained_active"]
    assert (achieved.text, achieved.unit) == ("6.239", "%")


def test_metrics_without_a_name_of_ours_are_there_too_and_untold_ones_are_unknown() -> None:
    (own,) = [row for row in numbers().counters if row.name == "my__own_metric.sum"]
    assert (own.group, own.text, own.value) == ("other metrics", "unknown", None)


def test_stalls_are_shares_the_longest_first() -> None:
    first, second = numbers().stalls
    assert (first.title, first.share, first.issuing) == (
        "Waiting for global, local or texture memory",
        0.75,
        False,
    )
    assert (second.title, second.issuing) == ("Issuing", True)


def test_lines_stand_in_the_order_of_the_document_with_what_they_wait_for() -> None:
    copy, product = numbers().lines
    assert (copy.line, copy.share, copy.wavefronts, copy.excess, copy.text) == (
        4,
        0.25,
        800.0,
        600.0,
        "T.copy(A, A_s)",
    )
    assert (product.line, product.share, product.stall) == (
        5,
        0.75,
        "a warp group's matrix product",
    )


def test_where_counters_were_not_read_the_reason_is_told() -> None:
    result = profile(missing={"counters": "The driver lets only administrators read counters."})
    found = numbers_of(result, (), ARCH)
    assert found.no_counters == "The driver lets only administrators read counters."
    assert not found.counters


def test_kernels_of_several_launches_are_numbered() -> None:
    twice = replace(report(), kernels=report().kernels * 2)
    names = {row.kernel for row in numbers(counted=twice).counters}
    assert names == {"1 · main", "2 · main"}
