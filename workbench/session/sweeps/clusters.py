"""Dask clusters for a sweep: one that runs already, or one that is started on hosts or by Slurm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.session.sweeps.backend import BackendError

EXTRA = "pip install 'tilelang-workbench[cluster]'"
START_SECONDS = 120.0
_CONNECT_SECONDS = 15.0
#: What a Dask worker is called that has one GPU to itself.
GPU_RESOURCE = "GPU"
#: No dashboard unless the person's own Dask configuration asks for one; nothing listens beyond this
#: machine but what has TLS or was started by the person.
_QUIET = {"dashboard": False}


@dataclass(frozen=True)
class Cluster:
    """A Dask client that is connected; `close` ends it and what was started for it."""

    client: Any
    title: str
    close: Callable[[], None]


def connect(text: str) -> Cluster:
    """The cluster that `--scheduler` names; raises BackendError.

    `tcp://host:port` and `tls://host:port` are schedulers that run already (keys for TLS come from
    Dask's own configuration); `ssh://host,host` starts one on hosts that ssh reaches, the first of
    which gets the scheduler; `slurm://?queue=gpu&jobs=4` has Slurm start the workers.
    """
    kind, sign, rest = text.partition("://")
    start = _STARTERS.get(kind)
    if not sign or start is None:
        known = ", ".join(f"{name}://" for name in _STARTERS)
        raise BackendError(f"--scheduler {text}: an address begins with one of {known}")
    distributed()
    return start(text, rest)


def distributed() -> Any:
    """The module `distributed`; raises BackendError where it is not installed."""
    try:
        import distributed as found
    except ImportError as error:
        raise BackendError(f"a Dask cluster needs the extra 'cluster': {EXTRA}") from error
    return found


def _running(address: str, rest: str) -> Cluster:
    dask = distributed()
    try:
        client = dask.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise BackendError(
            f"no Dask scheduler answers at {address}: {error or type(error).__name__}. Start one "
            "with 'dask scheduler', and workers with 'dask worker ADDRESS --resources GPU=1'"
        ) from error
    return Cluster(client, f"Dask at {address}", client.close)


def _ssh(address: str, rest: str) -> Cluster:
    """Dask's own SSHCluster: a scheduler on the first host, one worker with a GPU on each."""
    dask = distributed()
    hosts = [host for host in rest.split(",") if host]
    if not hosts:
        raise BackendError(f"--scheduler {address} names no host: ssh://gpu1,gpu2")
    try:
        from distributed import SSHCluster

        cluster = SSHCluster(
            [hosts[0], *hosts],
            worker_options={"nthreads": 1, "resources": {GPU_RESOURCE: 1}},
            scheduler_options=dict(_QUIET),
        )
        client = dask.Client(cluster, timeout=START_SECONDS, set_as_default=False)
    except ImportError as error:
        raise BackendError(f"hosts by ssh need the extra 'cluster': {EXTRA}") from error
    except (OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise BackendError(
            f"Dask could not start on {', '.join(hosts)}: {error}. See that 'ssh {hosts[0]} "
            "python3 -m distributed --help' works without a question"
        ) from error
    return Cluster(client, f"Dask on {', '.join(hosts)}", _closing(client, cluster))


def _slurm(address: str, rest: str) -> Cluster:
    """dask-jobqueue's SLURMCluster: `queue`, `account`, `jobs`, `cores`, `memory`, `walltime`."""
    dask = distributed()
    options = _slurm_options(address, rest)
    jobs = int(options.pop("jobs", "1"))
    try:
        from dask_jobqueue import SLURMCluster

        cluster = SLURMCluster(
            cores=int(options.pop("cores", "8")),
            memory=options.pop("memory", "32GB"),
            processes=1,
            worker_extra_args=["--resources", f"{GPU_RESOURCE}=1", "--nthreads", "1"],
            job_extra_directives=[f"--gres={options.pop('gres', 'gpu:1')}"],
            scheduler_options=dict(_QUIET),
            **options,
        )
        cluster.scale(jobs=jobs)
        client = dask.Client(cluster, timeout=START_SECONDS, set_as_default=False)
    except ImportError as error:
        raise BackendError(f"Slurm needs the extra 'cluster': {EXTRA}") from error
    except (OSError, RuntimeError, TimeoutError, ValueError, TypeError) as error:
        raise BackendError(f"Slurm did not start the workers ({address}): {error}") from error
    return Cluster(client, f"Dask by Slurm, {jobs} jobs", _closing(client, cluster))


_SLURM_NAMES = frozenset({"queue", "account", "jobs", "cores", "memory", "walltime", "gres"})


def _slurm_options(address: str, rest: str) -> dict[str, str]:
    from urllib.parse import parse_qsl

    options = dict(parse_qsl(rest.lstrip("/").lstrip("?")))
    unknown = sorted(set(options) - _SLURM_NAMES)
    if unknown:
        known = ", ".join(sorted(_SLURM_NAMES))
        raise BackendError(f"--scheduler {address}: {unknown[0]} is none of {known}")
    return options


def _closing(client: Any, cluster: Any) -> Callable[[], None]:
    def close() -> None:
        client.close()
        cluster.close()

    return close


_STARTERS: dict[str, Callable[[str, str], Cluster]] = {
    "tcp": _running,
    "tls": _running,
    "ssh": _ssh,
    "slurm": _slurm,
}
