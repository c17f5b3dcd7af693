from __future__ import annotations

import pytest

from workbench.core.counters import refusals

DENIED = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0. For instructions on enabling permissions and to "
    "get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
)
LOCKED = "Name:\tpython\nCapEff:\t0000000000000000\n"
ADMIN = "CapEff:\t000001ffffffffff\n"
PERFMON = "CapEff:\t0000004000000000\n"
RESTRICTED = "RmLogonRC: 1\nRmProfilingAdminOnly: 1\n"


def test_a_denied_user_is_told_the_drivers_option() -> None:
    said = refusals.refusal(DENIED)
    assert said is not None
    assert "options nvidia NVreg_RestrictProfilingToAdminUsers=0" in said
    assert "CAP_SYS_ADMIN" in said


def test_in_a_container_the_cure_is_its_start() -> None:
    said = refusals.refusal(DENIED, in_container=True)
    assert said is not None
    assert "--cap-add=SYS_ADMIN" in said


@pytest.mark.parametrize(
    ("line", "cure"),
    [
        (
            "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no "
            "other tool (like DCGM) is concurrently collecting profiling data.",
            "dcgmi profile --pause",
        ),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "sandbox"),
        (
            "==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer "
            "--list-chips option.",
            "does not know this GPU",
        ),
        (
            "==ERROR== Profiling is not supported on device 0 as it uses the Windows Subsystem for "
            "Linux (WSL).",
            "Windows 11",
        ),
    ],
)
def test_what_the_profiler_says_is_told_with_what_to_do(line: str, cure: str) -> None:
    assert cure in (refusals.refusal(f"==PROF== Connected\n{line}\n") or "")


def test_what_the_program_prints_is_no_refusal() -> None:
    assert refusals.refusal("DCGM: driver resource was unavailable\n==PROF== Connected\n") is None


@pytest.mark.parametrize(
    ("parameters", "status", "restricted"),
    [
        (RESTRICTED, LOCKED, True),
        (RESTRICTED, ADMIN, False),
        (RESTRICTED, PERFMON, False),
        (RESTRICTED.replace("Only: 1", "Only: 0"), LOCKED, False),
        ("", LOCKED, False),  # no driver of NVIDIA's that tells
    ],
)
def test_the_drivers_parameters_tell_before_a_launch(
    parameters: str, status: str, restricted: bool
) -> None:
    assert refusals.is_restricted(parameters, status) is restricted
