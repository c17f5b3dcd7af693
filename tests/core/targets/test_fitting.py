"""Which targets run on which devices, and how they are lowered there."""

from __future__ import annotations

import pytest

from workbench.core.targets.fitting import Fit, fit, target_of_arch
from workbench.core.targets.table import load_targets


def fitted(target: str, arch: str, device: str = "a GPU") -> Fit | str:
    return fit(load_targets().resolve(target), arch, device)


@pytest.mark.parametrize(
    ("target", "arch"),
    [
        ("h200", "sm_90"),
        ("h100", "sm_90"),
        ("h200:sm_80", "sm_90"),
        ("a100", "sm_80"),
        ("a100", "sm_86"),
        ("b200", "sm_100"),
        ("mi300x", "gfx942"),
    ],
)
def test_a_target_runs_on_its_own_devices_as_it_is(target: str, arch: str) -> None:
    found = fitted(target, arch)
    assert isinstance(found, Fit)
    assert found.note is None
    assert found.lowering == load_targets().resolve(target).lowering


def test_code_of_an_earlier_generation_is_assembled_for_the_device() -> None:
    found = fitted("a100", "sm_90", "NVIDIA H200")
    assert isinstance(found, Fit)
    assert found.lowering == {"kind": "cuda", "arch": "sm_80", "code": ["sm_90"]}
    assert found.note == "lowered for sm_80 and assembled for the sm_90 of NVIDIA H200"


@pytest.mark.parametrize(
    ("target", "arch"),
    [
        ("h100", "sm_80"),
        ("h100", "sm_100"),
        ("b200", "sm_90"),
        ("rtx4090", "sm_86"),
        ("mi300x", "sm_90"),
        ("mi300x", "gfx950"),
        ("m3-max", "sm_90"),
    ],
)
def test_what_does_not_run_names_the_target_to_choose(target: str, arch: str) -> None:
    found = fitted(target, arch, "the device")
    assert isinstance(found, str)
    assert f"the device, which is {arch}" in found
    assert found.endswith(f"choose --target {target_of_arch(arch)}")


def test_code_of_the_processor_says_where_it_runs() -> None:
    assert fitted("cpu", "sm_90") == (
        "code for cpu runs on the processor, not on a GPU: choose --on cpu"
    )


@pytest.mark.parametrize("arch", ["sm_80", "sm_89", "sm_90", "sm_100", "sm_120", "gfx942"])
def test_the_target_to_choose_is_one_of_the_table(arch: str) -> None:
    target = load_targets().resolve(target_of_arch(arch))
    assert isinstance(fit(target, arch, ""), Fit)
