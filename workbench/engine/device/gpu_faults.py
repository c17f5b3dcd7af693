"""Turns what torch, TVM and the driver raise on a GPU into failures that say who has to act."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure
from workbench.core.profiles import DeviceInfo
from workbench.engine import blame

SANITIZE = "run `verify --on local --sanitize memcheck`, which names the line"
# After these the context is lost: nothing more can be run in this process.
_FATAL = {
    r"illegal memory access|an illegal address|not supported on global/shared address space": (
        "the kernel accessed memory that is not its own",
        SANITIZE,
    ),
    r"misaligned address": ("the kernel accessed memory at a misaligned address", SANITIZE),
    r"illegal instruction": ("the kernel ran into an illegal instruction", SANITIZE),
    r"unspecified launch failure|hardware stack error": ("the kernel crashed", SANITIZE),
    r"device-side assert triggered": ("an assertion of the kernel failed", SANITIZE),
    r"launch timed out": (
        "the driver stopped the kernel, which ran too long",
        "look for a loop or a barrier that never ends (`--sanitize synccheck`)",
    ),
}
_OTHER = re.compile(r"(?:CUDA|HIP) error: ([^\n]+)|CUDA: (CUDA_ERROR_\w+)")
_MEMORY = re.compile(r"out of memory|CUDA_ERROR_OUT_OF_MEMORY", re.IGNORECASE)
_WANTED = re.compile(r"[Tt]ried to allocate ([\d.]+ \w+)")


@contextlib.contextmanager
def gpu_faults(device: DeviceInfo, line: int | None = None) -> Iterator[None]:
    """Raise what the GPU runs into in the block as a StepError: no memory, or a kernel's fault.

    `line` is the kernel's. What is neither passes through as it is.
    """
    try:
        yield
    except Exception as error:  # TVM has kinds of its own beside torch's
        if is_out_of_memory(error):
            raise blame.StepError(memory_failure(error, device)) from error
        found = kernel_failure(error)
        if found is None:
            raise
        raise blame.StepError(replace(found, line=line), _diagnostic(found, line)) from error


def _diagnostic(failure: Failure, line: int | None) -> Diagnostic:
    return Diagnostic(
        blame.RUNNING.code,
        Severity.ERROR,
        failure.message,
        TextRange(line or 1),
        stage=blame.RUNNING.stage,
        evidence={"raw": failure.raw} if failure.raw else {},
    )


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that a GPU's memory is full."""
    return isinstance(error, torch.cuda.OutOfMemoryError) or bool(_MEMORY.search(str(error)))


def memory_failure(error: BaseException, device: DeviceInfo) -> Failure:
    """A failure of kind "memory": what was wanted, what is free, what there is."""
    wanted = _WANTED.search(str(error))
    asked = f"{wanted[1]} were wanted" if wanted else "more was wanted"
    sizes = _free_of(device)
    return Failure("memory", f"the memory of {device.name} is full: {asked}, {sizes}", str(error))


def kernel_failure(error: BaseException) -> Failure | None:
    """A failure of kind "kernel" with its cure, for an error that ends the GPU's context."""
    for pattern, (what, cure) in _FATAL.items():
        if re.search(pattern, str(error), re.IGNORECASE):
            return Failure("kernel", f"{what}: {cure}", str(error))
    other = _OTHER.search(str(error))
    if other is None:
        return None
    return Failure(
        "kernel", f'the GPU reports "{(other[1] or other[2]).strip()}": {SANITIZE}', str(error)
    )


def _free_of(device: DeviceInfo) -> str:
    total = device.memory_bytes
    try:
        if torch.cuda.is_initialized():
            free, total = torch.cuda.mem_get_info(device.index)
            return f"{_gib(free)} are free of {_gib(total)}"
    except RuntimeError:  # a context that an error has ended tells nothing more
        pass
    return "nothing is known of it" if total is None else f"it has {_gib(total)}"


def _gib(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB"
