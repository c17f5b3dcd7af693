"""What was measured of a kernel, beside what is predicted of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.analysis_results import analysis, analyzed, estimate
from tests.support.profiles import profile
from tests.support.roofline_subjects import no_work, tensor_work
from workbench.core.counters.against import Verdict
from workbench.core.profiles import CounterReport, KernelCounters, ProfileResult
from workbench.core.targets.table import load_targets
from workbench.session.profile_comparison import carveout_of, comparisons_of, with_operations

H200 = load_targets().resolve("h200")
CARVEOUT = "launch__shared_mem_config_size"
GRID = "launch__grid_size"


def counted(*launches: KernelCounters) -> ProfileResult:
    return profile(counters=CounterReport("Nsight Compute 2025.3.1", launches))


def test_the_time_comes_first_and_is_an_estimate() -> None:
    (time,) = comparisons_of(profile(), analyzed(), H200)
    assert (time.quantity.key, time.predicted, time.estimate) == ("time_us", 12.34, True)
    assert time.measured is not None
    assert time.difference == time.measured - 12.34


def test_a_time_that_leaves_something_out_is_the_least() -> None:
    partial = replace(estimate(), leaves_out=("shuffles",))
    (time,) = comparisons_of(profile(), analyzed(analysis(estimate=partial)), H200)
    assert time.note is not None
    assert time.note.startswith("at least: shuffles unknown; ")


@pytest.mark.parametrize(
    ("predicted", "why"),
    [
        (analyzed(analysis(estimate=None), missing={"estimate": "no clock"}), "no clock"),
        (analyzed(analysis(), analysis()), "several kernels"),
    ],
)
def test_a_time_that_is_not_predicted_says_why(predicted: object, why: str) -> None:
    (time,) = comparisons_of(profile(), predicted, H200)  # type: ignore[arg-type]
    assert (time.predicted, time.verdict) == (None, Verdict.UNKNOWN)
    assert time.note is not None
    assert why in time.note


def test_counters_are_held_against_the_same_launch() -> None:
    launch = KernelCounters("main", {GRID: 6.0})
    found = comparisons_of(counted(launch), analyzed(), H200)
    blocks = next(each for each in found if each.quantity.key == "grid_size")
    assert (blocks.measured, blocks.predicted, blocks.verdict) == (6, 6, Verdict.EQUAL)


def test_counters_of_kernels_that_nobody_analyzed_are_held_against_nothing() -> None:
    launches = (KernelCounters("other", {GRID: 6.0}), KernelCounters("another", {GRID: 6.0}))
    assert len(comparisons_of(counted(*launches), analyzed(), H200)) == 1


def test_nothing_is_compared_without_an_analysis() -> None:
    assert comparisons_of(profile(), None, H200) == ()
    assert comparisons_of(profile(), replace(analyzed(), kernels=()), H200) == ()


@pytest.mark.parametrize(
    ("result", "carveout"),
    [
        (counted(KernelCounters("main", {CARVEOUT: 167936.0})), 167936),
        (counted(KernelCounters("main", {CARVEOUT: None})), None),
        (counted(KernelCounters("main", {})), None),
        (counted(), None),
        (profile(), None),
    ],
)
def test_the_carve_out_is_the_one_that_was_counted(
    result: ProfileResult, carveout: int | None
) -> None:
    assert carveout_of(result) == carveout


def test_operations_are_counted_where_no_formula_tells_them() -> None:
    result = profile(flops=None)
    counts = analyzed(analysis(work=tensor_work(flops=3.0)), analysis(work=tensor_work(flops=2.0)))
    assert with_operations(result, counts).flops == 5.0
    assert with_operations(profile(flops=7.0), counts).flops == 7.0


def test_operations_stay_unknown_where_one_kernels_are() -> None:
    result = profile(flops=None)
    partial = analyzed(analysis(work=tensor_work()), analysis(work=None))
    assert with_operations(result, partial) == result
    assert with_operations(result, None) == result


def test_a_kernel_that_moves_data_alone_has_no_operations() -> None:
    assert with_operations(profile(flops=None), analyzed(analysis(work=no_work()))).flops == 0
