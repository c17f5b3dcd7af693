"""What a machine lacks, and for what that matters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.core.host_report import (
    CounterAccess,
    FoundTool,
    FoundTorch,
    HostReport,
    Lack,
    Probe,
    lacks_of,
)
from workbench.core.plain import from_plain, to_plain
from workbench.core.profiles import DeviceInfo

TOOL = FoundTool("/usr/bin/x", "1.2")
#: A machine that has all there is.
WHOLE = Probe(
    node="n1",
    platform="Linux",
    python="3.12.3",
    executable="/opt/env/bin/python",
    versions={"torch": "2.9", "tilelang": "0.1.15", "numpy": "2.3"},
    torch=FoundTorch("2.9+cu128", "12.8", None, ("NVIDIA H200",)),
    devices=(DeviceInfo("NVIDIA H200", "sm_90"),),
    driver="570.1",
    cuda="12.8",
    nvcc=TOOL,
    ncu=TOOL,
    sanitizer=TOOL,
    compiler=TOOL,
    counters=CounterAccess.ALLOWED,
)
USES = ("simulator", "cpu", "gpu", "counters", "sanitizer")


def report(probe: Probe) -> HostReport:
    return HostReport("gpu1", "ssh gpu1", True, probe=probe, lacks=lacks_of(probe, "gpu1"))


def uses(probe: Probe) -> set[str]:
    found = report(probe)
    return {use for use in USES if found.can(use)}


def only_lack(probe: Probe) -> Lack:
    (lack,) = lacks_of(probe, "gpu1")
    return lack


def test_a_machine_with_everything_lacks_nothing() -> None:
    assert lacks_of(WHOLE, "gpu1") == ()
    assert uses(WHOLE) == set(USES)


def test_a_probe_goes_through_json() -> None:
    assert from_plain(Probe, to_plain(WHOLE)) == WHOLE


def test_a_missing_package_stops_everything_and_is_installed_with_that_python() -> None:
    lack = only_lack(replace(WHOLE, versions={"torch": "2.9", "numpy": "2.3"}))
    assert lack.what == "tilelang is missing for /opt/env/bin/python on gpu1."
    assert "/opt/env/bin/python -m pip install tilelang" in lack.cure
    assert uses(replace(WHOLE, versions={})) == set()


def test_a_package_that_does_not_load_is_told_with_its_error() -> None:
    torch = replace(WHOLE.torch, tilelang_error="ImportError: libfoo.so")
    lack = only_lack(replace(WHOLE, torch=torch))
    assert "does not load: ImportError: libfoo.so" in lack.what


def test_without_a_gpu_the_simulator_and_the_processor_remain() -> None:
    bare = replace(WHOLE, devices=(), torch=replace(WHOLE.torch, devices=()))
    assert "--gpus all" in only_lack(bare).cure
    assert uses(bare) == {"simulator", "cpu"}


def test_a_torch_that_was_built_for_another_cuda_is_named_with_both() -> None:
    torch = FoundTorch("2.9+cu130", "13.0", None, ())
    lack = only_lack(replace(WHOLE, torch=torch))
    assert "CUDA 13.0 and sees no GPU; the driver 570.1 runs CUDA up to 12.8" in lack.what
    assert lack.needed_for == "gpu"


def test_a_torch_without_cuda_is_told() -> None:
    torch = FoundTorch("2.9+cpu", None, None, ())
    assert "built for no GPU" in only_lack(replace(WHOLE, torch=torch)).what


def test_an_amd_gpu_needs_no_nvcc_and_no_tool_of_nvidia() -> None:
    torch = FoundTorch("2.9+rocm", None, "6.4", ("AMD Instinct MI300X",))
    amd = replace(WHOLE, devices=(), torch=torch, nvcc=None, ncu=None, sanitizer=None)
    assert lacks_of(amd, "gpu1") == ()


@pytest.mark.parametrize(
    ("missing", "stopped"),
    [
        ("nvcc", {"gpu", "counters", "sanitizer"}),
        ("ncu", {"counters"}),
        ("sanitizer", {"sanitizer"}),
        ("compiler", {"cpu"}),
    ],
)
def test_a_missing_program_stops_what_needs_it(missing: str, stopped: set[str]) -> None:
    assert set(USES) - uses(replace(WHOLE, **{missing: None})) == stopped


def test_counters_that_are_denied_are_told_with_the_modules_option() -> None:
    denied = replace(WHOLE, counters=CounterAccess.DENIED, counters_why="Administrators alone.")
    assert only_lack(denied).what == "Administrators alone."
    assert "NVreg_RestrictProfilingToAdminUsers=0" in only_lack(denied).cure


def test_counters_of_which_nothing_is_known_are_not_called_missing() -> None:
    assert lacks_of(replace(WHOLE, counters=CounterAccess.UNKNOWN), "gpu1") == ()


def test_a_host_that_was_not_reached_can_do_nothing() -> None:
    assert not HostReport("gpu1", "ssh gpu1", False, "It is off.").can("simulator")
