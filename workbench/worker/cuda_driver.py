"""Asks NVIDIA's driver for its GPUs: through its library, without a context, and nvidia-smi."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SECONDS = 30.0
_VERSION = Path("/proc/driver/nvidia/version")
#: CUdevice_attribute of cuda.h.
_ATTRIBUTES = {
    "sm_clock_mhz": 13,
    "sm_count": 16,
    "memory_clock_mhz": 36,
    "l2_bytes": 38,
    "major": 75,
    "minor": 76,
}
_CUDA_ERROR_NO_DEVICE = 100


@dataclass
class Driver:
    """What was found; `devices` have the form of `core.profiles.DeviceInfo`."""

    devices: list[dict[str, Any]] = field(default_factory=list)
    driver: str | None = None
    cuda: str | None = None


def look(problems: list[str]) -> Driver:
    """The driver and the GPUs that this process may use; sentences on faults go to `problems`."""
    found = Driver(driver=_driver_version())
    library = _library()
    if library is None:
        return found
    status = library.cuInit(0)
    if status == _CUDA_ERROR_NO_DEVICE:
        return found
    if status != 0:
        problems.append(f"The driver of the GPU does not start: cuInit gives error {status}.")
        return found
    found.cuda = _cuda_version(library)
    count = _number(library.cuDeviceGetCount) or 0
    found.devices = [_device(library, index, found) for index in range(count)]
    return found


def _library() -> Any | None:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _device(library: Any, index: int, found: Driver) -> dict[str, Any]:
    handle = ctypes.c_int()
    library.cuDeviceGet(ctypes.byref(handle), index)
    values = {name: _attribute(library, number, handle) for name, number in _ATTRIBUTES.items()}
    major, minor = values.pop("major"), values.pop("minor")
    for clock in ("sm_clock_mhz", "memory_clock_mhz"):
        value = values[clock]
        values[clock] = None if value is None else value // 1000  # the driver counts kHz
    return {
        **values,
        "name": _name(library, handle),
        "arch": None if major is None or minor is None else f"sm_{major}{minor}",
        "uuid": _uuid(library, handle),
        "index": index,
        "memory_bytes": _memory_bytes(library, handle),
        "driver": found.driver,
        "runtime": found.cuda,
    }


def _attribute(library: Any, number: int, device: ctypes.c_int) -> int | None:
    value = ctypes.c_int()
    status = library.cuDeviceGetAttribute(ctypes.byref(value), number, device)
    return value.value if status == 0 else None


def _name(library: Any, device: ctypes.c_int) -> str:
    text = ctypes.create_string_buffer(256)
    library.cuDeviceGetName(text, len(text), device)
    return text.value.decode("utf-8", "replace") or "unknown GPU"


def _uuid(library: Any, device: ctypes.c_int) -> str | None:
    raw = (ctypes.c_ubyte * 16)()
    ask = getattr(library, "cuDeviceGetUuid_v2", None) or library.cuDeviceGetUuid
    if ask(ctypes.byref(raw), device) != 0:
        return None
    digits = bytes(raw).hex()
    return "GPU-" + "-".join(
        digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    )


def _memory_bytes(library: Any, device: ctypes.c_int) -> int | None:
    size = ctypes.c_size_t()
    status = library.cuDeviceTotalMem_v2(ctypes.byref(size), device)
    return size.value if status == 0 else None


def _cuda_version(library: Any) -> str | None:
    number = _number(library.cuDriverGetVersion)
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"


def _number(ask: Any) -> int | None:
    value = ctypes.c_int()
    return value.value if ask(ctypes.byref(value)) == 0 else None


def _driver_version() -> str | None:
    """The driver's version as nvidia-smi tells it, else as the kernel module does."""
    return _of_smi() or _of_module()


def _of_smi() -> str | None:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    command = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.split() if done.returncode == 0 else []
    return lines[0] if lines else None


def _of_module() -> str | None:
    try:
        words = _VERSION.read_text().split()
    except OSError:
        return None
    return next((word for word in words if word[:1].isdigit() and "." in word), None)
