"""What a run of a profile keeps: measured figures, predictions beside them, every sample."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.analysis_results import analysis, analyzed, estimate
from tests.support.profiles import H200, failed, profile
from tests.support.roofline_subjects import no_work, tensor_work
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.counters.metrics import COUNTERS
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.plain import from_plain, to_plain
from workbench.core.profiles import CounterReport, KernelCounters, ProfileResult
from workbench.core.runs import MetricSource, Run, RunKind, RunStatus, blob_hash
from workbench.core.targets.table import load_targets
from workbench.session.recording import record_profile
from workbench.session.recording.profiles import ANALYSIS, PROFILE, profile_of
from workbench.session.requests import Item
from workbench.wire.events import Ended

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=8):\n    return None\n"
REGISTERS, CARVEOUT = "launch__registers_per_thread", "launch__shared_mem_config_size"


def recorded(
    folder: Path, result: ProfileResult, predicted: AnalyzeResult | None = None
) -> tuple[Run, list[bytes]]:
    document = parse_document(TEXT, folder / "kernel.py")
    (selection,) = select(document)
    item = Item(document, selection, load_targets().resolve("h200"))
    ended = Ended("job", "done", to_plain(result))
    return record_profile(item, ended, folder, "gpu1", predicted, group="series")


def counted(**values: float) -> CounterReport:
    return CounterReport("Nsight Compute 2025.3.1", (KernelCounters("main_kernel", values),))


def test_a_profile_is_a_run_of_its_host_and_its_device(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile())
    assert (run.kind, run.status, run.host, run.device) == (
        RunKind.PROFILE,
        RunStatus.DONE,
        "gpu1",
        "NVIDIA H200",
    )
    assert run.group == "series"
    assert (run.versions["torch"], run.versions["driver"]) == ("2.13.0", H200.driver)


def test_what_was_measured_says_how(tmp_path: Path) -> None:
    result = profile()
    assert result.latency is not None
    run, _ = recorded(tmp_path, result)
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


def test_rates_are_told_with_their_share_of_what_the_device_reaches(tmp_path: Path) -> None:
    predicted = analyzed(analysis(work=tensor_work()))
    run, _ = recorded(tmp_path, profile(), predicted)
    reached, share = run.metrics["tflops"].value, run.metrics["share.matmul"]
    assert reached is not None
    assert share.value == reached / 741.0
    assert share.method == "of the 741 TFLOP/s measured on this device (Matmul rate, float16)"
    assert run.metrics["share.copy"].value is not None


def test_a_kernel_without_products_has_no_share_of_the_matmul_rate(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile(), analyzed(analysis(work=no_work())))
    assert "share.matmul" not in run.metrics
    assert "share.copy" in run.metrics


def test_the_baseline_is_named(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile())
    ratio = run.metrics["baseline.ratio"]
    assert ratio.method == "torch_matmul over the kernel, both orders"
    assert run.metrics["baseline.time_us"].source is MetricSource.MEASURED


def test_a_prediction_stands_behind_its_measurement_under_a_name_of_its_own(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile(), analyzed())
    names = list(run.metrics)
    assert names.index("predicted.time_us") == names.index("time_us") + 1
    assert run.metrics["predicted.time_us"].value == 12.34
    for name, metric in run.metrics.items():
        is_predicted = metric.source is MetricSource.PREDICTED
        assert name.startswith("predicted.") == is_predicted


def test_without_an_analysis_nothing_is_predicted(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile())
    assert {metric.source for metric in run.metrics.values()} == {MetricSource.MEASURED}


def test_the_time_of_one_of_several_kernels_is_not_that_of_all(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile(), analyzed(analysis(), analysis()))
    assert "predicted.time_us" not in run.metrics


def test_counters_are_kept_by_what_they_mean(tmp_path: Path) -> None:
    report = counted(**{REGISTERS: 168.0, CARVEOUT: 102400.0})
    run, _ = recorded(tmp_path, profile(counters=report), analyzed())
    registers = run.metrics["registers"]
    assert (registers.value, registers.source) == (168, MetricSource.MEASURED)
    assert registers.method == f"Nsight Compute 2025.3.1: {REGISTERS}"
    assert run.versions["profiler"] == "Nsight Compute 2025.3.1"


def test_the_whole_result_is_stored_with_every_sample(tmp_path: Path) -> None:
    result = profile(counters=counted(**{REGISTERS: 168.0}))
    predicted = analyzed(analysis(estimate=estimate(shared=1.0)))
    run, blobs = recorded(tmp_path, result, predicted)
    assert [artifact.name for artifact in run.artifacts] == [PROFILE, ANALYSIS, COUNTERS]
    contents = {blob_hash(blob): blob for blob in blobs}
    stored = [contents[artifact.blob] for artifact in run.artifacts]
    assert profile_of(stored[0]) == result
    assert from_plain(AnalyzeResult, json.loads(stored[1])) == predicted
    assert from_plain(CounterReport, json.loads(stored[2])) == result.counters
    assert set(run.blobs) == contents.keys()


def test_a_kernel_that_does_not_match_is_a_failed_run(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, profile(verified=False))
    assert run.status is RunStatus.FAILED


def test_a_profile_that_failed_tells_why(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, failed("No GPU is to be seen."))
    assert (run.status, run.error) == (RunStatus.FAILED, "No GPU is to be seen.")
    assert run.metrics == {}
