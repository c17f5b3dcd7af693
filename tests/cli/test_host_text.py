"""The test of a host as a person reads it."""

from __future__ import annotations

from dataclasses import replace

from workbench.cli.host_text import report_lines
from workbench.core.host_report import (
    CounterAccess,
    FoundTool,
    FoundTorch,
    HostReport,
    Probe,
    lacks_of,
)
from workbench.core.profiles import DeviceInfo

TOOL = FoundTool("/usr/local/cuda/bin/ncu", "2025.3.1")
PROBE = Probe(
    node="n1",
    platform="Linux-6.8",
    python="3.12.3",
    executable="/opt/env/bin/python",
    cpus=16,
    memory_bytes=128 * 1024**3,
    versions={"torch": "2.9", "tilelang": "0.1.15", "numpy": "2.3"},
    torch=FoundTorch("2.9", "12.8", None, ("NVIDIA H200",)),
    devices=(
        DeviceInfo(
            "NVIDIA H200", "sm_90", sm_count=132, memory_bytes=140 * 1024**3, driver="570.1"
        ),
    ),
    driver="570.1",
    cuda="12.8",
    nvcc=TOOL,
    ncu=TOOL,
    sanitizer=None,
    compiler=TOOL,
    counters_why="Nobody says who may read counters.",
)


def text(probe: Probe, banner: tuple[str, ...] = ()) -> str:
    lacks = lacks_of(probe, "gpu1")
    report = HostReport("gpu1", "ssh gpu1", True, probe=probe, lacks=lacks, banner=banner)
    return "\n".join(report_lines(report))


def test_what_was_found_is_listed() -> None:
    found = text(PROBE)
    assert "0: NVIDIA H200, sm_90, 140 GiB, 132 SMs" in found
    assert "570.1, runs CUDA up to 12.8" in found
    assert "2025.3.1 (/usr/local/cuda/bin/ncu)" in found


def test_what_can_be_done_is_answered_with_yes_no_or_unknown() -> None:
    found = text(PROBE)
    assert "kernels on its GPU         yes" in found
    assert "compute-sanitizer          no" in found
    assert "hardware counters          unknown" in found
    allowed = text(replace(PROBE, counters=CounterAccess.ALLOWED))
    assert "hardware counters          yes" in allowed


def test_what_is_missing_is_told_with_its_cure() -> None:
    assert "It comes with the CUDA toolkit." in text(PROBE)


def test_a_greeting_that_was_skipped_is_told() -> None:
    assert "('Welcome'); it is skipped" in text(PROBE, ("Welcome", "to gpu1"))


def test_a_host_that_was_not_reached_gives_the_reason_and_the_last_lines() -> None:
    report = HostReport("gpu1", "ssh gpu1", False, "It is off.", log=("line 1", "line 2"))
    assert report_lines(report) == [
        "gpu1: ssh gpu1",
        "  not reached: It is off.",
        "  | line 1",
        "  | line 2",
    ]
