"""The target of a device, by what its driver tells."""

from __future__ import annotations

import pytest

from workbench.core.targets.devices import UnknownDeviceError, target_of_device
from workbench.core.targets.model import Vendor
from workbench.core.targets.table import TargetTable

# Model: the name and the architecture that the driver tells of such a device.
DEVICES = {
    "v100": ("Tesla V100-SXM2-32GB", "sm_70"),
    "t4": ("Tesla T4", "sm_75"),
    "a100": ("NVIDIA A100-SXM4-80GB", "sm_80"),
    "a100-40gb": ("NVIDIA A100-SXM4-40GB", "sm_80"),
    "a10": ("NVIDIA A10", "sm_86"),
    "rtx3090": ("NVIDIA GeForce RTX 3090", "sm_86"),
    "l40s": ("NVIDIA L40S", "sm_89"),
    "rtx4090": ("NVIDIA GeForce RTX 4090", "sm_89"),
    "h100": ("NVIDIA H100 80GB HBM3", "sm_90"),
    "h200": ("NVIDIA H200", "sm_90"),
    "b200": ("NVIDIA B200", "sm_100"),
    "rtx5090": ("NVIDIA GeForce RTX 5090", "sm_120"),
}


def test_every_model_of_nvidia_has_a_device_here(table: TargetTable) -> None:
    known = {a.name: a.vendor for a in table.architectures}
    models = {m.name for m in table.models if known[m.arch] is Vendor.NVIDIA}
    assert models == DEVICES.keys()


@pytest.mark.parametrize(("model", "device"), DEVICES.items())
def test_a_device_is_known_by_the_name_of_its_driver(
    table: TargetTable, model: str, device: tuple[str, str]
) -> None:
    name, arch = device
    for told in (arch, None):
        found = target_of_device(name, told, table)
        assert (found.target.name, found.note) == (model, None)


def test_a_model_of_amd_is_known_too(table: TargetTable) -> None:
    found = target_of_device("AMD Instinct MI300X", "gfx942:sramecc+:xnack-", table)
    assert found.target.name == "mi300x"


@pytest.mark.parametrize(
    ("name", "arch", "target", "nearest"),
    [
        ("NVIDIA H100 PCIe", "sm_90", "sm_90a", "h100"),
        ("NVIDIA H200 MIG 1g.18gb", "sm_90", "sm_90a", "h200"),
        ("NVIDIA A100 80GB PCIe", "sm_80", "sm_80", "a100"),
        ("Quadro GV100", "sm_70", "sm_70", None),
        ("AMD Radeon Graphics", "gfx942", "gfx942", None),
    ],
)
def test_another_device_is_its_architecture_with_nobodys_clock(
    table: TargetTable, name: str, arch: str, target: str, nearest: str | None
) -> None:
    found = target_of_device(name, arch, table)
    assert (found.target.name, found.target.model) == (target, None)
    assert found.note is not None
    assert (f"--target {nearest} takes" in found.note) == (nearest is not None)


@pytest.mark.parametrize(
    ("arch", "target"), [("sm_87", "sm_86"), ("sm_103", "sm_89"), ("sm_72", "sm_70")]
)
def test_an_architecture_that_is_not_in_the_table_takes_the_newest_that_runs_there(
    table: TargetTable, arch: str, target: str
) -> None:
    found = target_of_device("NVIDIA Something", arch, table)
    assert found.target.name == target
    assert found.note == (
        f"{arch} is not in the table of architectures; {target} is the newest that fits"
    )


@pytest.mark.parametrize("arch", ["sm_61", "gfx1100", None])
def test_a_device_that_nothing_runs_on_is_refused(table: TargetTable, arch: str | None) -> None:
    with pytest.raises(UnknownDeviceError, match="--target"):
        target_of_device("Something", arch, table)


def test_a_known_name_on_another_architecture_is_not_that_model(table: TargetTable) -> None:
    assert target_of_device("NVIDIA H200", "sm_80", table).target.name == "sm_80"
