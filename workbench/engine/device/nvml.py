"""What NVIDIA's driver says of a GPU while it works: clocks, memory, processes (NVML by ctypes).

Names, numbers and structures are those of the NVML API reference, nvml.h of driver 580.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LIBRARY = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
_SM_CLOCK, _MEMORY_CLOCK = 1, 2
_MOST_PROCESSES = 64
_TEXT_BYTES = 96
# nvmlClocksEventReason*: why clocks are not higher. Idle and a display's are no fault of a run.
_REASONS = {
    0x02: "application clocks",
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x10: "sync boost",
    0x20: "temperature (software)",
    0x40: "temperature (hardware)",
    0x80: "power brake",
}


class _Memory(ctypes.Structure):
    _fields_ = [
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    ]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


@dataclass(frozen=True)
class OtherProcess:
    """A process that holds memory of a GPU; `used_bytes` is None where the driver hides it."""

    pid: int
    used_bytes: int | None


class Nvml:
    """One GPU as NVML sees it; what it cannot tell is None."""

    def __init__(self, library: Any, handle: Any) -> None:
        self._library = library
        self._handle = handle

    def sm_clock_mhz(self) -> int | None:
        """The present clock of the SMs."""
        return self._number("nvmlDeviceGetClockInfo", _SM_CLOCK)

    def most_clocks_mhz(self) -> tuple[int | None, int | None]:
        """The most that the driver would run the SMs and the memory at."""
        name = "nvmlDeviceGetMaxClockInfo"
        return self._number(name, _SM_CLOCK), self._number(name, _MEMORY_CLOCK)

    def throttled(self) -> tuple[str, ...]:
        """Why the clocks are held down at the moment; empty where they are not."""
        bits = ctypes.c_ulonglong()
        name = "nvmlDeviceGetCurrentClocksThrottleReasons"
        if not self._called(name, self._handle, ctypes.byref(bits)):
            return ()
        return tuple(text for bit, text in _REASONS.items() if bits.value & bit)

    def memory_bytes(self) -> tuple[int, int] | None:
        """Free and total memory."""
        found = _Memory()
        if not self._called("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(found)):
            return None
        return int(found.free), int(found.total)

    def processes(self) -> tuple[OtherProcess, ...]:
        """Processes with a compute context on the GPU, this one among them."""
        count = ctypes.c_uint(_MOST_PROCESSES)
        found = (_Process * _MOST_PROCESSES)()
        name = "nvmlDeviceGetComputeRunningProcesses_v3"
        if not self._called(name, self._handle, ctypes.byref(count), found):
            return ()
        hidden = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE
        return tuple(
            OtherProcess(int(p.pid), None if p.used == hidden else int(p.used))
            for p in found[: count.value]
        )

    def driver(self) -> str | None:
        """The driver's version."""
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        if not self._called("nvmlSystemGetDriverVersion", text, _TEXT_BYTES):
            return None
        return text.value.decode("ascii", "replace")

    def _number(self, name: str, kind: int) -> int | None:
        found = ctypes.c_uint()
        return (
            int(found.value)
            if self._called(name, self._handle, kind, ctypes.byref(found))
            else None
        )

    def _called(self, name: str, *arguments: Any) -> bool:
        function = getattr(self._library, name, None)
        return function is not None and function(*arguments) == 0


@contextlib.contextmanager
def opened(uuid: str | None) -> Iterator[Nvml | None]:
    """NVML's view of the GPU with a uuid; None where the driver has none, or knows no such GPU."""
    library = _loaded()
    if library is None or uuid is None:
        yield None
        return
    try:
        handle = ctypes.c_void_p()
        name = f"GPU-{uuid.removeprefix('GPU-')}".encode("ascii")
        found = library.nvmlDeviceGetHandleByUUID(name, ctypes.byref(handle)) == 0
        yield Nvml(library, handle) if found else None
    finally:
        library.nvmlShutdown()


def _loaded() -> Any | None:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        return None  # another vendor's GPU, or no driver: nothing is known then
    return library if library.nvmlInit_v2() == 0 else None
