"""What a script is told about the GPU that it believes to see, from the selected target."""

from __future__ import annotations

import re
from typing import Any

from workbench.core.targets.model import Target, Vendor

_ARCH = re.compile(r"(?:sm_|gfx)(\d+)(\d)[a-z]?$")


class UnknownPropertyError(AttributeError):
    """A script asks for a property that the target's record lacks; the message names both."""


class DeviceProperties:
    """The device properties of torch, those that the target's record can tell."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._known = {k: v for k, v in _properties(target).items() if v is not None}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._known:
            raise UnknownPropertyError(
                f"the target {self._target.name} does not tell the device property {name!r}"
            )
        return self._known[name]

    def __repr__(self) -> str:
        return f"DeviceProperties({self._known})"


def capability(target: Target) -> tuple[int, int]:
    """The compute capability: (9, 0) for sm_90a, (12, 0) for sm_120a, (9, 4) for gfx942."""
    match = _ARCH.match(target.arch.name)
    if match is None:
        return (0, 0)
    major, minor = match.groups()
    if target.arch.vendor is Vendor.AMD:  # gfx942 is 9.4 by torch's count
        return int(major[0]), int(major[1:] or 0)
    return int(major), int(minor)


def title(target: Target) -> str:
    """The device's name as torch gives it."""
    return target.model.title if target.model else target.arch.title


def _properties(target: Target) -> dict[str, Any]:
    limits, model = target.arch.limits, target.model
    major, minor = capability(target)
    is_amd = target.arch.vendor is Vendor.AMD
    return {
        "name": title(target),
        "major": major,
        "minor": minor,
        "multi_processor_count": model.sm_count if model else None,
        "total_memory": model.memory_bytes if model else None,
        "L2_cache_size": model.l2_bytes if model else None,
        "warp_size": limits.warp_size,
        "max_threads_per_multi_processor": limits.max_threads_per_sm,
        "max_threads_per_block": limits.max_threads_per_block,
        "regs_per_multiprocessor": limits.registers_per_sm,
        "shared_memory_per_block": limits.shared_bytes_per_block,
        "shared_memory_per_block_optin": limits.shared_bytes_per_block_opt_in,
        "shared_memory_per_multiprocessor": limits.shared_bytes_per_sm,
        "gcnArchName": target.arch.name if is_amd else None,
        "is_integrated": False,
        "is_multi_gpu_board": False,
    }


# cudaDeviceAttr of the CUDA runtime API: the numbers that tilelang asks for.
_ATTRIBUTES = {
    1: "max_threads_per_block",
    8: "shared_bytes_per_block",
    10: "warp_size",
    12: "registers_per_block",
    81: "shared_bytes_per_sm",
    82: "registers_per_sm",
    97: "shared_bytes_per_block_opt_in",
}


def attribute(target: Target, number: int) -> int:
    """A cudaDeviceAttr by number; raises UnknownPropertyError."""
    name = _ATTRIBUTES.get(number)
    value = getattr(target.arch.limits, name) if name else None
    if value is None:
        raise UnknownPropertyError(f"the target {target.name} does not tell attribute {number}")
    return int(value)


def tvm_attribute(target: Target, number: int) -> Any:
    """What TVM's device API answers, by its DeviceAttrKind (tvm/runtime/device_api.h)."""
    limits, model = target.arch.limits, target.model
    answers = {
        0: 1,  # kExist
        1: limits.max_threads_per_block,
        2: limits.warp_size,
        3: limits.shared_bytes_per_block,
        4: "{}.{}".format(*capability(target)),
        5: title(target),
        7: model.sm_count if model else None,
        12: limits.registers_per_block,
        13: model.l2_bytes if model else None,
        14: model.memory_bytes if model else None,
        15: model.memory_bytes if model else None,
    }
    value = answers.get(number)
    if value is None:
        raise UnknownPropertyError(f"the target {target.name} does not tell TVM attribute {number}")
    return value
