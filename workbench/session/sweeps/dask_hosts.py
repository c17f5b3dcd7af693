"""One host of a Dask cluster: what is on it, and the ssh at whose end its workers run."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.core.hosts import DEFAULT_PYTHON, Host, HostError, make_host
from workbench.session.hosts.arrival import NO_QUESTIONS
from workbench.session.hosts.command_lines import python_words
from workbench.session.hosts.pool import hosts_file
from workbench.session.hosts.reasons import last_line, lost, not_reached, refusal
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import GPU_RESOURCE, LOOPBACK, distributed

_HERE = Path(__file__).parent
_MARK = "TLW-DASK "  # as dask_probe.py writes it
_PROBE_SECONDS = 90.0
_MOST_STARTS = 3  # a port that was free may be taken by the time that it is listened on
_LOG_LINES = 200
_FORWARDING = re.compile(
    r"port forwarding|local forwarding|cannot listen|administratively prohibited", re.IGNORECASE
)
_PORT = re.compile(r"(?P<name>[^:]+):(?P<port>\d+)")


@dataclass(frozen=True)
class Found:
    """What a host's Python has. `gpus` are what CUDA_VISIBLE_DEVICES would be for each."""

    host: Host
    cpus: int
    gpus: tuple[str, ...]
    ports: tuple[int, ...]


@dataclass(frozen=True)
class WorkerPlan:
    """A Dask worker to start; `gpu` None is one without."""

    name: str
    threads: int
    gpu: str | None


def hosts_of(address: str, names: str, python: str | None) -> tuple[Host, ...]:
    """The hosts that an address names: those of the list, else what ssh makes of the name.

    Raises BackendError.
    """
    wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not wanted:
        raise BackendError(f"--scheduler {address} names no host: ssh://gpu1,gpu2")
    known = hosts_file().load()
    return tuple(_host(address, name, known.get(name), python) for name in wanted)


def _host(address: str, name: str, known: Host | None, python: str | None) -> Host:
    if known is not None:
        if not known.command or PurePosixPath(known.command[0]).name != "ssh":
            raise BackendError(
                f"--scheduler {address}: {name} is reached by '{known.command_line}', and Dask's "
                f"connections go through ssh. Use the host itself: --on {name}"
            )
        return known
    match = _PORT.fullmatch(name)
    destination, port = (match["name"], (f"-p{match['port']}",)) if match else (name, ())
    try:
        return make_host(destination, ("ssh", *port, destination), python or DEFAULT_PYTHON)
    except HostError as error:
        raise BackendError(f"--scheduler {address}: {error}") from error


def look_at(host: Host) -> Found:
    """Ask a host what it has; raises BackendError where no Dask worker could run there."""
    words = python_words(host, _HERE / "dask_probe.py")
    try:
        ended = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            env={**os.environ, **NO_QUESTIONS},
        )
    except FileNotFoundError as error:
        raise BackendError(_no_ssh(words[0])) from error
    except subprocess.TimeoutExpired as error:
        raise BackendError(
            f"{host.name} did not say within {_PROBE_SECONDS:.0f} s what it has: try "
            f"'{host.command_line} {host.python} -V' in a terminal"
        ) from error
    lines = ended.stdout.decode("utf-8", "replace").splitlines()
    said = next((line for line in lines if line.startswith(_MARK)), None)
    if said is None:
        log = ended.stderr.decode("utf-8", "replace").splitlines()
        raise BackendError(not_reached(host, ended.returncode, [*lines, *log]).text)
    return _found(host, json.loads(said[len(_MARK) :]))


def _no_ssh(program: str) -> str:
    return (
        f"there is no '{program}' on this machine, which reaches the hosts: install OpenSSH's "
        "client, or correct the host's command with 'hosts edit'"
    )


def _found(host: Host, said: Mapping[str, Any]) -> Found:
    if "error" in said:
        raise BackendError(refusal(host, said).text)
    if said["missing"]:
        raise BackendError(_missing(host, said))
    ours, theirs = str(distributed().__version__), str(said["distributed"])
    if ours.split(".")[:2] != theirs.split(".")[:2]:
        raise BackendError(
            f"{host.name} has distributed {theirs} and this machine {ours}, and Dask speaks with "
            f"its own version alone: {_install(host, f'distributed=={ours}')}"
        )
    return Found(host, int(said["cpus"]), tuple(said["gpus"]), tuple(said["ports"]))


