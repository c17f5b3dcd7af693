"""What is known of each host at a glance, for the choice of a place and for lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.hosts import Host
from workbench.session.hosts.pool import HostPool
from workbench.session.place_choices import HostGlance

if TYPE_CHECKING:
    from workbench.core.host_report import HostReport


def glances(pool: HostPool) -> tuple[HostGlance, ...]:
    """One of each host but this machine, in their order."""
    return tuple(
        glance(host, pool.reports.get(host.name)) for host in pool.hosts if not host.is_local
    )


def glance(host: Host, report: HostReport | None) -> HostGlance:
    """What the last test of a host said."""
    if report is None:
        return HostGlance(host)
    probe = report.probe
    if probe is None or not report.can("simulator"):
        first = next((lack.what for lack in report.lacks), "")
        return HostGlance(host, False, reason=_short(report.reason or first or "not reached"))
    names = tuple(device.name for device in probe.devices)
    lack = next((each.what for each in report.lacks if each.needed_for == "gpu"), "")
    return HostGlance(host, True, names, no_gpu=_short(lack))


def _short(text: str) -> str:
    """The first sentence, without its point."""
    return text.strip().partition("\n")[0].partition(". ")[0].rstrip(".")
