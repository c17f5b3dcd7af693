from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.session import machine
from workbench.session.machine import Finding, FindingLevel, Machine, Tool, findings

FULL = Machine(
    python="3.11.2",
    tilelang="0.1.15",
    torch="2.13.0+cu130",
    gpus=("NVIDIA H200", "NVIDIA H200", "NVIDIA L40S"),
    nvidia_driver=True,
    nvcc=Tool("nvcc", "13.0.88"),
    cxx=Tool("g++", "12.2.0"),
)
BARE = Machine(python="3.11.2", cxx_cure="sudo apt-get install g++")


def warnings_of(found: Machine) -> list[Finding]:
    return [item for item in findings(found) if item.level is FindingLevel.WARNING]


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def path_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, on a machine without device nodes and wheels."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(machine, "_NVIDIA_NODE", tmp_path / "nvidiactl")
    monkeypatch.setattr(machine, "_AMD_NODE", tmp_path / "kfd")
    monkeypatch.setattr(machine, "_NVCC_WHEEL", "no-such-package-for-nvcc")
    return tmp_path


def test_a_full_machine_lacks_nothing() -> None:
    assert {finding.level for finding in findings(FULL)} == {FindingLevel.GOOD}


def test_equal_gpus_are_counted() -> None:
    assert "2 × NVIDIA H200, NVIDIA L40S" in [finding.title for finding in findings(FULL)]


def test_each_lack_has_its_cure() -> None:
    assert [finding.cure for finding in warnings_of(BARE)] == [
        "pip install tilelang",
        "pip install torch",
        "pip install nvidia-cuda-nvcc~=13.0.0",
        "sudo apt-get install g++",
    ]


def test_no_gpu_is_a_note_without_a_cure() -> None:
    notes = [item for item in findings(BARE) if item.level is FindingLevel.INFO]
    assert [(note.title, note.cure) for note in notes] == [("No GPU", None)]


def test_a_cpu_build_of_torch_beside_a_gpu_is_a_lack() -> None:
    (finding,) = warnings_of(replace(FULL, torch="2.13.0+cpu"))
    assert finding.title == "torch 2.13.0 for the CPU"


def test_a_cpu_build_of_torch_without_a_gpu_is_none() -> None:
    found = replace(FULL, torch="2.13.0+cpu", gpus=(), nvidia_driver=False)
    assert warnings_of(found) == []


def test_a_driver_without_a_gpu_is_a_lack() -> None:
    (finding,) = warnings_of(replace(FULL, gpus=()))
    assert (finding.title, finding.cure) == ("No GPU in reach", "nvidia-smi")


def test_gpus_are_named_by_the_driver(path_folder: Path) -> None:
    program(path_folder, "nvidia-smi", "echo 'NVIDIA H200'; echo 'NVIDIA H200'")
    assert machine.inspect_machine().gpus == ("NVIDIA H200", "NVIDIA H200")


def test_a_failing_driver_names_no_gpu(path_folder: Path) -> None:
    program(path_folder, "nvidia-smi", "echo 'Failed to initialize NVML'; exit 9")
    found = machine.inspect_machine()
    assert (found.gpus, found.nvidia_driver) == ((), True)


def test_an_amd_driver_is_seen_by_its_node(path_folder: Path) -> None:
    (path_folder / "kfd").touch()
    assert machine.inspect_machine().gpus == ("AMD GPU",)


def test_compilers_tell_their_versions(path_folder: Path) -> None:
    program(path_folder, "g++", "echo 'g++ (Debian 12.2.0-14) 12.2.0'")
    program(path_folder, "nvcc", "echo 'Cuda compilation tools, release 12.8, V12.8.93'")
    found = machine.inspect_machine()
    assert found.cxx is not None
    assert found.nvcc is not None
    assert (found.cxx.title, found.nvcc.title) == ("g++ 12.2.0", "nvcc 12.8.93")


def test_the_toolkit_named_by_the_person_comes_first(
    path_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = path_folder / "cuda"
    (home / "bin").mkdir(parents=True)
    program(home / "bin", "nvcc", "echo 'release 12.4, V12.4.99'")
    program(path_folder, "nvcc", "echo 'release 12.8, V12.8.93'")
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert machine.inspect_machine().nvcc == Tool("nvcc", "12.4.99")


def test_a_compiler_that_says_nothing_has_no_version(path_folder: Path) -> None:
    program(path_folder, "g++", "exit 1")
    found = machine.inspect_machine()
    assert found.cxx == Tool("g++", None)


def test_the_cure_is_that_of_the_package_manager_at_hand(path_folder: Path) -> None:
    program(path_folder, "dnf", "exit 0")
    assert machine.inspect_machine().cxx_cure == "sudo dnf install gcc-c++"


def test_looking_imports_neither_tilelang_nor_torch() -> None:
    script = (
        "import sys; from workbench.session.machine import inspect_machine; inspect_machine();"
        "sys.exit(bool({'tilelang', 'torch'} & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[2]
    assert subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode == 0
