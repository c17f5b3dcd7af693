"""Dask clusters for a sweep: one that runs already, or one that is started on hosts or by Slurm."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from workbench.core.documents.suggestions import did_you_mean
from workbench.session.sweeps.backend import BackendError

EXTRA = "pip install 'tilelang-workbench[cluster]'"
#: What a Dask worker is called that has one GPU to itself.
GPU_RESOURCE = "GPU"
START_SECONDS = 120.0
LOOPBACK = "127.0.0.1"
_CONNECT_SECONDS = 15.0
_PLAIN = "plain"
#: A Dask server opens an HTTP port whatever one asks for: ours tell nothing there, on loopback.
QUIET: Mapping[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}

OnText = Callable[[str], None]


def _nothing_awaited() -> str | None:
    return None


@dataclass(frozen=True)
class Cluster:
    """A Dask client that is connected; `close` ends it and what was started for it.

    `awaited` says what a cluster without workers waits for, however long that takes; None where
    nothing is known of. It raises BackendError where no worker will come any more.
    """

    client: Any
    title: str
    close: Callable[[], None]
    awaited: Callable[[], str | None] = _nothing_awaited


def connect(text: str, on_text: OnText = lambda text: None) -> Cluster:
    """The cluster that `--scheduler` names; raises BackendError.

    `tcp://host:port` and `tls://host:port` are schedulers that run already (keys for TLS come from
    Dask's own configuration); `ssh://host,host` starts workers on hosts that ssh reaches;
    `slurm://?queue=gpu&jobs=4` has Slurm start them.
    """
    kind, sign, rest = text.partition("://")
    start = _STARTERS.get(kind)
    if not sign or start is None:
        known = ", ".join(f"{name}://" for name in _STARTERS)
        raise BackendError(f"--scheduler {text}: an address begins with one of {known}")
    distributed()
    for name in ("distributed", "distributed.client"):  # what goes wrong is told as the sweep's own
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return start(text, rest, on_text)


def distributed() -> Any:
    """The module `distributed`; raises BackendError where it is not installed."""
    try:
        import distributed as found
    except ImportError as error:
        raise BackendError(f"a Dask cluster needs the extra 'cluster': {EXTRA}") from error
    return found


def options_of(address: str, query: str, known: Mapping[str, str]) -> dict[str, str]:
    """What follows the question mark of an address; `known` are the names with what they take."""
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name in options:
        if name not in known:
            told = did_you_mean(name, list(known))
            raise BackendError(f"--scheduler {address}: {name} is none of its options{told}")
    return options


def whole_number(address: str, options: Mapping[str, str], name: str, least: int = 1) -> int | None:
    """An option that is a number; None where it was not given."""
    text = options.get(name)
    if text is None:
        return None
    if not text.isdecimal() or int(text) < least:
        raise BackendError(
            f"--scheduler {address}: {name} must be a whole number from {least} on, not {text!r}"
        )
    return int(text)


def client_of(cluster: Any, seconds: float = START_SECONDS) -> Any:
    """Dask's client of an address or a cluster; raises what Dask does where it does not connect."""

    class Client(distributed().Client):  # type: ignore[misc]
        def __init__(self) -> None:
            try:
                super().__init__(cluster, timeout=seconds, set_as_default=False)
            except BaseException:
                self.status = "closed"  # WORKAROUND: else its end waits 30 s for its own thread
                raise

    return Client()


def temporary_keys() -> Any:
    """A certificate and a key for this sweep alone, as Dask makes them; raises BackendError."""
    try:
        return distributed().Security.temporary()
    except ImportError as error:  # Dask makes them with the library cryptography
        raise BackendError(f"TLS for Dask needs the extra 'cluster': {EXTRA}") from error


def dashboard_options(port: int | None) -> dict[str, Any]:
    """A scheduler's options for no dashboard, or for one on a port of this machine alone."""
    return {"dashboard": port is not None, "dashboard_address": f"{LOOPBACK}:{port or 0}"}


def quiet_unless(port: int | None) -> dict[str, Any]:
    """Dask's configuration while a scheduler starts that tells nothing by HTTP, or does."""
    return {} if port is not None else dict(QUIET)


def _running(text: str, rest: str, on_text: OnText) -> Cluster:
    address, _, query = text.partition("?")
    options = options_of(text, query, {_PLAIN: "yes"})
    _check_reach(address, options.get(_PLAIN) == "yes")
    try:
        client = client_of(address, _CONNECT_SECONDS)
    except Exception as error:  # the words of a server that is no scheduler are taken for anything
        raise BackendError(_not_connected(address, error)) from error
    return Cluster(client, f"Dask at {address}", client.close)


def _check_reach(address: str, is_plain: bool) -> None:
    """Refuse what is neither on this machine nor encrypted, unless the person said so."""
    parts = urlsplit(address)
    try:
        has_port = parts.port is not None
    except ValueError:
        has_port = False
    if not parts.hostname or not has_port:
        raise BackendError(f"--scheduler {address}: an address is {parts.scheme}://HOST:PORT")
    if parts.scheme == "tls" or is_plain or _is_loopback(parts.hostname):
        return
    raise BackendError(
        f"--scheduler {address}: whoever reaches that port, or listens on the way, can run code "
        "there and here. Use TLS (tls://HOST:PORT, with the keys in Dask's configuration) or a "
        f"tunnel (ssh -L {parts.port}:127.0.0.1:{parts.port} {parts.hostname}, then "
        f"tcp://127.0.0.1:{parts.port}); where the network is yours alone: {address}?{_PLAIN}=yes"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _not_connected(address: str, error: Exception) -> str:
    said = str(error.__cause__ or error) or type(error).__name__
    if "TLS" in said and ("certificate" in said or "ca_file" in said or "ssl_context" in said):
        cure = (
            "Name the keys in Dask's configuration: distributed.comm.tls.ca-file, client.cert and "
            "client.key"
        )
        return f"{address} needs keys for TLS: {said}. {cure}"
    return (
        f"no Dask scheduler answers at {address}: {said}. See that the address is the one that "
        "'dask scheduler' printed and that its port is open to this machine. Start one with 'dask "
        "scheduler', and workers with 'dask worker ADDRESS --resources GPU=1'"
    )


def _ssh(text: str, rest: str, on_text: OnText) -> Cluster:
    from workbench.session.sweeps import dask_ssh

    return dask_ssh.start(text, rest, on_text)


def _slurm(text: str, rest: str, on_text: OnText) -> Cluster:
    from workbench.session.sweeps import dask_slurm

    return dask_slurm.start(text, rest, on_text)


_STARTERS: dict[str, Callable[[str, str, OnText], Cluster]] = {
    "tcp": _running,
    "tls": _running,
    "ssh": _ssh,
    "slurm": _slurm,
}
