"""A Dask cluster on hosts that ssh reaches: the scheduler here, workers there, all through ssh.

Dask's own SSHCluster listens on every interface without TLS and wants ports open between the
machines. Here everything listens on loopback addresses, with TLS, and goes through the connection
that started the workers: nothing must be open but ssh, and the workers end with it.
"""

from __future__ import annotations

import functools
import json
import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from workbench.core.hosts import Host
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import (
    LOOPBACK,
    START_SECONDS,
    Cluster,
    OnText,
    client_of,
    dashboard_options,
    distributed,
    options_of,
    quiet_unless,
    temporary_keys,
    whole_number,
)
from workbench.session.sweeps.dask_hosts import Found, Link, WorkerPlan, hosts_of, look_at

_OPTIONS = {
    "python": "the Python of hosts that are not in the list of hosts",
    "gpus": "how many GPUs of each host to use, 0 for none",
    "threads": "jobs at a time of each worker",
    "dashboard": "a port of this machine",
}
_LOG = logging.getLogger(__name__)
_LOOK_SECONDS = 0.1
_CLOSE_SECONDS = 5.0


@dataclass
class _Started:
    """The scheduler of this process, and the connections with workers at their ends."""

    cluster: Any
    links: list[Link] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    client: Any = None

    def awaited(self) -> str | None:
        """Warn of each host that was lost; raises BackendError where all are."""
        lost = {link.host.name: link.why_lost() for link in self.links if link.is_over}
        for name in lost.keys() - self.told:
            self.told.add(name)
            _LOG.warning("%s The sweep goes on without %s.", lost[name], name)
        if len(lost) == len(self.links):
            raise BackendError(" ".join(lost.values()))
        return None

    def close(self) -> None:
        """End the workers of all hosts at the same time, then the scheduler."""
        if self.client is not None:
            self.client.close()
        with ThreadPoolExecutor(max(1, len(self.links))) as pool:
            list(pool.map(lambda link: link.close(_CLOSE_SECONDS), self.links))
        self.cluster.close()


def start(address: str, rest: str, on_text: OnText) -> Cluster:
    """The cluster on the hosts that an address names; raises BackendError."""
    names, _, query = rest.partition("?")
    options = options_of(address, query, _OPTIONS)
    port = whole_number(address, options, "dashboard")
    threads = whole_number(address, options, "threads")
    gpus = whole_number(address, options, "gpus", least=0)
    hosts = hosts_of(address, names, options.get("python"))
    keys = temporary_keys()
    on_text(f"looking at {', '.join(host.name for host in hosts)}")
    found = _look_at_all(hosts)
    started = _Started(_scheduler(keys, port))
    try:
        started.client = client_of(started.cluster)
        on_text(f"starting Dask workers on {', '.join(host.name for host in hosts)}")
        each = functools.partial(_plan, gpus=gpus, threads=threads)
        _start_all(started, [(one, each(one)) for one in found], keys)
    except BaseException:
        started.close()
        raise
    title = f"Dask on {', '.join(host.name for host in hosts)}"
    return Cluster(started.client, title, started.close, started.awaited)


def _look_at_all(hosts: Sequence[Host]) -> list[Found]:
    """What is on each host; raises BackendError with what is wrong with any of them."""
    with ThreadPoolExecutor(len(hosts)) as pool:
        asked = [pool.submit(look_at, host) for host in hosts]
    errors = [error for each in asked if (error := each.exception()) is not None]
    for error in errors:
        if not isinstance(error, BackendError):
            raise error
    if errors:
        raise BackendError(" ".join(str(error) for error in errors)) from errors[0]
    return [each.result() for each in asked]


def _scheduler(keys: Any, port: int | None) -> Any:
    import dask

    with dask.config.set(quiet_unless(port)):
        return distributed().LocalCluster(
            n_workers=0,
            host=LOOPBACK,
            protocol="tls://",
            security=keys,
            scheduler_kwargs=dashboard_options(port),
            silence_logs=50,
        )


def _plan(found: Found, gpus: int | None, threads: int | None) -> tuple[WorkerPlan, ...]:
    """One worker for each GPU that is used, else one without."""
    used: Sequence[str | None] = found.gpus[:gpus]
    used = used or [None]
    each = threads or max(1, min(8, found.cpus // len(used)))
    name = found.host.name
    return tuple(WorkerPlan(f"{name}-{number}", each, gpu) for number, gpu in enumerate(used))


def _start_all(
    started: _Started, plans: Sequence[tuple[Found, tuple[WorkerPlan, ...]]], keys: Any
) -> None:
    """Start the workers of every host, and wait until the scheduler has seen them."""
    secret = _for_workers(keys)
    port = int(started.cluster.scheduler_address.rpartition(":")[2])
    for found, workers in plans:
        started.links.append(Link(found, workers, port, secret))
    wanted = {worker.name for _, workers in plans for worker in workers}
    end = time.monotonic() + START_SECONDS
    while missing := wanted - _names(started.client):
        for link in started.links:
            if link.is_over and not link.start_again():
                raise BackendError(link.why_not_started())
        if time.monotonic() > end:
            raise BackendError(
                f"the Dask workers {', '.join(sorted(missing))} did not come within "
                f"{START_SECONDS:.0f} s. {' '.join(link.last_words() for link in started.links)}"
            )
        time.sleep(_LOOK_SECONDS)


def _names(client: Any) -> set[str]:
    workers: Mapping[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    return {str(worker["name"]) for worker in workers.values()}


def _for_workers(keys: Any) -> str:
    """The keys as JSON, which goes through the workers' input and stands nowhere else."""
    told = keys.get_tls_config_for_role("worker")
    return json.dumps(
        {
            "tls_ca_file": told["ca_file"],
            "tls_worker_cert": told["cert"],
            "tls_worker_key": told["key"],
        }
    )
