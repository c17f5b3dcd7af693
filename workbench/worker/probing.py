"""Tells what this machine has, as JSON: Python, packages, GPUs, tools, and who may read counters.

`python -m workbench.worker.probing`; standard library only. The driver is asked through its own
library, and torch in a process of its own. The form is that of `core.host_report.Probe`.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from workbench.core import device_tools
from workbench.engine import loadable
from workbench.worker import cuda_driver

PACKAGES = ("tilelang", "torch", "numpy", "apache-tvm-ffi", "ml-dtypes", "nvidia-cuda-nvcc")
#: What they are imported as; the compiler's wheel is no module.
_MODULES = {name: name for name in ("tilelang", "torch", "numpy")}
_COMPILERS = ("g++", "clang++", "c++")
_TORCH_SECONDS = 100.0
_CAP_SYS_ADMIN = 21  # linux/capability.h
_PARAMS = Path("/proc/driver/nvidia/params")


def probe() -> dict[str, Any]:
    """Everything that is found."""
    problems: list[str] = []
    driver = cuda_driver.look(problems)
    access, why = counter_access()
    return {
        "node": platform.node(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "executable": sys.executable,
        "cpus": _cpus(),
        "memory_bytes": _memory_bytes(),
        "versions": versions(),
        "torch": ask_torch(),
        "devices": driver.devices,
        "driver": driver.driver,
        "cuda": driver.cuda,
        "nvcc": _tool("nvcc"),
        "ncu": _tool("ncu"),
        "sanitizer": _tool("compute-sanitizer"),
        "compiler": _compiler(),
        "counters": access,
        "counters_why": why,
        "problems": problems,
    }


def versions() -> dict[str, str]:
    """The packages that are there; one without a record of its version is "unknown"."""
    found = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
            continue
        if name in _MODULES and importlib.util.find_spec(name) is not None:
            found[name] = "unknown"
    return found


def ask_torch() -> dict[str, Any] | None:
    """What torch sees, and whether tilelang loads; None where torch is not there."""
    if importlib.util.find_spec("torch") is None:
        return None
    command = [sys.executable, "-m", loadable.__name__]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TORCH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"it did not load within {_TORCH_SECONDS:g} s"}
    for line in reversed(done.stdout.decode("utf-8", "replace").splitlines()):
        if line.startswith(loadable.MARK):
            found: dict[str, Any] = json.loads(line[len(loadable.MARK) :])
            return _one_line(found)
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    return {"error": f"the process that loads it ended with {done.returncode} {' '.join(last)}"}


def counter_access() -> tuple[str, str]:
    """Whether this user may read the GPU's counters, and the sentence behind it.

    The driver's parameter is RmProfilingAdminOnly, set by NVreg_RestrictProfilingToAdminUsers; an
    administrator is who has CAP_SYS_ADMIN (https://developer.nvidia.com/ERR_NVGPUCTRPERM).
    """
    try:
        lines = _PARAMS.read_text().splitlines()
    except OSError as error:
        return "unknown", f"{_PARAMS} cannot be read ({error.strerror}): who may is not known."
    values = dict(line.split(": ", 1) for line in lines if ": " in line)
    restricted = values.get("RmProfilingAdminOnly")
    if restricted == "0":
        return "allowed", "The driver lets everybody read counters."
    if restricted != "1":
        return "unknown", f"{_PARAMS} does not say who may read counters."
    capable = may_administer()
    if capable is None:
        return (
            "unknown",
            "The driver lets administrators alone; whether this user is one is unknown.",
        )
    if capable:
        return "allowed", "The driver lets administrators read counters, and this user is one."
    return "denied", "The driver lets administrators alone read counters, and this user is none."


def may_administer() -> bool | None:
    """Whether this process has CAP_SYS_ADMIN; None where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        mask = next(line.split()[1] for line in lines if line.startswith("CapEff:"))
        return bool(int(mask, 16) >> _CAP_SYS_ADMIN & 1)
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _one_line(found: dict[str, Any]) -> dict[str, Any]:
    texts = {key: value for key, value in found.items() if key.endswith("error")}
    return {**found, **{key: " ".join(text.split())[:300] for key, text in texts.items()}}


def _tool(name: str) -> dict[str, Any] | None:
    path = device_tools.find_tool(name)
    if path is None:
        return None
    return {"path": str(path), "version": device_tools.tool_version(path)}


def _compiler() -> dict[str, Any] | None:
    path = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    return None if path is None else {"path": path, "version": None}


def _cpus() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def main() -> None:
    """Print what is found; what libraries print goes elsewhere."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    json.dump(probe(), out)
    out.flush()


if __name__ == "__main__":
    main()
