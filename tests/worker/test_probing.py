"""What a worker finds on its machine, and how it says that it cannot tell."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.core.host_report import Probe
from workbench.core.plain import from_plain
from workbench.worker import cuda_driver, probing

ROOT = Path(__file__).resolve().parents[2]
PARAMS = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: {value}\nModeset: 1\n"


def access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, capable: bool | None
) -> tuple[str, str]:
    (tmp_path / "params").write_text(PARAMS.format(value=value))
    monkeypatch.setattr(probing, "_PARAMS", tmp_path / "params")
    monkeypatch.setattr(probing, "may_administer", lambda: capable)
    return probing.counter_access()


@pytest.mark.parametrize(
    ("value", "capable", "expected"),
    [
        ("0", False, "allowed"),
        ("1", True, "allowed"),
        ("1", False, "denied"),
        ("1", None, "unknown"),
        ("7", True, "unknown"),
    ],
)
def test_who_may_read_counters_is_the_drivers_parameter_and_a_capability(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: str,
    capable: bool | None,
    expected: str,
) -> None:
    found, why = access(tmp_path, monkeypatch, value, capable)
    assert found == expected
    assert why.endswith(".")


def test_without_the_drivers_file_it_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "_PARAMS", tmp_path / "absent")
    found, why = probing.counter_access()
    assert found == "unknown"
    assert "absent" in why


ATTRIBUTES = {13: 1_980_000, 16: 132, 36: 3_201_000, 38: 62_914_560, 75: 9, 76: 0}


class FakeDriver:
    """The driver's library with one H200, whose figures are those of its data sheet."""

    def __init__(self, status: int = 0, devices: int = 1) -> None:
        self.status, self.devices = status, devices

    def cuInit(self, flags: int) -> int:  # noqa: N802 - the library's own name, as below
        return self.status

    def cuDriverGetVersion(self, place: Any) -> int:  # noqa: N802
        place._obj.value = 12080
        return 0

    def cuDeviceGetCount(self, place: Any) -> int:  # noqa: N802
        place._obj.value = self.devices
        return 0

    def cuDeviceGet(self, place: Any, index: int) -> int:  # noqa: N802
        place._obj.value = index
        return 0

    def cuDeviceGetAttribute(self, place: Any, number: int, device: Any) -> int:  # noqa: N802
        place._obj.value = ATTRIBUTES[number]
        return 0

    def cuDeviceGetName(self, text: Any, size: int, device: Any) -> int:  # noqa: N802
        text.value = b"NVIDIA H200"
        return 0

    def cuDeviceGetUuid_v2(self, place: Any, device: Any) -> int:  # noqa: N802
        ctypes.memmove(place._obj, bytes(range(16)), 16)
        return 0

    def cuDeviceTotalMem_v2(self, place: Any, device: Any) -> int:  # noqa: N802
        place._obj.value = 150_754_820_096
        return 0


def look(
    monkeypatch: pytest.MonkeyPatch, library: FakeDriver | None
) -> tuple[cuda_driver.Driver, list[str]]:
    problems: list[str] = []
    monkeypatch.setattr(cuda_driver, "_library", lambda: library)
    monkeypatch.setattr(cuda_driver, "_driver_version", lambda: "570.86")
    return cuda_driver.look(problems), problems


def test_a_gpu_is_described_as_the_driver_does(monkeypatch: pytest.MonkeyPatch) -> None:
    found, problems = look(monkeypatch, FakeDriver())
    assert problems == []
    assert (found.cuda, found.driver) == ("12.8", "570.86")
    assert found.devices == [
        {
            "name": "NVIDIA H200",
            "arch": "sm_90",
            "uuid": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
            "index": 0,
            "sm_count": 132,
            "memory_bytes": 150_754_820_096,
            "l2_bytes": 62_914_560,
            "sm_clock_mhz": 1980,
            "memory_clock_mhz": 3201,
            "driver": "570.86",
            "runtime": "12.8",
        }
    ]


@pytest.mark.parametrize("library", [None, FakeDriver(status=100), FakeDriver(devices=0)])
def test_a_machine_without_a_gpu_is_no_problem(
    monkeypatch: pytest.MonkeyPatch, library: FakeDriver | None
) -> None:
    found, problems = look(monkeypatch, library)
    assert (found.devices, problems) == ([], [])


def test_a_driver_that_does_not_start_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _, problems = look(monkeypatch, FakeDriver(status=804))
    assert "error 804" in problems[0]


def test_looking_prints_one_object_whatever_libraries_print(tmp_path: Path) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text(
        "print('noise')\n__version__ = '9'\nclass version: cuda, hip = '12.8', None\n"
        "class cuda:\n    is_available = lambda: True\n    device_count = lambda: 1\n"
        "    get_device_name = lambda i: 'Fast GPU'\n"
    )
    (tmp_path / "tilelang.py").write_text("raise OSError('libfoo.so\\nis absent')")
    command = [sys.executable, "-S", "-m", "workbench.worker.probing"]
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    found = from_plain(Probe, json.loads(done.stdout))
    assert found.versions == {"torch": "unknown", "tilelang": "unknown"}
    assert found.torch is not None
    assert found.torch.devices == ("Fast GPU",)
    assert found.torch.tilelang_error == "OSError: libfoo.so is absent"
