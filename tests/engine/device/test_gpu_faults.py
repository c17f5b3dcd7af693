"""Errors of a GPU become failures that say who has to act, with sizes and a cure."""

from __future__ import annotations

import pytest
import torch

from workbench.core.profiles import DeviceInfo
from workbench.engine import blame
from workbench.engine.device.gpu_faults import gpu_faults

H200 = DeviceInfo("NVIDIA H200", "sm_90", memory_bytes=140 * 1024**3)
FULL = (
    "CUDA out of memory. Tried to allocate 256.00 GiB. GPU 0 has a total capacity of 139.80 GiB of "
    "which 139.27 GiB is free."
)


def raised(error: Exception, line: int | None = 12) -> blame.StepError:
    with pytest.raises(blame.StepError) as found, gpu_faults(H200, line):
        raise error
    return found.value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CUDA error: an illegal memory access was encountered", "memory that is not its own"),
        ("CUDA: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal address", "memory that is not its own"),
        (
            "CUDA error: operation not supported on global/shared address space",
            "memory that is not its own",
        ),
        ("CUDA error: misaligned address", "misaligned"),
        ("CUDA error: unspecified launch failure", "crashed"),
        ("CUDA error: device-side assert triggered", "assertion"),
        ("CUDA error: unknown error\nto enable device-side assertions.", 'reports "unknown error"'),
        ("CUDA: CUDA_ERROR_INVALID_PC", 'reports "CUDA_ERROR_INVALID_PC"'),
        ("CUDA error: the launch timed out and was terminated", "--sanitize synccheck"),
    ],
)
def test_what_a_kernel_breaks_is_its_fault_at_its_line(text: str, said: str) -> None:
    fault = raised(RuntimeError(text))
    assert (fault.failure.kind, fault.failure.line) == ("kernel", 12)
    assert said in fault.failure.message
    assert "--sanitize" in fault.failure.message or "assert" in fault.failure.message
    assert fault.failure.raw == text
    (diagnostic,) = fault.diagnostics
    assert diagnostic.code == "run-error"
    assert diagnostic.range is not None
    assert diagnostic.range.line == 12


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError(FULL), RuntimeError("CUDA_ERROR_OUT_OF_MEMORY: out of memory")]
)
def test_a_full_memory_is_told_with_its_sizes(error: Exception) -> None:
    failure = raised(error).failure
    assert failure.kind == "memory"
    assert failure.message.startswith("the memory of NVIDIA H200 is full: ")
    assert "140.0 GiB" in failure.message
    if "Tried" in str(error):
        assert "256.00 GiB were wanted" in failure.message


def test_other_errors_pass_through() -> None:
    with pytest.raises(ZeroDivisionError), gpu_faults(H200):
        raise ZeroDivisionError