def _missing(host: Host, said: Mapping[str, Any]) -> str:
    ours = distributed().__version__
    wanted = [f"distributed=={ours}" if n == "distributed" else n for n in said["missing"]]
    names = ", ".join(f"'{name}'" for name in said["missing"])
    return (
        f"the Python of {host.name} ({said['executable']}, {said['python']}) has no {names}, which "
        f"a worker of a sweep needs: {_install(host, *wanted)}, or name a Python that has them: "
        f"'hosts edit {host.name} --python PATH', or ?python=PATH at the end of the address"
    )


def _install(host: Host, *packages: str) -> str:
    return f"run '{host.command_line} {host.python} -m pip install {' '.join(packages)}'"


class Link:
    """The ssh that runs a host's workers and carries what they and the scheduler say.

    The scheduler listens on `scheduler_port` of this machine's loopback; there it is found on a
    port of the host's, and each worker on a port of this machine's. `secret` is the keys as JSON.
    """

    def __init__(
        self, found: Found, workers: Sequence[WorkerPlan], scheduler_port: int, secret: str
    ) -> None:
        self.host = found.host
        self._workers = workers
        self._scheduler_port = scheduler_port
        self._secret = secret
        self._starts = 0
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._start(found.ports)

    @property
    def is_over(self) -> bool:
        """Whether the connection, and so its workers, are gone."""
        return self._process.poll() is not None

    def start_again(self) -> bool:
        """Try with other ports where one was taken; whether that is worth it."""
        if self._starts >= _MOST_STARTS or not self._is_about_ports():
            return False
        self._end(0)
        self._start(look_at(self.host).ports)
        return True

    def why_not_started(self) -> str:
        """Why there are no workers, in a sentence with its cure."""
        if self._is_about_ports():
            return (
                f"ssh could not forward a port to {self.host.name}: {last_line(list(self._log))} "
                "See that its sshd_config has not 'AllowTcpForwarding no', and that no LocalForward"
                " of ~/.ssh/config is in use; or start a Dask scheduler yourself and give its "
                "address"
            )
        return self.why_lost()

    def why_lost(self) -> str:
        """Why the workers are gone."""
        return lost(self.host, self._process.poll(), list(self._log)).text

    def last_words(self) -> str:
        """What the host printed last, with its name; "" where it printed nothing."""
        said = last_line(list(self._log))
        return f"{self.host.name} said: {said}" if said else ""

    def close(self, seconds: float) -> None:
        """Let the workers end, and cut the connection after so long."""
        self._end(seconds)

    def _start(self, ports: Sequence[int]) -> None:
        self._starts += 1
        self._log.clear()
        far, here = ports[0], _free_ports(len(self._workers))
        there = ports[1 : 1 + len(self._workers)]
        words = python_words(
            self.host, _HERE / "dask_boot.py", ssh_words=self._forwards(far, here, there)
        )
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **NO_QUESTIONS},
            start_new_session=True,  # a Ctrl+C in the terminal lets the sweep end it
        )
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        told = json.dumps(self._told(far, here, there)).encode() + b"\n"
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, and its log says why
            self._process.stdin.write(told)
            self._process.stdin.flush()

    def _forwards(self, far: int, here: Sequence[int], there: Sequence[int]) -> tuple[str, ...]:
        back = f"-R{LOOPBACK}:{far}:{LOOPBACK}:{self._scheduler_port}"
        pairs = zip(here, there, strict=True)
        forth = [f"-L{LOOPBACK}:{own}:{LOOPBACK}:{theirs}" for own, theirs in pairs]
        return ("-x", "-oExitOnForwardFailure=yes", "-oControlPath=none", back, *forth)

    def _told(self, far: int, here: Sequence[int], there: Sequence[int]) -> dict[str, Any]:
        """What dask_boot.py reads."""
        workers = [
            {
                "name": worker.name,
                "threads": worker.threads,
                "port": theirs,
                "contact": f"tls://{LOOPBACK}:{own}",
                "resources": {} if worker.gpu is None else {GPU_RESOURCE: 1},
                "environment": {} if worker.gpu is None else {"CUDA_VISIBLE_DEVICES": worker.gpu},
            }
            for worker, own, theirs in zip(self._workers, here, there, strict=True)
        ]
        scheduler = f"tls://{LOOPBACK}:{far}"
        return {
            "scheduler": scheduler,
            "security": json.loads(self._secret),
            "workers": workers,
        }

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._log.append(line.decode("utf-8", "replace").rstrip())

    def _is_about_ports(self) -> bool:
        return any(_FORWARDING.search(line) for line in self._log)

    def _end(self, seconds: float) -> None:
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended by itself
            process.stdin.close()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(count: int) -> list[int]:
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.bind((LOOPBACK, 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports
