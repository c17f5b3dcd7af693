"""What a run of a profile keeps: measured figures, predictions beside them, every sample."""

from __future__ import annotations

import json

from tests.support.analysis_results import analysis, analyzed, estimate
from tests.support.profiles import WRONG, failed, profile, wrong_profile
from tests.support.roofline_subjects import no_work, tensor_work
from tests.support.stored_profiles import stored_run
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.counters.metrics import COUNTERS
from workbench.core.plain import from_plain
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.runs import MetricSource, RunKind, RunStatus, blob_hash
from workbench.session.recording.profiles import ANALYSIS, PROFILE, profile_of

REGISTERS, CARVEOUT = "launch__registers_per_thread", "launch__shared_mem_config_size"


def counted(**values: float) -> CounterReport:
    return CounterReport("Nsight Compute 2025.3.1", (KernelCounters("main_kernel", values),))


def test_a_profile_is_a_run_of_its_host_and_its_device() -> None:
    run, _ = stored_run(profile())
    assert (run.kind, run.status, run.host, run.device) == (
        RunKind.PROFILE,
        RunStatus.DONE,
        "gpu1",
        "NVIDIA H200",
    )
    assert run.group == "series"
    assert run.versions == profile().versions


def test_what_was_measured_says_how() -> None:
    result = profile()
    assert result.latency is not None
    run, _ = stored_run(result)
    time = run.metrics["time_us"]
    assert (time.value, time.unit, time.source) == (
        result.latency.median_us,
        "us",
        MetricSource.MEASURED,
    )
    assert time.method == "graph replay, cold L2, 120 samples, median"
    assert run.metrics["time_us.p10"].value == result.latency.p10_us
    assert run.metrics["launch_overhead_us"].value == 2.1
    assert run.metrics["sm_clock.low_mhz"].value == 1755


def test_rates_are_told_with_their_share_of_what_the_device_reaches() -> None:
    predicted = analyzed(analysis(work=tensor_work()))
    run, _ = stored_run(profile(), predicted)
    reached, share = run.metrics["tflops"].value, run.metrics["share.matmul"]
    assert reached is not None
    assert share.value == reached / 741.0
    assert share.method == "of the 741 TFLOP/s measured on this device (Matmul rate, float16)"
    assert run.metrics["share.copy"].value is not None


def test_a_kernel_without_products_has_no_share_of_the_matmul_rate() -> None:
    run, _ = stored_run(profile(), analyzed(analysis(work=no_work())))
    assert "share.matmul" not in run.metrics
    assert "share.copy" in run.metrics


def test_operations_are_those_that_the_analysis_counts_where_no_formula_tells() -> None:
    why = {"flops": "the case has no formula of its operations: give it flops"}
    result = profile(flops=None, missing=why)
    assert result.latency is not None
    run, blobs = stored_run(result, analyzed(analysis(work=tensor_work(flops=2e9))))
    assert run.metrics["tflops"].value == 2e9 / result.latency.median_us / 1e6
    assert (profile_of(blobs[0]).flops, profile_of(blobs[0]).missing) == (2e9, {})
    assert "tflops" not in stored_run(result)[0].metrics


def test_the_baseline_is_named() -> None:
    run, _ = stored_run(profile())
    ratio = run.metrics["baseline.ratio"]
    assert ratio.method == "torch_matmul over the kernel, both orders"
    assert run.metrics["baseline.time_us"].source is MetricSource.MEASURED


def test_a_prediction_stands_behind_its_measurement_under_a_name_of_its_own() -> None:
    run, _ = stored_run(profile(), analyzed())
    names = list(run.metrics)
    assert names.index("predicted.time_us") == names.index("time_us") + 1
    assert run.metrics["predicted.time_us"].value == 12.34
    for name, metric in run.metrics.items():
        is_predicted = metric.source is MetricSource.PREDICTED
        assert name.startswith("predicted.") == is_predicted


def test_without_an_analysis_nothing_is_predicted() -> None:
    run, _ = stored_run(profile())
    assert {metric.source for metric in run.metrics.values()} == {MetricSource.MEASURED}


def test_the_time_of_one_of_several_kernels_is_not_that_of_all() -> None:
    run, _ = stored_run(profile(), analyzed(analysis(), analysis()))
    assert "predicted.time_us" not in run.metrics


def test_counters_are_kept_by_what_they_mean() -> None:
    report = counted(**{REGISTERS: 168.0, CARVEOUT: 102400.0})
    run, _ = stored_run(profile(counters=report), analyzed())
    registers = run.metrics["registers"]
    assert (registers.value, registers.source) == (168, MetricSource.MEASURED)
    assert registers.method == f"Nsight Compute 2025.3.1: {REGISTERS}"
    assert run.versions["profiler"] == "Nsight Compute 2025.3.1"


def test_a_wrong_result_keeps_what_is_wrong_with_its_error_map() -> None:
    run, blobs = stored_run(wrong_profile(), blobs=(b"map.",))
    contents = {blob_hash(blob): blob for blob in blobs}
    kept = {artifact.name: contents[artifact.blob] for artifact in run.artifacts}
    assert run.status is RunStatus.FAILED
    assert [each.message for each in run.diagnostics] == [WRONG]
    assert kept["error-map.seed-0.Out"] == b"map."
    assert profile_of(kept[PROFILE]).outputs == wrong_profile().outputs


def test_a_profile_that_was_stored_without_outputs_is_read() -> None:
    _, blobs = stored_run(profile())
    plain = json.loads(blobs[0])
    del plain["outputs"]
    assert profile_of(json.dumps(plain).encode()).outputs == ()


def test_the_whole_result_is_stored_with_every_sample() -> None:
    result = profile(counters=counted(**{REGISTERS: 168.0}))
    predicted = analyzed(analysis(estimate=estimate(shared=1.0)))
    run, blobs = stored_run(result, predicted)
    assert [artifact.name for artifact in run.artifacts] == [PROFILE, ANALYSIS, COUNTERS]
    contents = {blob_hash(blob): blob for blob in blobs}
    stored = [contents[artifact.blob] for artifact in run.artifacts]
    assert profile_of(stored[0]) == result
    assert from_plain(AnalyzeResult, json.loads(stored[1])) == predicted
    assert from_plain(CounterReport, json.loads(stored[2])) == result.counters
    assert set(run.blobs) == contents.keys()


def test_a_kernel_that_does_not_match_is_a_failed_run() -> None:
    run, _ = stored_run(profile(verified=False))
    assert run.status is RunStatus.FAILED


def test_a_profile_that_failed_tells_why() -> None:
    run, _ = stored_run(failed("No GPU is to be seen."))
    assert (run.status, run.error) == (RunStatus.FAILED, "No GPU is to be seen.")
    assert run.metrics == {}
