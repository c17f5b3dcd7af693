"""What is said and shown of a profile."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.support.profiles import (
    CEILINGS,
    H200,
    WRONG,
    failed,
    latency,
    profile,
    shapes,
    subject,
    wrong_profile,
)
from tests.support.roofline_subjects import product, tensor_work
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Severity
from workbench.core.profiles import Clocks, ProfileResult
from workbench.core.timing import WRONG_RESULT
from workbench.core.timing import trust_of as judged
from workbench.session.profile.rates import shares_of
from workbench.session.profile.samples import BINS, samples_picture, ticks
from workbench.session.profile.series import series_picture
from workbench.session.profile.subject import Progress, ShapePoint
from workbench.session.profile.trust import trust_of
from workbench.session.profile.view import ProfileState, profile_view
from workbench.session.profile.words import signed_percent, with_article

TODAY = date(2026, 11, 29)


def analysis(time_us: float = 378.0) -> AnalyzeResult:
    """A product on tensor cores that is predicted to take so long."""
    found = product("h200").analysis
    assert found is not None
    kernel = found.kernels[0]
    assert kernel.estimate is not None
    return replace(
        found, kernels=(replace(kernel, estimate=replace(kernel.estimate, time_us=time_us)),)
    )


def test_the_conclusion_tells_time_share_ratio_and_prediction() -> None:
    view = profile_view(subject(profile(), analysis=analysis()), TODAY)
    assert view.conclusion == (
        "359 µs on an NVIDIA H200, 52 % of its measured matmul rate, 0.528 × the speed of "
        "torch_matmul; predicted 378 µs (+5.3 %)."
    )


def test_without_an_analysis_the_rate_is_told_for_the_share_is_not_known() -> None:
    view = profile_view(subject(profile()), TODAY)
    assert view.conclusion == (
        "359 µs on an NVIDIA H200, 383 TFLOP/s, 0.528 × the speed of torch_matmul."
    )
    matmul, copy = view.shares
    assert (matmul.share, copy.share) == (None, pytest.approx(0.0697, abs=1e-3))
    assert "once the kernel is analyzed" in matmul.unknown


def test_a_kernel_that_only_moves_data_is_held_against_the_copy() -> None:
    result = profile(29.4, flops=None, bytes_moved=100_000_000, baseline=None)
    view = profile_view(subject(result), TODAY)
    assert view.conclusion == "29.4 µs on an NVIDIA H200, 84 % of its measured copy bandwidth."


def test_a_wrong_result_is_no_measurement() -> None:
    view = profile_view(subject(profile(verified=False), analysis=analysis()), TODAY)
    assert view.conclusion.startswith("The result is wrong: it does not match the reference")
    assert view.trust[0].severity is Severity.ERROR


def test_a_wrong_result_is_told_with_its_largest_error() -> None:
    view = profile_view(subject(wrong_profile()), TODAY)
    assert [each.text for each in view.trust[:2]] == [WRONG_RESULT, f"{WRONG}."]
    assert {each.severity for each in view.trust[:2]} == {Severity.ERROR}


def test_facts_say_where_with_what_how_and_when() -> None:
    facts = profile_view(subject(profile()), TODAY).facts
    assert facts[:5] == (
        "NVIDIA H200",
        "GPU of gpu1",
        "driver 580.65.06",
        "CUDA 13.0",
        "tilelang 0.1.15",
    )
    assert facts[5:-1] == ("graph replay", "cold L2", "120 samples", "1,755 to 1,980 MHz")


def test_an_empty_pane_says_what_it_would_show_and_offers_it() -> None:
    view = profile_view(subject())
    assert view.state is ProfileState.EMPTY
    assert view.conclusion.startswith("Measure the kernel on GPU of gpu1")
    assert view.action == "Measure"


def test_without_a_gpu_it_says_why_and_lets_one_be_chosen() -> None:
    view = profile_view(subject(place="", no_place="gpu1: not reached."))
    assert view.conclusion == "A profile needs a GPU. gpu1: not reached."
    assert view.action == "Choose where"


def test_what_may_not_run_is_not_measured() -> None:
    view = profile_view(subject(trusted=False))
    assert ("trust" in view.conclusion, view.action) == (True, "")


def test_without_a_document_there_is_nothing_to_do() -> None:
    assert profile_view(subject(is_open=False)).conclusion.startswith("Open a kernel")


def test_a_measurement_that_runs_is_told_where_nothing_else_is_there() -> None:
    view = profile_view(subject(running=Progress("Timing", 0.4)))
    assert view.running == Progress("Timing", 0.4)
    assert view.action == ""


def test_a_failure_says_where_and_why() -> None:
    view = profile_view(subject(failed("tilelang is missing there")))
    assert view.state is ProfileState.FAILED
    assert view.conclusion == "Not measured on GPU of gpu1: tilelang is missing there."
    assert view.action == "Try again"


def test_a_lost_connection_is_told_as_one() -> None:
    view = profile_view(subject(failed("broken pipe"), lost=True))
    assert view.conclusion == (
        "The connection to GPU of gpu1 was lost before the kernel was measured."
    )


def test_bins_hold_every_sample_on_the_axis_and_the_rest_is_counted() -> None:
    measured = replace(latency(100.0), samples_us=(*latency(100.0).samples_us, 400.0))
    (lane,) = samples_picture(measured).lanes
    assert len(lane.bins) == BINS
    assert max(lane.bins) == 1.0
    assert (lane.beyond, lane.most_us, lane.count) == (1, 400.0, 121)


def test_the_baseline_shares_the_axis() -> None:
    picture = samples_picture(profile().latency or latency(1), profile().baseline, 378.0)
    assert [lane.name for lane in picture.lanes] == ["kernel", "torch_matmul"]
    assert picture.low_us < 189
    assert picture.high_us > 378
    assert 0 < picture.part(189.5) < picture.part(358.66) < picture.part(378.0) < 1


def test_a_prediction_far_away_does_not_stretch_the_axis() -> None:
    picture = samples_picture(latency(10.0), None, 900.0)
    assert picture.high_us < 12
    assert picture.part(900.0) > 1


def test_a_drift_shows_in_the_order_taken() -> None:
    assert not samples_picture(latency(10.0)).order.drifts
    rising = samples_picture(latency(10.0, drift=0.08)).order
    assert rising.drifts
    assert rising.drift is not None
    assert rising.drift > 0.04


def test_axis_ticks_are_round() -> None:
    assert ticks(28.2, 30.9) == (28.5, 29.0, 29.5, 30.0, 30.5)
    assert ticks(0.0, 1.0) == (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def test_what_is_good_has_no_severity_and_stands_last() -> None:
    steady = Clocks(1980, 1980, 1980)
    measured = replace(latency(100.0, spread=0.001), clocks=steady)
    said = judged(measured, True)
    found = trust_of(profile(latency=replace(measured, trust=said)))
    assert [each.severity for each in found] == [None]


def test_what_makes_doubt_is_a_warning() -> None:
    measured = latency(100.0, drift=0.2)
    said = judged(measured, True)
    severities = [e.severity for e in trust_of(profile(latency=replace(measured, trust=said)))]
    assert severities
    assert set(severities) == {Severity.WARNING}


def test_a_result_that_nobody_compared_says_so() -> None:
    found = trust_of(profile(verified=None))
    assert found[0].severity is Severity.INFO
    assert found[0].text == "The result was not compared with a reference."


def test_a_rate_without_a_ceiling_says_why() -> None:
    missing = {"ceilings": "the device is shared: nothing was measured of it"}
    (copy,) = shares_of(
        ProfileResult(None, H200, latency(10.0), bytes_moved=1000, missing=missing), None
    )
    assert (copy.share, copy.unknown) == (None, missing["ceilings"])


def test_tf32_is_held_against_its_own_rate() -> None:
    kernel = product("h200", work=tensor_work("float32")).kernel
    matmul, _ = shares_of(profile(), kernel)
    assert (matmul.name, matmul.ceiling) == ("Matmul rate, tf32", CEILINGS.matmul_tflops["tf32"])


def test_shapes_that_vary_together_are_one_line() -> None:
    series = series_picture(shapes())
    assert series is not None
    assert series.varied == "M = N = K"
    assert [point.label for point in series.points] == ["512", "1,024", "2,048", "4,096", "8,192"]
    assert series.conclusion == (
        "From 9.84 µs at 512 to 2.81 ms at 8,192; most at 8,192 with 391 TFLOP/s."
    )


def test_one_shape_is_no_series() -> None:
    assert series_picture(shapes()[:1]) is None
    assert series_picture([shapes()[0], shapes()[0]]) is None


def test_shapes_without_numbers_stand_in_their_order() -> None:
    named = [ShapePoint({"dtype": d}, profile(t), d) for d, t in (("fp16", 10.0), ("fp8", 6.0))]
    series = series_picture(named)
    assert series is not None
    assert not series.is_numeric
    assert [(point.x, point.label) for point in series.points] == [(0.0, "fp16"), (1.0, "fp8")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NVIDIA H200", "an NVIDIA H200"),
        ("AMD Instinct MI300X", "an AMD Instinct MI300X"),
        ("Tesla V100", "a Tesla V100"),
    ],
)
def test_devices_have_their_article(name: str, said: str) -> None:
    assert with_article(name) == said


@pytest.mark.parametrize(
    ("part", "said"), [(0.053, "+5.3 %"), (-0.12, "−12 %"), (0.0001, "±0 %"), (0.5, "+50 %")]
)
def test_differences_have_a_sign(part: float, said: str) -> None:
    assert signed_percent(part) == said


def test_the_choice_of_a_method_is_told_where_nothing_else_is() -> None:
    said = (
        "Graph replay was taken: events would add more than 1 % to so short a time.",
        "The middle 80 % of 120 samples lie within 0.4% of the median, at 1,980 MHz.",
    )
    found = trust_of(profile(latency=latency(10.0, said), verified=None))
    assert [each.severity for each in found] == [Severity.INFO, None]
    (alone,) = trust_of(profile(latency=latency(10.0, said[:1])))
    assert (alone.severity, alone.text) == (Severity.INFO, said[0])


def test_operations_that_no_formula_gives_are_those_that_the_analysis_counts() -> None:
    kernel = product("h200").kernel  # 2 GFLOP
    matmul, _ = shares_of(profile(10.0, flops=None), kernel)
    assert matmul.reached == pytest.approx(200.0, rel=0.01)
    assert matmul.tip.startswith("Operations counted in the lowered code")
