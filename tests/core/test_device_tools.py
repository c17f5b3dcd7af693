"""Programs of the CUDA toolkit, wherever installers put them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core import device_tools
from workbench.core.device_tools import find_tool, tool_version


def program(path: Path, says: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(device_tools, "_USUAL", {"ncu": (str(tmp_path / "nsight" / "*"),)})
    monkeypatch.setattr(device_tools, "_WHEELS", {})


def test_a_program_that_is_nowhere_is_none() -> None:
    assert find_tool("ncu") is None


def test_the_newest_of_several_installations_is_taken(tmp_path: Path) -> None:
    for version in ("2024.3.1", "2025.10.0", "2025.2.0"):
        program(tmp_path / "nsight" / version / "ncu")
    assert find_tool("ncu") == tmp_path / "nsight" / "2025.10.0" / "ncu"


def test_the_path_goes_before_usual_folders_and_cuda_home_before_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "nsight" / "2025.1" / "ncu")
    on_path = program(tmp_path / "bin" / "ncu")
    assert find_tool("ncu") == on_path
    at_home = program(tmp_path / "cuda" / "bin" / "ncu")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert find_tool("ncu") == at_home


@pytest.mark.parametrize(
    ("says", "version"),
    [
        ("Cuda compilation tools, release 13.0, V13.0.88", "13.0.88"),
        ("NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 36398880)", "2025.3.1.0"),
        ("Version 2025.1.0", "2025.1.0"),
        ("hello", None),
    ],
)
def test_versions_are_read_from_what_programs_print(
    tmp_path: Path, says: str, version: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tool_version(program(tmp_path / "tool", says)) == version


def test_a_program_that_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert tool_version(tmp_path / "absent") is None
