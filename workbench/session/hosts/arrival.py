"""The session's part of a worker's arrival on a host: sends its code, or says why not."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from workbench.core.hosts import Host
from workbench.session.arrivals import ArrivalError
from workbench.session.hosts.archive import worker_archive
from workbench.session.hosts.command_lines import worker_words
from workbench.session.hosts.reasons import lost, not_reached, refusal
from workbench.session.worker_client import WorkerCommand, local_worker

_MARK = b"TLW-ARRIVAL "  # as worker/arrival.py writes it
_LINE_BYTES = 64 * 1024
MOST_BANNER_BYTES = 1024**2
#: Also the ssh of a jump host, which does not get our options, opens no window to ask in.
NO_QUESTIONS = {"SSH_ASKPASS_REQUIRE": "never"}


@dataclass(frozen=True)
class Arrived:
    """What the far side said of itself. `banner` are lines that something there printed first."""

    python: str
    executable: str
    node: str
    sent: bool
    banner: tuple[str, ...] = ()


class Arrival:
    """Brings the worker's code to one host at each start of its command."""

    def __init__(self, host: Host, on_arrived: Callable[[Arrived], None] | None = None) -> None:
        self._host = host
        self._on_arrived = on_arrived

    def open(self, requests: IO[bytes], events: IO[bytes]) -> None:
        """Go through the exchange before the first frame; raises ArrivalError, OSError."""
        banner: list[str] = []
        first = self._message(events, banner)
        if first["need"]:
            with contextlib.suppress(BrokenPipeError):  # why it was not wanted is said next
                requests.write(worker_archive().message)
                requests.flush()
        self._message(events, banner)
        if self._on_arrived is not None:
            said = {name: str(first.get(name, "")) for name in ("python", "executable", "node")}
            self._on_arrived(Arrived(**said, sent=bool(first["need"]), banner=tuple(banner)))

    def reason(self, status: int | None, log: Sequence[str], is_open: bool) -> str:
        """Why the worker is gone, whose command ended with a status and printed these lines."""
        return (lost if is_open else not_reached)(self._host, status, log).text

    def _message(self, events: IO[bytes], banner: list[str]) -> Mapping[str, Any]:
        """The next message of the receiving code; what others print before it is a banner."""
        skipped = 0
        while line := events.readline(_LINE_BYTES):
            if line.startswith(_MARK):
                return self._read(line[len(_MARK) :])
            skipped += len(line)
            if skipped > MOST_BANNER_BYTES:
                raise ArrivalError(_endless(self._host))
            if line.strip():
                banner.append(line.decode("utf-8", "replace").rstrip())
        raise ArrivalError("")

    def _read(self, text: bytes) -> Mapping[str, Any]:
        message: dict[str, Any] = json.loads(text)
        if "error" in message:
            raise ArrivalError(refusal(self._host, message).text)
        return message


def worker_on(host: Host, on_arrived: Callable[[Arrived], None] | None = None) -> WorkerCommand:
    """How a worker is started on a host; `on_arrived` hears from a thread what is there."""
    if host.is_local:
        return local_worker()
    environment = NO_QUESTIONS if host.command else dict(host.environment)
    return WorkerCommand(worker_words(host), environment, Arrival(host, on_arrived))


def _endless(host: Host) -> str:
    return (
        f"{host.name} prints without end before Python starts. See what its shell does when "
        f"nobody types: '{host.command_line} true' in a terminal."
    )
