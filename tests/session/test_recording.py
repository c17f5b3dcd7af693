from __future__ import annotations

from pathlib import Path

from tests.support.analysis_results import conflicting_report
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.jobs import (
    CompileResult,
    Failure,
    OutputComparison,
    Resources,
    SeedResult,
    VerifyResult,
)
from workbench.core.plain import to_plain
from workbench.core.runs import MetricSource, RunKind, RunStatus
from workbench.core.targets.table import load_targets
from workbench.session.recording import (
    open_copy,
    record_analysis,
    record_compile,
    record_verify,
)
from workbench.session.requests import Item
from workbench.wire.events import Ended

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=8):\n    return None\n"


def item(folder: Path) -> Item:
    document = parse_document(TEXT, folder / "sub" / "kernel.py")
    (selection,) = select(document)
    return Item(document, selection, load_targets().resolve("h100"))


def done(result: CompileResult | AnalyzeResult | VerifyResult, *blobs: bytes) -> Ended:
    return Ended("job", "done", to_plain(result), blobs=blobs)


def output(mismatched: int, blob: int | None) -> OutputComparison:
    return OutputComparison(
        0, "C", (2,), "float16", 1.0, 1.0, 0.5, mismatched, 2, 0, 0.0, 0.0, "case",
        error_map_blob=blob,
    )  # fmt: skip


def test_a_compile_keeps_its_text_resources_and_what_it_emitted(tmp_path: Path) -> None:
    result = CompileResult(
        None, {"source": "code"}, resources=Resources(240, 0, 0, 0, 1024, "ptxas")
    )
    run, blobs = record_compile(item(tmp_path), done(result), tmp_path)
    assert (run.document, run.status, run.target) == ("sub/kernel.py", RunStatus.DONE, "h100")
    assert run.overrides == {}
    assert run.metrics["registers"].source is MetricSource.PREDICTED
    assert [a.name for a in run.artifacts] == ["source"]
    assert blobs == [b"code", TEXT.encode()]


def test_a_mismatch_is_a_failed_run_with_its_error_map_alone(tmp_path: Path) -> None:
    seeds = (SeedResult(0, False, (output(2, 1),), 0.1, 0.1),)
    ended = done(VerifyResult(None, seeds), b"values", b"map")
    run, blobs = record_verify(item(tmp_path), ended, tmp_path, "simulator")
    assert run.status is RunStatus.FAILED
    assert [a.name for a in run.artifacts] == ["error-map.seed-0.C"]
    assert blobs == [b"map", TEXT.encode()]
    assert run.metrics["C.mismatched"].value == 2


def test_a_job_that_died_is_a_failed_run_with_the_reason(tmp_path: Path) -> None:
    ended = Ended("job", "failed", failure=Failure("timeout", "stopped after 1 s"))
    run, _ = record_compile(item(tmp_path), ended, tmp_path)
    assert (run.status, run.error) == (RunStatus.FAILED, "stopped after 1 s")


def test_a_lost_job_is_a_lost_run(tmp_path: Path) -> None:
    ended = Ended("job", "lost", failure=Failure("environment", "gone"))
    assert record_compile(item(tmp_path), ended, tmp_path)[0].status is RunStatus.LOST


def test_a_copy_of_a_history_makes_nothing_in_the_workspace(tmp_path: Path) -> None:
    workspace, folder = tmp_path / "kernels", tmp_path / "copy"
    workspace.mkdir()
    folder.mkdir()
    with open_copy(workspace, folder) as history:
        assert history.count() == 0
    assert not list(workspace.iterdir())


def test_an_analysis_is_a_prediction_with_the_figures_that_are_known(tmp_path: Path) -> None:
    arch = load_targets().resolve("h100").arch
    occupancy = occupancy_of(BlockResources(128, 64, 0, 16384), arch)
    kernel = KernelAnalysis("main", (1, 1, 1), (128, 1, 1), 16384, occupancy)
    result = AnalyzeResult(None, (kernel,), Resources(64, 0, source="ptxas"))
    run, blobs = record_analysis(item(tmp_path), done(result), tmp_path)
    assert (run.kind, run.status, blobs[-1]) == (RunKind.PREDICT, RunStatus.DONE, TEXT.encode())
    assert [artifact.name for artifact in run.artifacts] == ["analysis"]
    assert run.metrics["occupancy_limit.registers"].value == 8
    assert {m.source for m in run.metrics.values()} == {MetricSource.PREDICTED}
    assert run.metrics["occupancy"].method == "published rules, carve-out assumed"
    assert "stack_bytes" not in run.metrics


def test_what_a_counter_would_hold_is_predicted_under_its_name(tmp_path: Path) -> None:
    kernel = KernelAnalysis("main", (4, 2, 1), (128, 1, 1), shared=conflicting_report())
    run, _ = record_analysis(item(tmp_path), done(AnalyzeResult(None, (kernel,))), tmp_path)
    assert run.metrics["shared.wavefronts"].value == 1000
    assert run.metrics["grid_size"].value == 8
    assert "profiled_time_us" not in run.metrics
