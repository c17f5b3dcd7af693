"""Which target is a device's own, by the name and the architecture that its driver tells."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.core.targets.fitting import Fit, fit
from workbench.core.targets.model import Architecture, GpuModel, Target, Vendor
from workbench.core.targets.table import TargetError, TargetTable

_VENDORS = {"sm_": Vendor.NVIDIA, "gfx": Vendor.AMD}


class UnknownDeviceError(TargetError):
    """No target of the table is for a device; the message says what to name instead."""


@dataclass(frozen=True)
class DeviceTarget:
    """The target for a device; `note` says what its record does not tell of the device."""

    target: Target
    note: str | None = None


def target_of_device(name: str, arch: str | None, table: TargetTable) -> DeviceTarget:
    """The target for a device called `name` ("NVIDIA H200") of `arch` ("sm_90", "gfx942:xnack-").

    The model that the driver calls so; else the architecture, because another model's clocks and
    bandwidth are not the device's; else the newest whose code runs there. Without an architecture
    only a known name helps. Raises UnknownDeviceError.
    """
    plain = arch.partition(":")[0] if arch is not None else None
    model = _model_called(name, table)
    if model is not None and plain in {None, _generation(model.arch)}:
        return DeviceTarget(table.resolve(model.name))
    if plain is None:
        raise UnknownDeviceError(
            f"{name} is not in the table of GPUs and does not tell its architecture: name a target "
            f"with --target, such as one of {', '.join(a.name for a in table.architectures)}"
        )
    return _by_architecture(name, plain, table)


def _by_architecture(name: str, arch: str, table: TargetTable) -> DeviceTarget:
    own = next((a for a in table.architectures if _generation(a.name) == arch), None)
    if own is not None:
        return DeviceTarget(table.resolve(own.name), _without_model(name, own, table))
    fitting = [a for a in table.architectures if _runs_there(a, name, arch, table)]
    newest = max(fitting, key=lambda a: a.order, default=None)
    if newest is None:
        raise UnknownDeviceError(
            f"no target of the table runs on {name} ({arch}): name one with --target, or add its "
            "record to resources/targets"
        )
    note = f"{arch} is not in the table of architectures; {newest.name} is the newest that fits"
    return DeviceTarget(table.resolve(newest.name), note)


def _runs_there(record: Architecture, name: str, arch: str, table: TargetTable) -> bool:
    if record.vendor is not _VENDORS.get(arch[:3]):
        return False
    return isinstance(fit(table.resolve(record.name), arch, name), Fit)


def _without_model(name: str, arch: Architecture, table: TargetTable) -> str:
    """Why nothing is told that needs a model, and whose numbers come closest."""
    words = re.split(r"[\s_-]+", name.lower())
    kin = (m.name for m in table.models if m.arch == arch.name and m.name.split("-")[0] in words)
    near = next(kin, None)
    hint = f"; --target {near} takes those of the nearest" if near else ""
    return f"{name} is not in the table of GPUs, so its clocks and bandwidth are unknown{hint}"


def _model_called(name: str, table: TargetTable) -> GpuModel | None:
    wanted = _plain(name)
    return next((m for m in table.models if wanted in map(_plain, _names(m))), None)


def _names(model: GpuModel) -> tuple[str, ...]:
    return (model.name, model.title, *model.aliases)


def _generation(arch: str) -> str:
    """An architecture as a device tells it: "sm_90" for what is lowered as "sm_90a"."""
    return arch[:-1] if re.fullmatch(r"sm_\d+[af]", arch) else arch


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.lower())
