"""Has Nsight Compute read the counters of one launch, or says in a sentence why it cannot."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from workbench.core.counters import refusals
from workbench.core.counters.nsight import find_ncu
from workbench.core.counters.quantities import QUANTITIES, wanted
from workbench.core.profiles import CounterReport, ProfileRequest
from workbench.core.targets.model import Target, Vendor
from workbench.engine import cache, environment
from workbench.engine.compiling import Report
from workbench.engine.device.ncu_process import RefusedError, run_within
from workbench.engine.device.ncu_profile import FULL, NcuProfile, in_container, why_not

_QUERY_SECONDS = 120
# What is derived of the launch and of the code, which the query does not list.
_DERIVED = ("launch__", "memory_", "sm__maximum_warps_", "inst_executed")
_NAMED = re.compile(r"^([a-z]\w*__[\w.]+)\s", re.MULTILINE)
_VERSION = re.compile(r"Version (\S+)")


def read_counters(request: ProfileRequest, report: Report) -> CounterReport | str:
    """The counters of one launch of the request's kernel; else why not, and what to change."""
    try:
        ncu = _program(request)
        version = version_of(ncu)
        report("asking Nsight Compute what it can count", 0.0)
        names = listed_metrics(ncu, version, request.device)
        metrics = wanted(names, full=request.counter_set == FULL)
        with tempfile.TemporaryDirectory(prefix="ncu-") as folder:
            found = NcuProfile(ncu, request, Path(folder), report).counters(metrics)
        return replace(found, tool=f"{found.tool} {version}") if version else found
    except RefusedError as refused:
        return str(refused)


def may_read_counters() -> str | None:
    """Why this process may not read an NVIDIA GPU's counters, and what to change; None: it may.

    By what can be seen without a launch: another program may hold them all the same.
    """
    if find_ncu() is None:
        return refusals.NO_NCU
    if refusals.is_restricted(_text(refusals.DRIVER_PARAMETERS), _text("/proc/self/status")):
        return refusals.permission(in_container())
    return None


def version_of(ncu: Path) -> str | None:
    """The version of Nsight Compute; raises RefusedError where it cannot be run."""
    found = _VERSION.search(run_within([str(ncu), "--version"], _QUERY_SECONDS).output)
    return found[1] if found else None


def listed_metrics(ncu: Path, version: str | None, device: int) -> tuple[str, ...]:
    """The metrics that a version of `ncu` has for a GPU, without their last parts.

    What it derives of a launch is not listed, and is added as we name it. Raises RefusedError.
    """

    def ask() -> dict[str, list[str]]:
        done = run_within([str(ncu), "--query-metrics", "--devices", str(device)], _QUERY_SECONDS)
        names = _NAMED.findall(done.output)
        if not names:
            raise RefusedError(why_not(done, "Nsight Compute lists no counters for this GPU"))
        return {"names": names}

    key = cache.digest("ncu metrics", version, environment.devices(), device)
    plain, _ = cache.remembered(cache.disk_cache(), key, ask)
    return (*plain["names"], *_derived())


def _derived() -> list[str]:
    every = (name for quantity in QUANTITIES for name in quantity.metrics)
    return [name for name in every if name.startswith(_DERIVED)]


def _program(request: ProfileRequest) -> Path:
    if Target.from_json(dict(request.target)).arch.vendor is not Vendor.NVIDIA:
        raise RefusedError(refusals.OTHER_VENDOR)
    refused = may_read_counters()
    ncu = find_ncu()
    if refused is not None or ncu is None:
        raise RefusedError(refused or refusals.NO_NCU)
    return ncu


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""  # no Linux, or no driver of NVIDIA's
