from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.support.measured_counters import COUNTERS, recorded
from workbench.core.counters import reports
from workbench.core.counters.nsight import find_ncu, find_reader
from workbench.core.counters.quantities import quantities
from workbench.core.counters.raw_csv import CounterFileError, read_raw_csv

PAGE = recorded("c12_flash_sm80.raw.csv")
READER = """
class Metric:
    def __init__(self, value, unit):
        self.value, self.unit = (lambda: value), (lambda: unit)

class Action:
    metrics = {
        "gpu__time_duration.sum": Metric(10848, "ns"),
        "launch__shared_mem_per_block_static": Metric(1024, "byte/block"),
        "launch__grid_dim_x": Metric(8, ""), "launch__grid_dim_y": Metric(4, ""),
        "launch__grid_dim_z": Metric(1, ""),
        "device__attribute_display_name": Metric("NVIDIA H200", ""),
        "device__attribute_compute_capability_major": Metric(9, ""),
        "device__attribute_compute_capability_minor": Metric(0, ""),
    }
    def name(self): return "main_kernel"
    def metric_names(self): return tuple(self.metrics)
    def metric_by_name(self, name): return self.metrics[name]

class Range:
    def num_actions(self): return 1
    def action_by_idx(self, index): return Action()

class Context:
    def num_ranges(self): return 1
    def range_by_idx(self, index): return Range()

def load_report(path): return Context()
"""


def scripted_ncu(folder: Path, body: str) -> Path:
    """A program in ncu's place, which notes the words that it is called with."""
    path = folder / "ncu"
    path.write_text(f'#!/bin/sh\necho "$@" > {folder}/words\n{body}\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Nsight Compute."""
    monkeypatch.setattr(reports, "find_ncu", lambda: None)
    monkeypatch.setattr(reports, "find_reader", lambda: None)


def test_a_packed_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.csv.gz"
    path.write_bytes(gzip.compress(PAGE.encode()))
    assert reports.read_counter_file(path).kernels[0].name == "main_kernel"


def test_a_damaged_packed_table_says_so(tmp_path: Path) -> None:
    path = tmp_path / "page.csv.gz"
    path.write_bytes(gzip.compress(PAGE.encode())[:500])
    with pytest.raises(CounterFileError, match=r"page\.csv\.gz cannot be unpacked"):
        reports.read_counter_file(path)


@pytest.mark.skipif(os.name == "nt", reason="the program in ncu's place is a shell script")
def test_a_report_is_opened_by_ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.csv").write_text(PAGE)
    ncu = scripted_ncu(tmp_path, f"cat {tmp_path}/page.csv")
    monkeypatch.setattr(reports, "find_ncu", lambda: ncu)
    report = tmp_path / "a.ncu-rep"
    report.write_bytes(b"NVR\0")
    assert reports.read_counter_file(report).kernels[0].device == "NVIDIA H200"
    words = (tmp_path / "words").read_text().split()
    assert words == f"--import {report} --csv --page raw --print-units base".split()


@pytest.mark.skipif(os.name == "nt", reason="the program in ncu's place is a shell script")
def test_what_ncu_says_of_a_report_that_it_cannot_open_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ncu = scripted_ncu(tmp_path, 'echo "==ERROR== Failed to load report"; exit 1')
    monkeypatch.setattr(reports, "find_ncu", lambda: ncu)
    report = tmp_path / "a.ncu-rep"
    report.write_bytes(b"NVR\0")
    with pytest.raises(CounterFileError) as caught:
        reports.read_report(report)
    assert str(caught.value) == "ncu cannot open a.ncu-rep: Failed to load report"


def test_a_report_is_opened_by_the_python_reader(
    tmp_path: Path, nowhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ncu_report.py").write_text(READER)
    monkeypatch.setattr(reports, "find_reader", lambda: tmp_path)
    report = tmp_path / "a.ncu-rep"
    report.write_bytes(b"NVR\0")
    (kernel,) = reports.read_report(report).kernels
    assert (kernel.name, kernel.device, kernel.arch) == ("main_kernel", "NVIDIA H200", "sm_90")
    assert kernel.grid == (8, 4, 1)
    assert kernel.values["gpu__time_duration.sum"] == 10848
    assert kernel.units["launch__shared_mem_per_block_static"] == "byte/block"


def test_without_either_one_sentence_says_how_to_make_a_table(
    tmp_path: Path, nowhere: None
) -> None:
    report = tmp_path / "mine.ncu-rep"
    report.write_bytes(b"NVR\0")
    with pytest.raises(CounterFileError) as caught:
        reports.read_counter_file(report)
    assert "ncu --import mine.ncu-rep --csv --page raw > mine.csv" in str(caught.value)


def test_files_of_counters_are_told_by_their_names() -> None:
    names = ("a.ncu-rep", "a.NCU-REP", "a.csv", "a.csv.gz")
    assert all(reports.is_counter_file(Path(name)) for name in names)
    assert not reports.is_counter_file(Path("a.tlruns"))


def test_a_report_of_an_h200_is_read_where_nsight_compute_is() -> None:
    path = COUNTERS / "ncu" / "c12_flash_sm80.ncu-rep"
    if find_ncu() is None and find_reader() is None:
        pytest.skip("Nsight Compute is not on this machine")
    (kernel,) = reports.read_counter_file(path).kernels
    assert (kernel.name, kernel.grid) == ("main_kernel", (8, 8, 1))
    assert kernel.values["launch__registers_per_thread"] == 136
    assert kernel.values["launch__shared_mem_per_block_dynamic"] == 24576


def test_a_report_is_known_by_its_first_bytes_under_any_name(tmp_path: Path, nowhere: None) -> None:
    path = tmp_path / "renamed.csv"
    path.write_bytes((COUNTERS / "ncu" / "c12_flash_sm80.ncu-rep").read_bytes())
    with pytest.raises(CounterFileError, match="neither ncu nor its Python reader"):
        reports.read_counter_file(path)


def test_both_ways_of_reading_a_report_of_an_h200_tell_the_same(
    tmp_path: Path, nowhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the Python reader and `ncu --import` of 2025.3.1 told of one report."""
    printed = tmp_path / "printed.json"
    printed.write_text(recorded("c12_flash_sm80.reader.json"))
    monkeypatch.setattr(reports, "_SCRIPT", tmp_path / "script.py")
    (tmp_path / "script.py").write_text(f"print(open({str(printed)!r}).read())")
    monkeypatch.setattr(reports, "find_reader", lambda: tmp_path)
    report = COUNTERS / "ncu" / "c12_flash_sm80.ncu-rep"
    (by_reader,) = reports.read_report(report).kernels
    (by_page,) = read_raw_csv(recorded("c12_flash_sm80.report.csv")).kernels
    assert (by_reader.name, by_reader.grid, by_reader.block) == (
        "main_kernel",
        (8, 8, 1),
        (128, 1, 1),
    )
    assert (by_reader.device, by_reader.arch) == (by_page.device, by_page.arch)
    told = {each.quantity.key: each.value for each in quantities(by_page)}
    read = {each.quantity.key: each.value for each in quantities(by_reader)}
    assert read.pop("waves") == pytest.approx(told.pop("waves"), abs=0.005)  # printed as 0.16
    assert read == pytest.approx(told, rel=1e-6)
    assert by_reader.units == {name: by_page.units[name] for name in by_reader.units}
