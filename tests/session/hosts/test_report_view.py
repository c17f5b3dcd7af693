"""The report of a host's test in sentences."""

from __future__ import annotations

from dataclasses import replace

from tests.support.host_reports import NOT_REACHED, PROBE, REACHED
from workbench.core.host_report import CounterAccess, HostReport, lacks_of
from workbench.session.hosts.report_view import ReportView, RowLevel, report_view


def view_of(**changes: object) -> ReportView:
    probe = replace(PROBE, **changes)  # type: ignore[arg-type]
    return report_view(replace(REACHED, probe=probe, lacks=lacks_of(probe, "gpu1")), "gpu1")


def test_a_host_with_all_there_is_ready() -> None:
    view = report_view(REACHED, "gpu1")
    assert view.conclusion == (
        "gpu1 is ready: kernels are verified and times and counters are measured on "
        "2 × NVIDIA H200."
    )
    assert {row.level for row in view.rows} == {RowLevel.GOOD}


def test_what_was_found_stands_in_rows() -> None:
    rows = {row.title: row.text for row in report_view(REACHED, "gpu1").rows}
    assert rows["Reached in 3.20 s"] == (
        "gpu1.cluster · Linux x86_64 · 64 CPUs · 512 GiB · worker sent"
    )
    assert rows["Python 3.12.3"] == "/home/me/venv/bin/python"
    assert rows["torch 2.13.0"] == "built for CUDA 13.0"
    assert rows["NVIDIA H200"] == "140 GiB · sm_90 · driver 580.65.06"
    assert rows["Nsight Compute 2025.3.1"].startswith("counters may be read")


def test_a_missing_package_stops_everything_and_has_its_cure() -> None:
    view = view_of(versions={"numpy": "2.4", "torch": "2.13"})
    assert view.conclusion == "gpu1 was reached, but runs no kernels yet."
    assert view.rows[0].level is RowLevel.ERROR
    assert "pip install tilelang" in view.rows[0].cure


def test_without_a_gpu_it_can_simulate() -> None:
    view = view_of(devices=(), torch=None)
    assert view.conclusion.startswith("gpu1 can simulate kernels, but not measure them")
    assert view.rows[0].level is RowLevel.WARNING


def test_counters_that_may_not_be_read_have_their_cure() -> None:
    why = "The driver of gpu1 lets only administrators read counters."
    view = view_of(counters=CounterAccess.DENIED, counters_why=why)
    assert view.conclusion.startswith("gpu1 is ready: kernels are verified and times are measured")
    assert view.rows[0].title == why
    assert "NVreg_RestrictProfilingToAdminUsers" in view.rows[0].cure


def test_a_host_that_was_not_reached_says_why_and_what_to_do() -> None:
    view = report_view(NOT_REACHED, "gpu1")
    assert view.conclusion == "gpu1 was not reached."
    assert view.rows[0].title == "gpu1 did not accept a key: Permission denied (publickey)."
    assert view.rows[0].cure == "Run 'ssh gpu1' in a terminal."
    assert view.log == ("me@gpu1: Permission denied (publickey).",)


def test_a_host_that_said_nothing_says_so() -> None:
    view = report_view(HostReport("gpu1", "ssh gpu1", False), "gpu1")
    assert view.rows[0].title == "it did not say why."


def test_this_machine_begins_a_sentence() -> None:
    view = report_view(replace(REACHED, host="local"), "this machine")
    assert view.conclusion.startswith("This machine is ready")
