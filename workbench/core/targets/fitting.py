"""Whether the code of a target runs on a device, and how it must be lowered to do so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.targets.model import Target, Vendor

_CUDA_ARCH = re.compile(r"sm_(\d+)(\d)([af]?)$")
# The generations whose own instructions TileLang uses under the name with an "a".
_OWN_INSTRUCTIONS = ("sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121")


@dataclass(frozen=True)
class Fit:
    """TileLang's target with which a kernel runs on a device; `note` says what differs, if any."""

    lowering: Mapping[str, Any]
    note: str | None = None


def fit(target: Target, arch: str, device: str) -> Fit | str:
    """How a target runs on a device of an architecture ("sm_90", "gfx942"), or why it does not.

    CUDA C++ Programming Guide, "Compute Capabilities": machine code runs on devices of its major
    version with the same or a later minor one, that of an "a" on its own alone; code lowered
    for an earlier generation without an "a" can be assembled for a later one.
    """
    if not isinstance(target.lowering, Mapping):
        return _misfit(target, arch, device)
    kind = target.lowering.get("kind")
    if kind == "hip":
        fits = str(target.lowering.get("mcpu")) == arch
        return Fit(dict(target.lowering)) if fits else _misfit(target, arch, device)
    if kind != "cuda" or not arch.startswith("sm_"):
        return _misfit(target, arch, device)
    return _fit_cuda(target, dict(target.lowering), arch, device)


def target_of_arch(arch: str) -> str:
    """The name of the target to choose for a device's architecture."""
    return f"{arch}a" if arch in _OWN_INSTRUCTIONS else arch


def _fit_cuda(target: Target, lowering: dict[str, Any], arch: str, device: str) -> Fit | str:
    lowered = str(lowering["arch"])
    codes = [str(code) for code in lowering.get("code") or [lowered]]
    if any(_runs(code, arch) for code in codes):
        return Fit(lowering)
    if _is_portable(lowered) and _number(lowered) <= _number(arch):
        note = f"lowered for {lowered} and assembled for the {arch} of {device}"
        return Fit({**lowering, "code": [arch]}, note)
    return _misfit(target, arch, device)


def _runs(code: str, arch: str) -> bool:
    made, has = _CUDA_ARCH.match(code), _CUDA_ARCH.match(arch)
    if made is None or has is None:
        return False
    if made[3]:
        return made.group(1, 2) == has.group(1, 2)
    return made[1] == has[1] and int(made[2]) <= int(has[2])


def _is_portable(arch: str) -> bool:
    found = _CUDA_ARCH.match(arch)
    return found is not None and not found[3]


def _number(arch: str) -> int:
    found = _CUDA_ARCH.match(arch)
    return int(found[1] + found[2]) if found is not None else 0


def _misfit(target: Target, arch: str, device: str) -> str:
    made = target.lowering_arch
    if target.arch.vendor is Vendor.HOST:
        return f"code for {target.name} runs on the processor, not on {device}: choose --on cpu"
    return (
        f"code for {target.name} ({made}) does not run on {device}, which is {arch}: "
        f"choose --target {target_of_arch(arch)}"
    )
