"""What this machine has for TileLang and what it lacks, each lack with the command that mends it.

Nothing heavy is imported: packages are asked by their metadata, devices by their nodes, compilers
by their version. `inspect_machine` starts up to four short programs, so call it off the UI thread.
"""

from __future__ import annotations

import enum
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 5.0
_NVCC_WHEEL = "nvidia-cuda-nvcc"
# The toolkit of the wheels that the workbench is tested with; pip brings what it needs beside it.
_NVCC_CURE = "pip install nvidia-cuda-nvcc~=13.0.0"
_NVIDIA_NODE, _AMD_NODE = Path("/dev/nvidiactl"), Path("/dev/kfd")
_GPU_QUERY = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
_CXX_NAMES = ("g++", "c++", "clang++")
# The package manager that is there tells the distribution: (program, command).
_CXX_CURES = (
    ("apt-get", "sudo apt-get install g++"),
    ("dnf", "sudo dnf install gcc-c++"),
    ("zypper", "sudo zypper install gcc-c++"),
    ("pacman", "sudo pacman -S gcc"),
    ("apk", "sudo apk add g++"),
    ("xcode-select", "xcode-select --install"),
    ("winget", "winget install Microsoft.VisualStudio.2022.BuildTools"),
)


class FindingLevel(enum.Enum):
    """Whether something is there, is merely worth knowing, or is missed."""

    GOOD = "good"
    INFO = "info"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """One fact about the machine; `cure` is the command that mends a lack, None without one."""

    level: FindingLevel
    title: str
    text: str
    cure: str | None = None


@dataclass(frozen=True)
class Tool:
    """A compiler: its name and its version, None where it does not tell."""

    name: str
    version: str | None

    @property
    def title(self) -> str:
        """Name and version, as "g++ 12.2.0"."""
        return self.name if self.version is None else f"{self.name} {self.version}"


@dataclass(frozen=True)
class Machine:
    """What was found; None is not there. `gpus` are names, also of a GPU without its driver."""

    python: str
    tilelang: str | None = None
    torch: str | None = None
    gpus: tuple[str, ...] = ()
    nvidia_driver: bool = False
    nvcc: Tool | None = None
    cxx: Tool | None = None
    cxx_cure: str | None = None


def inspect_machine() -> Machine:
    """Look at this machine; takes some tens of milliseconds, and seconds where a driver hangs."""
    nvidia = _NVIDIA_NODE.exists() or shutil.which("nvidia-smi") is not None
    return Machine(
        python=platform.python_version(),
        tilelang=_package_version("tilelang"),
        torch=_package_version("torch"),
        gpus=_gpu_names(nvidia),
        nvidia_driver=nvidia,
        nvcc=_nvcc(),
        cxx=_cxx(),
        cxx_cure=next((cure for name, cure in _CXX_CURES if shutil.which(name)), None),
    )


def findings(machine: Machine) -> tuple[Finding, ...]:
    """What to tell of a machine, in the order in which it matters."""
    return tuple(tell(machine) for tell in _TELLERS)


def _tilelang(machine: Machine) -> Finding:
    python = f"Python {machine.python}"
    if machine.tilelang is None:
        text = f"{python} has no TileLang: kernels can be read, but nothing can be compiled"
        return Finding(FindingLevel.WARNING, "No TileLang", text, "pip install tilelang")
    title = f"TileLang {machine.tilelang}, {python}"
    return Finding(FindingLevel.GOOD, title, "compiles for every target, simulates any")


def _torch(machine: Machine) -> Finding:
    if machine.torch is None:
        text = "references and inputs need it"
        return Finding(FindingLevel.WARNING, "No torch", text, "pip install torch")
    version, _, build = machine.torch.partition("+")
    if build == "cpu" and machine.nvidia_driver:
        text = "this build does not see the GPU of this machine"
        cure = "pip install --force-reinstall torch"
        return Finding(FindingLevel.WARNING, f"torch {version} for the CPU", text, cure)
    return Finding(FindingLevel.GOOD, f"torch {version}", "runs the references of kernels")


def _gpu(machine: Machine) -> Finding:
    if machine.gpus:
        text = "kernels run and are measured here"
        return Finding(FindingLevel.GOOD, ", ".join(_counted(machine.gpus)), text)
    if machine.nvidia_driver:
        text = "NVIDIA's driver is there, but lists no GPU; see what it says"
        return Finding(FindingLevel.WARNING, "No GPU in reach", text, "nvidia-smi")
    text = "kernels are simulated; times stay unknown"
    return Finding(FindingLevel.INFO, "No GPU", text)


def _nvcc_finding(machine: Machine) -> Finding:
    if machine.nvcc is None:
        title = "No nvcc: registers and SASS unknown"
        return Finding(FindingLevel.WARNING, title, "brings ptxas beside it", _NVCC_CURE)
    text = "machine code and registers of NVIDIA targets"
    return Finding(FindingLevel.GOOD, machine.nvcc.title, text)


def _cxx_finding(machine: Machine) -> Finding:
    if machine.cxx is None:
        text = "the CPU target compiles C++"
        title = "No C++ compiler: the CPU target cannot run"
        return Finding(FindingLevel.WARNING, title, text, machine.cxx_cure)
    return Finding(FindingLevel.GOOD, machine.cxx.title, "the CPU target runs")


_TELLERS: tuple[Callable[[Machine], Finding], ...] = (
    _tilelang,
    _torch,
    _gpu,
    _nvcc_finding,
    _cxx_finding,
)


def _counted(names: tuple[str, ...]) -> list[str]:
    """Each name once, in its first place, with how many there are of it."""
    counts = {name: names.count(name) for name in names}
    return [name if count == 1 else f"{count} × {name}" for name, count in counts.items()]


def _package_version(name: str) -> str | None:
    import importlib.metadata  # slow to load, and not wanted before the window is there

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _gpu_names(nvidia: bool) -> tuple[str, ...]:
    """The GPUs that drivers show; where a driver names none, what its device node tells."""
    if nvidia:
        output = _output(*_GPU_QUERY)
        lines = output.splitlines() if output is not None else []
        return tuple(line.strip() for line in lines if line.strip())
    if _AMD_NODE.exists():
        return ("AMD GPU",)
    is_apple = platform.system() == "Darwin" and platform.machine() == "arm64"
    return ("Apple GPU",) if is_apple else ()


def _nvcc() -> Tool | None:
    """The compiler of `CUDA_HOME`, else that of the wheels, else the one on the path."""
    home = os.environ.get("CUDA_HOME")
    if home and (found := shutil.which("nvcc", path=str(Path(home) / "bin"))):
        return Tool("nvcc", _nvcc_version(found))
    wheel = _package_version(_NVCC_WHEEL)
    if wheel is not None:
        return Tool("nvcc", wheel)
    found = shutil.which("nvcc")
    return Tool("nvcc", _nvcc_version(found)) if found else None


def _nvcc_version(nvcc: str) -> str | None:
    match = re.search(r"V(\d+\.\d+\.\d+)", _output(nvcc, "--version") or "")
    return match.group(1) if match else None


def _cxx() -> Tool | None:
    for name in _CXX_NAMES:
        if found := shutil.which(name):
            match = re.search(r"\d+(\.\d+)+", _output(found, "--version") or "")
            return Tool(name, match.group(0) if match else None)
    return None


def _output(*command: str) -> str | None:
    """What a program prints; None where it cannot start, fails, or takes too long."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
