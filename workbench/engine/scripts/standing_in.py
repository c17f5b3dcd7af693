"""Installs every stand-in that a script needs to run without a GPU, in one order."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

import tilelang.carver.arch.driver as carver_driver
import tilelang.utils.device as tilelang_device
import torch
from tilelang import tvm
from torch.utils import cpp_extension

from workbench.core.jobs import RunScriptRequest
from workbench.core.targets.model import Target
from workbench.engine.scripts import (
    absent,
    compiling,
    cuda_on_cpu,
    devices,
    executing,
    holding,
    measuring,
)
from workbench.engine.scripts.journal import Journal
from workbench.engine.scripts.lacks import LackError

_DLPACK_CPU = 1


def install(request: RunScriptRequest, target: Target, journal: Journal) -> None:
    """Change this process for one script; there is no way back but its end."""
    belongs = executing.of_script(request.source)
    unmeasured = measuring.Unmeasured(journal, belongs)
    cuda_on_cpu.install(target, unmeasured.note)
    _install_in_tilelang(target)
    compiling.install(target, journal, request.execute, request.checks)
    measuring.install(unmeasured, request.tuning_config)
    if importlib.util.find_spec("pytest") is not None:
        _install_in_pytest(target, journal)
    _refuse_extensions(belongs)
    absent.provide("triton.testing.do_bench", unmeasured.do_bench)
    sys.meta_path.append(absent.AbsentFinder(belongs, journal.mocked))
    if request.cwd is not None:
        os.chdir(request.cwd)
    if request.execute:
        cuda_on_cpu.enter_everywhere(cuda_on_cpu.CudaOnCpu)
    else:
        holding.install(request.shapes_only)


def _refuse_extensions(is_of_script: Callable[[str], bool]) -> None:
    """CUDA C++ that a script wants to build into torch cannot run here: say so at its line."""

    def load(*args: Any, **kwargs: Any) -> Any:
        file, line = measuring.calling_line(is_of_script)
        message = "a CUDA extension of torch is to be built, and there is no GPU that would run it"
        raise LackError(message, file, line)

    cpp_extension.load = cpp_extension.load_inline = load


def _install_in_pytest(target: Target, journal: Journal) -> None:
    from workbench.engine.scripts import testing

    testing.install(target, journal)


def _install_in_tilelang(target: Target) -> None:
    """What tilelang found out about the device while it was imported, or asks a driver for."""
    tilelang_device.IS_CUDA = True
    tilelang_device.Event = torch.cuda.Event
    properties = devices.DeviceProperties(target)

    def attribute(number: int, device_id: int = 0) -> int:
        return devices.attribute(target, number)

    replaced: dict[str, Any] = {
        "get_cuda_device_properties": lambda device_id=0: properties,
        "get_device_attribute": attribute,
    }
    driver = sys.modules[carver_driver.__name__ + ".cuda_driver"]
    for name, value in replaced.items():
        setattr(driver, name, value)

    def tvm_attribute(device: Any, device_type: int, device_id: int, number: int) -> Any:
        if device_type == _DLPACK_CPU:
            return ask(device, device_type, device_id, number)
        return devices.tvm_attribute(target, number)

    ask = tvm.runtime.Device._GetDeviceAttr
    tvm.runtime.Device._GetDeviceAttr = tvm_attribute
