"""Holds a GPU for one measurement at a time, and looks whether it is fit for it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from workbench.core.jobs import Failure
from workbench.core.profiles import DeviceInfo
from workbench.engine import blame
from workbench.engine.compiling import Report
from workbench.engine.device import locking, nvml
from workbench.engine.device.finding import is_amd
from workbench.engine.device.gpu_faults import is_out_of_memory, memory_failure

ANSWER_SECONDS = 20.0
lock_path = locking.lock_path
_SMALL = 1024  # elements
_LARGE_BYTES = 64 * 1024**2  # less is what a driver takes for a context's own


@dataclass(frozen=True)
class Holding:
    """A GPU that answers; `others` is a sentence on processes that use it too."""

    device: DeviceInfo
    others: str | None = None


@contextlib.contextmanager
def held(device: DeviceInfo, report: Report) -> Iterator[Holding]:
    """The GPU for the block alone, as far as this program goes; waits for other measurements.

    Raises blame.StepError where the GPU does not answer.
    """
    with locked(lock_path(device), device.name, report):
        # Before this process uses the GPU: in a container the driver tells it by another number.
        others = others_on(device)
        check(device)
        yield Holding(device, others)


@contextlib.contextmanager
def locked(path: Path, device: str, report: Report) -> Iterator[None]:
    """The lock of a file for the block; while another process holds it, the job says so.

    Raises blame.StepError where the file cannot be opened.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locking.locked(path, device, report))
        except locking.LockError as error:
            raise blame.StepError(Failure("environment", str(error))) from error
        yield


def check(device: DeviceInfo) -> None:
    """Raise blame.StepError where a small kernel does not run within `ANSWER_SECONDS`."""
    errors: list[BaseException] = []
    thread = threading.Thread(target=_try_out, args=(device, errors), daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS)
    if thread.is_alive():
        message = (
            f"{device.name} does not answer: a small kernel did not end in {ANSWER_SECONDS:g} s"
            f"{_busy_with(device)}"
        )
        raise blame.StepError(Failure("environment", message))
    if errors:
        raise blame.StepError(_refusal(errors[0], device)) from errors[0]


def others_on(device: DeviceInfo) -> str | None:
    """A sentence on the other processes that use the GPU; None where there are none."""
    with _driver(device) as driver:
        found = [p for p in driver.processes() if p.pid != os.getpid()] if driver else []
    large = [p for p in found if p.used_bytes is None or p.used_bytes >= _LARGE_BYTES]
    if not large:
        return None
    names = ", ".join(_told(each) for each in large)
    return f"Other processes use {device.name}, and may slow down what is measured: {names}."


def _try_out(device: DeviceInfo, errors: list[BaseException]) -> None:
    try:
        values = torch.arange(_SMALL, device=torch.device("cuda", device.index))
        total = int(values.sum().item())
        if total != _SMALL * (_SMALL - 1) // 2:
            raise RuntimeError(f"the sum of 0 to {_SMALL - 1} is {total} there")
    except BaseException as error:  # it is raised again in the thread that waits
        errors.append(error)


def _refusal(error: BaseException, device: DeviceInfo) -> Failure:
    if is_out_of_memory(error):
        full = memory_failure(error, device)
        return Failure("memory", f"{full.message}{_busy_with(device)}", full.raw)
    first = str(error).strip().partition("\n")[0]
    return Failure("environment", f"{device.name} does not run a small kernel: {first}", str(error))


def _busy_with(device: DeviceInfo) -> str:
    others = others_on(device)
    return "" if others is None else f". {others}"


def _told(process: nvml.OtherProcess) -> str:
    if process.used_bytes is None:
        return f"process {process.pid}"
    return f"process {process.pid} ({process.used_bytes / 1024**3:.1f} GiB)"


def _driver(device: DeviceInfo) -> contextlib.AbstractContextManager[nvml.Nvml | None]:
    return nvml.opened(None if is_amd() else device.uuid)
