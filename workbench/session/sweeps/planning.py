"""What a sweep is made of where the person does not say: cases, targets, places, the backend."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.selection import SelectionError, default_kernel, unreadable
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.hosts import LOCAL
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import JournalError
from workbench.core.sweeps.model import SweepPlan
from workbench.core.targets.devices import UnknownDeviceError, target_of_device
from workbench.core.targets.table import TargetTable
from workbench.session.hosts.pool import hosts_file
from workbench.session.machine import inspect_machine
from workbench.session.sweeps.backend import Backend, BackendError
from workbench.session.sweeps.lanes import LaneBackend
from workbench.wire.messages import Limits

_CANCEL_SECONDS = 20.0
_POLL_SECONDS = 0.02
_ALL = "all"


def kernel_of(document: Document, name: str | None) -> Kernel:
    """The kernel that is swept; raises SelectionError."""
    faults = unreadable(document)
    if faults:
        line = f"line {faults[0].range.line}: " if faults[0].range else ""
        raise SelectionError(f"{document.path}, {line}{faults[0].message}")
    wanted = name or default_kernel(document)
    if wanted is None:
        raise SelectionError(f"{document.path} defines no kernel.")
    found = document.kernel(wanted)
    if found is None:
        known = [kernel.name for kernel in document.kernels]
        raise SelectionError(
            f"{document.path} has no kernel `{wanted}`{did_you_mean(wanted, known)}"
        )
    return found


def case_names(cases: Sequence[Case], wanted: str | None) -> tuple[str, ...]:
    """The cases that `--case` means, "all" being every one; raises SelectionError."""
    known = [case.name for case in cases] or ["default"]
    if wanted is None:
        return (known[0],)
    if wanted == _ALL:
        return tuple(known)
    names = tuple(dict.fromkeys(name.strip() for name in wanted.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise SelectionError(f"the document has no case `{name}`{did_you_mean(name, known)}")
    return names


def target_names(
    wanted: Sequence[str],
    cases: Sequence[Case],
    chosen: Sequence[str],
    fallback: Sequence[str],
    table: TargetTable,
    places: Sequence[str] = (),
) -> tuple[str, ...]:
    """The targets named; else that of this machine's GPU where it measures; else the cases' first.

    One target unless several are named: the fastest of all points is a configuration for one GPU.
    """
    if wanted:
        return tuple(dict.fromkeys(wanted))
    if LOCAL in places and (own := _own_target(table)) is not None:
        return (own,)
    of_cases = [name for case in cases if case.name in chosen for name in case.targets]
    return tuple(of_cases or fallback)[:1]


def _own_target(table: TargetTable) -> str | None:
    names = inspect_machine().gpus
    if not names:
        return None
    try:
        return target_of_device(names[0], None, table).target.name
    except UnknownDeviceError:
        return None


def usual_places() -> tuple[str, ...]:
    """This machine where it has a GPU, else nowhere: then points are predicted alone."""
    return (LOCAL,) if inspect_machine().gpus else ()


def require_gpu(plan: SweepPlan) -> None:
    """See that this machine has a GPU where a plan has it measure; raises BackendError."""
    if plan.scheduler is not None or LOCAL not in plan.places:
        return
    machine = inspect_machine()
    if not machine.gpus and not machine.nvidia_driver:
        raise BackendError(
            "no GPU is to be seen on this machine, so nothing can be measured here, and no sweep "
            "was begun. With --on none every configuration is predicted; a host's GPUs measure "
            "with --on HOST (hosts add HOST -- ssh HOST)"
        )


def backend_of(plan: SweepPlan, limits: Limits, on_text: Callable[[str], None]) -> Backend:
    """Where a plan's tasks run; raises BackendError."""
    if plan.scheduler is not None:
        from workbench.session.sweeps.dask_backend import DaskBackend  # Dask is an extra

        return DaskBackend(plan.scheduler, limits, on_text)
    known = hosts_file().load()
    hosts = []
    for name in plan.places:
        host = known.get(name)
        if host is None:
            raise BackendError(f"there is no host called {name} any more: see 'hosts list'")
        hosts.append(host)
    return LaneBackend(hosts, plan.devices, plan.cpu_jobs, limits, on_text)


def cancel(folder: Path) -> float:
    """End a sweep that a process runs, and return the seconds that it took.

    Raises journal.JournalError where none runs or it does not end.
    """
    process = journal.runner_of(folder)
    if process is None:
        raise JournalError(f"the sweep {folder.name} is not running")
    began = time.monotonic()
    try:
        os.kill(process, signal.SIGTERM)
    except OSError as error:
        raise JournalError(f"process {process} cannot be ended: {error}") from error
    while time.monotonic() - began < _CANCEL_SECONDS:
        if journal.runner_of(folder) is None:
            return time.monotonic() - began
        time.sleep(_POLL_SECONDS)
    raise JournalError(f"process {process} did not end within {_CANCEL_SECONDS:.0f} s")
