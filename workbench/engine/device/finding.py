"""Finds the GPU of a request on this machine, or says what was looked for and what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

from workbench.core.jobs import Failure
from workbench.core.profiles import DeviceInfo
from workbench.core.whereabouts import here
from workbench.engine import blame
from workbench.engine.device import nvml

# The nodes that a driver makes for compute, by vendor.
_NODES = {"NVIDIA": "/dev/nvidiactl", "AMD": "/dev/kfd"}


def find_device(index: int = 0) -> DeviceInfo:
    """The GPU of a number among those that torch sees; raises blame.StepError."""
    if not torch.cuda.is_available():
        raise blame.StepError(Failure("environment", _nothing_found()))
    count = torch.cuda.device_count()
    if not 0 <= index < count:
        names = ", ".join(f"{i}: {torch.cuda.get_device_name(i)}" for i in range(count))
        message = f"there is no GPU {index} here; torch sees {names}"
        raise blame.StepError(Failure("environment", message))
    return _described(index)


def is_amd() -> bool:
    """Whether this torch drives AMD's GPUs."""
    return torch.version.hip is not None


def _described(index: int) -> DeviceInfo:
    properties = torch.cuda.get_device_properties(index)
    uuid = getattr(properties, "uuid", None)
    uuid = None if uuid is None else str(uuid)
    with nvml.opened(None if is_amd() else uuid) as driver:
        sm_clock, memory_clock = driver.most_clocks_mhz() if driver else (None, None)
        version = driver.driver() if driver else None
    return DeviceInfo(
        name=properties.name,
        arch=_arch(properties),
        uuid=uuid,
        index=index,
        sm_count=properties.multi_processor_count,
        memory_bytes=properties.total_memory,
        l2_bytes=getattr(properties, "L2_cache_size", None) or None,
        driver=version,
        runtime=torch.version.hip or torch.version.cuda,
        sm_clock_mhz=sm_clock,
        memory_clock_mhz=memory_clock,
    )


def _arch(properties: Any) -> str:
    if is_amd():
        return str(properties.gcnArchName).partition(":")[0]
    return f"sm_{properties.major}{properties.minor}"


def _nothing_found() -> str:
    """What was looked for, from the driver up to torch, and the first thing that is missing."""
    vendors = [vendor for vendor, node in _NODES.items() if Path(node).exists()]
    if sys.platform.startswith("linux") and not vendors:
        nodes = " or ".join(_NODES.values())
        return (
            f"no GPU on {here()}: no driver has made {nodes}. Verify in the simulator "
            "(--on simulator), or on a machine with a GPU and its driver"
        )
    built = torch.version.cuda or torch.version.hip
    if built is None:
        return (
            f"{here()} has a GPU, but torch {torch.__version__} is built without CUDA and "
            "ROCm: install the torch of your GPU (pytorch.org/get-started)"
        )
    return (
        f"torch {torch.__version__} (built for {built}) sees no GPU: compare the driver's version "
        "(nvidia-smi, or rocm-smi) with it, and look at CUDA_VISIBLE_DEVICES"
    )
