"""Makes runs of files that a profiler wrote: Nsight Compute's reports and tables."""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone
from pathlib import Path

from workbench.core.counters.metrics import counter_metrics, counters_artifact
from workbench.core.counters.reports import read_counter_file
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.runs import Metric, Run, RunKind, RunStatus
from workbench.core.targets.devices import UnknownDeviceError, target_of_device
from workbench.core.targets.table import load_targets

#: The time of the launch that was profiled, under the name that a latency and an estimate have.
TIME, PROFILED_TIME = "time_us", "profiled_time_us"
_ID_DIGITS = 20


def runs_of_file(path: Path) -> tuple[tuple[Run, tuple[bytes, ...]], ...]:
    """A run for each launch in the file, with the contents that it refers to.

    The same counters give the same ids, whatever the file is called and however it is packed. A
    run's time is the file's. Raises CounterFileError and OSError.
    """
    report = read_counter_file(path)
    created = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)
    return tuple(_run(path.name, report, number, created) for number in range(len(report.kernels)))


def _run(
    name: str, report: CounterReport, number: int, created: datetime
) -> tuple[Run, tuple[bytes, ...]]:
    kernel = report.kernels[number]
    artifact, content = counters_artifact(CounterReport(report.tool, (kernel,), report.notes))
    run = Run(
        id=_id(artifact.blob, number),
        created=created,
        kind=RunKind.PROFILE,
        status=RunStatus.DONE,
        kernel=kernel.name,
        target=_target(kernel),
        device=kernel.device,
        metrics=_metrics(kernel, report.tool),
        artifacts=(artifact,),
        origin=name,
    )
    return run, (content,)


def _metrics(kernel: KernelCounters, tool: str) -> dict[str, Metric]:
    """The quantities, the time also under the name that times of other runs have."""
    found = counter_metrics(kernel, tool)
    time = found.get(PROFILED_TIME)
    return found if time is None else {TIME: time, **found}


def _target(kernel: KernelCounters) -> str | None:
    """The target of the device that was profiled; None where it is not told or not known."""
    if kernel.device is None:
        return None
    try:
        return target_of_device(kernel.device, kernel.arch, load_targets()).target.name
    except UnknownDeviceError:
        return None


def _id(counters: str, number: int) -> str:
    """The id of a launch, by the hash of its counters and its number in the file."""
    return hashlib.sha256(f"{counters}.{number}".encode()).hexdigest()[:_ID_DIGITS]
