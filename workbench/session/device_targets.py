"""Which target a document is lowered for where a GPU is to run it."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.hosts import LOCAL
from workbench.core.profiles import DeviceInfo
from workbench.core.runs import LOCAL_HOST
from workbench.core.targets.devices import UnknownDeviceError, target_of_device
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.hosts.places import Place
from workbench.session.hosts.pool import HostPool


def target_for(chosen: Sequence[str], place: Place, hosts: HostPool, table: TargetTable) -> Target:
    """The device's own target where it is known, as it was chosen if it was; else the first.

    Raises TargetError where a chosen name means nothing.
    """
    targets = [table.resolve(name) for name in chosen]
    name, arch = known_device(place, hosts)
    if name is None:
        return targets[0]
    try:
        own = target_of_device(name, arch, table).target
    except UnknownDeviceError:
        return targets[0]
    return next((each for each in targets if each.model == own.model), own)


def known_device(place: Place, hosts: HostPool) -> tuple[str | None, str | None]:
    """The name and architecture of a place's GPU, as far as they were told; None is unknown."""
    report = hosts.reports.get(place.host)
    if report is not None and report.probe is not None and report.probe.devices:
        device = report.probe.devices[0]
        return device.name, device.arch
    devices = hosts.controllers[LOCAL].state.devices
    return (devices[0], None) if place.host == LOCAL and devices else (None, None)


def own_target(asked: Target, device: DeviceInfo | None, table: TargetTable) -> Target:
    """The target that a measurement stands for: the device's own model, lowered as it was."""
    if device is None:
        return asked
    try:
        own = target_of_device(device.name, device.arch, table).target
    except TargetError:
        return asked
    return own if own.lowering_arch == asked.lowering_arch else asked


def host_title(place: Place) -> str:
    """The machine of a place as runs name it."""
    return LOCAL_HOST if place.host == LOCAL else place.host
