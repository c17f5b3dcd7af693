"""Runs a compiled kernel on the GPU for a verification: inputs there, outputs back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from workbench.core.profiles import DeviceInfo
from workbench.engine.compiling import Report
from workbench.engine.device.gpu_faults import gpu_faults
from workbench.engine.device.holding import held
from workbench.engine.device.placing import on_device
from workbench.engine.verify.runners import Execution, Runner


def device_runner(
    kernel: Callable[..., Any],
    device: DeviceInfo,
    written: Sequence[int],
    line: int | None,
    report: Report,
) -> Runner:
    """Runs what `placing.compile_for` made; what it writes is copied into the CPU's values.

    `written` are the numbers of the parameters that the kernel writes, `line` is where it begins.
    Outputs are poisoned in the values that are given, and so on the device.
    """

    def run(values: Sequence[Any], seed: int, fresh: tuple[int, ...]) -> Execution:
        with held(device, report), gpu_faults(device, line):
            torch.cuda.set_device(device.index)
            moved = on_device(values, device.index)
            torch.cuda.synchronize()
            begun = time.perf_counter()
            kernel(*moved)
            torch.cuda.synchronize()
            seconds = time.perf_counter() - begun
            for index in written:
                values[index].copy_(moved[index])
        return Execution(seconds)

    return run
