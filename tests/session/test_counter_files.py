from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.support.measured_counters import recorded
from workbench.core.counters.raw_csv import CounterFileError
from workbench.core.plain import from_plain
from workbench.core.profiles import CounterReport
from workbench.core.runs import MetricSource, Run, RunKind, RunStatus
from workbench.session.counter_files import runs_of_file

TWO = """\
"ID","Kernel Name","CC","launch__registers_per_thread"
"","","","register/thread"
"0","first","8.0","32"
"1","second","8.0","n/a"
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "flash.csv.gz"
    path.write_bytes(gzip.compress(recorded("c12_flash_sm80.raw.csv").encode(), mtime=0))
    return path


def test_a_launch_is_a_run_that_was_measured_on_its_device(page: Path) -> None:
    ((run, _),) = runs_of_file(page)
    assert (run.kind, run.status, run.kernel) == (RunKind.PROFILE, RunStatus.DONE, "main_kernel")
    assert (run.device, run.target, run.origin) == ("NVIDIA H200", "h200", "flash.csv.gz")
    assert {metric.source for metric in run.metrics.values()} == {MetricSource.MEASURED}
    assert Run.from_json(run.to_json()) == run


def test_quantities_are_metrics_with_their_units(page: Path) -> None:
    ((run, _),) = runs_of_file(page)
    shared = run.metrics["shared_dynamic_bytes"]
    assert (shared.value, shared.unit) == (24576, "B")
    assert shared.method == "Nsight Compute: launch__shared_mem_per_block_dynamic"
    time = run.metrics["time_us"]
    assert (time.value, time.unit) == (10.848, "us")
    assert run.metrics["occupancy"].value == 0.1875


def test_all_that_was_counted_is_kept(page: Path) -> None:
    ((run, blobs),) = runs_of_file(page)
    (artifact,) = run.artifacts
    assert (artifact.name, artifact.media_type) == ("counters", "application/json")
    report = from_plain(CounterReport, json.loads(blobs[0]))
    assert len(report.kernels[0].values) == 2222


def test_every_launch_has_a_run_and_the_same_counters_the_same_id(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(TWO)
    first, second = (run for run, _ in runs_of_file(path))
    assert (first.kernel, second.kernel) == ("first", "second")
    assert second.metrics["registers"].value is None
    assert (first.target, first.device) == (None, None)
    assert first.id != second.id
    other = tmp_path / "other.csv.gz"
    other.write_bytes(gzip.compress(TWO.encode()))
    assert [run.id for run, _ in runs_of_file(other)] == [first.id, second.id]


def test_a_file_of_something_else_says_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CounterFileError, match="no table of Nsight Compute"):
        runs_of_file(path)
