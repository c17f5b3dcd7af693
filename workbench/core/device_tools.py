"""Finds the programs of the CUDA toolkit and Nsight Compute, and asks their versions."""

from __future__ import annotations

import contextlib
import glob
import importlib.metadata
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

#: Where installers put programs that are seldom on the PATH of a process without a login shell.
_USUAL = {
    "nvcc": ("/usr/local/cuda/bin", "/usr/local/cuda-*/bin"),
    "ncu": (
        "/usr/local/cuda/bin",
        "/usr/local/cuda-*/bin",
        "/opt/nvidia/nsight-compute/*",
        "/usr/local/NVIDIA-Nsight-Compute*",
    ),
    "compute-sanitizer": (
        "/usr/local/cuda/bin",
        "/usr/local/cuda/compute-sanitizer",
        "/usr/local/cuda-*/bin",
        "/usr/local/cuda-*/compute-sanitizer",
    ),
}
_WHEELS = {"nvcc": "nvidia-cuda-nvcc"}
_VERSION = re.compile(r"(?:Version |V|version )(\d+(?:\.\d+)+)")
_SECONDS = 20.0


def find_tool(name: str) -> Path | None:
    """The program "nvcc", "ncu" or "compute-sanitizer"; None where it is in no usual place.

    In this order: `CUDA_HOME`, Python's packages, PATH, the folders of installers (newest first).
    """
    return next((path for path in _candidates(name) if os.access(path, os.X_OK)), None)


def tool_version(path: Path) -> str | None:
    """The version that a program tells; None where it tells none or does not start."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = [str(path), "--version"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        found = _VERSION.search(done.stdout)
        return found.group(1) if found else None
    return None


def _candidates(name: str) -> Iterator[Path]:
    if os.environ.get("CUDA_HOME"):
        yield Path(os.environ["CUDA_HOME"], "bin", name)
    yield from _of_wheel(name)
    on_path = shutil.which(name)
    if on_path:
        yield Path(on_path)
    for pattern in _USUAL.get(name, ()):
        folders = [path for path in glob.glob(pattern) if os.path.isdir(path)]
        for folder in sorted(folders, key=_numbers, reverse=True):
            yield Path(folder, name)


def _of_wheel(name: str) -> Iterator[Path]:
    try:
        files = importlib.metadata.files(_WHEELS[name]) if name in _WHEELS else None
    except importlib.metadata.PackageNotFoundError:
        return
    for file in files or ():
        if file.name == name:
            yield Path(str(file.locate()))


def _numbers(path: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path))
