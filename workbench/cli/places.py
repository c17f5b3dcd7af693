"""`--on`: where an invocation's kernels run, and the worker that is there."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator

from workbench.cli.status import UsageError
from workbench.core.hosts import LOCAL, Host
from workbench.core.jobs import Source
from workbench.core.runs import LOCAL_HOST
from workbench.session.batch import BatchWorker
from workbench.session.hosts.arrival import worker_on
from workbench.session.hosts.local_modules import CarryError, source_at
from workbench.session.hosts.places import SIMULATOR, Place, PlaceError, parse_place
from workbench.session.hosts.pool import hosts_file
from workbench.session.worker_client import WorkerStartError

_MOST_FAR_LANES = 2  # how many processors a host has is not known before


def add_on_option(parser: argparse.ArgumentParser, default: str = SIMULATOR) -> None:
    """`--on PLACE`."""
    parser.add_argument(
        "--on",
        metavar="PLACE",
        default=default,
        help="where the kernel runs: simulator, cpu, local (this machine's GPU), HOST (the GPU of "
        f"a host of 'hosts list'), HOST:simulator or HOST:cpu ({default})",
    )


def place_of(options: argparse.Namespace) -> Place:
    """The place that `--on` names; raises UsageError with the nearest name."""
    hosts = hosts_file().load()
    for problem in hosts.problems:
        print(f"warning: {problem}", file=sys.stderr)
    try:
        return parse_place(options.on, hosts.names)
    except PlaceError as error:
        raise UsageError(str(error)) from error


def host_of(place: Place) -> Host:
    """The host of a place; raises UsageError."""
    found = hosts_file().load().get(place.host)
    if found is None:
        raise UsageError(f"there is no host called {place.host}")
    return found


def recorded_host(place: Place) -> str:
    """The host as runs and results name it."""
    return LOCAL_HOST if place.host == LOCAL else place.host


def source_for(place: Place, source: Source) -> Source:
    """The source as the worker of a place gets it; raises UsageError."""
    try:
        return source_at(place.host, source)
    except CarryError as error:
        raise UsageError(str(error)) from error


@contextlib.contextmanager
def worker_at(place: Place) -> Iterator[BatchWorker]:
    """The worker of a place for some batches; raises UsageError where it cannot be started."""
    lanes = 1 if place.is_device else None if place.host == LOCAL else _MOST_FAR_LANES
    try:
        worker = BatchWorker(worker_on(host_of(place)), lanes)
    except WorkerStartError as error:
        raise UsageError(f"{error}") from error
    with worker:
        yield worker
