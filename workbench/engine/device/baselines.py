"""What a kernel is timed beside: a function of its document, on the same inputs."""

from __future__ import annotations

from typing import Any

import torch

from workbench.core.profiles import ProfileRequest
from workbench.engine.device.gpu_faults import gpu_faults
from workbench.engine.device.launches import Launch, once_seconds
from workbench.engine.device.placing import Placed, on_device
from workbench.engine.verify import reference

MOST_SECONDS = 2.0  # of one call: a reference in plain loops would take the whole time


class NoBaselineError(Exception):
    """There is nothing to time beside the kernel; the message says why."""


def baseline_launch(kernel: Placed, request: ProfileRequest) -> Launch:
    """Calls the baseline on the GPU; raises NoBaselineError where it cannot be timed there."""
    name = request.baseline
    if name is None:
        raise NoBaselineError("the case names no baseline")
    function = getattr(kernel.module, name, None)
    if not callable(function):
        raise NoBaselineError(f"the file defines no function {name!r}")
    launch = _call(kernel, function)
    try:
        with torch.no_grad(), gpu_faults(kernel.device):
            returned = launch()
            seconds = once_seconds(launch)
    except Exception as error:  # a document's function may raise anything
        first = str(error).strip().partition("\n")[0] or type(error).__name__
        raise NoBaselineError(f"{name} does not run on {kernel.device.name}: {first}") from error
    if _is_elsewhere(returned):
        raise NoBaselineError(f"{name} computes on the CPU")
    if seconds > MOST_SECONDS:
        raise NoBaselineError(f"one call of {name} takes {seconds:.1f} s")
    return launch


def _call(kernel: Placed, function: Any) -> Launch:
    bound = kernel.bound
    takes_all = reference.takes(function, len(bound.values))
    wanted = range(len(bound.values)) if takes_all else bound.inputs
    arguments = on_device([bound.values[i] for i in wanted], kernel.device.index)

    def launch() -> Any:
        with torch.no_grad():
            return function(*arguments)

    return launch


def _is_elsewhere(returned: Any) -> bool:
    """Whether a function gave tensors of the CPU back."""
    values = returned if isinstance(returned, (tuple, list)) else (returned,)
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    return bool(tensors) and not any(tensor.is_cuda for tensor in tensors)
