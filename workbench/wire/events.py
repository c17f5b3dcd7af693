"""What a worker says of its jobs: the events of a worker's life, decoded from frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.jobs import Failure
from workbench.core.plain import from_plain, to_plain
from workbench.wire.frames import Frame
from workbench.wire.messages import PROTOCOL_MAX, PROTOCOL_MIN


class ProtocolError(Exception):
    """The other side speaks no common version, or sent what this side does not know."""


@dataclass(frozen=True)
class Hello:
    """A worker's first event: the protocol range it speaks and the versions it found."""

    protocol_min: int
    protocol_max: int
    python: str
    pid: int
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExecutorReady:
    """An executor of `lane` has loaded its packages; `devices` are the GPUs that it sees."""

    lane: str
    pid: int
    versions: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Started:
    """A job has left the queue."""

    job: str


@dataclass(frozen=True)
class Progress:
    """How far a job is: `fraction` from 0 to 1, or None where it cannot be told."""

    job: str
    text: str
    fraction: float | None = None


@dataclass(frozen=True)
class LogLine:
    """A line that a job, its compilers or its kernel file printed."""

    lane: str
    text: str
    job: str | None = None


@dataclass(frozen=True)
class Ended:
    """The one last event of a job: "done", "failed" or "cancelled".

    `result` is plain data, see `wire.messages`. A failed job has `failure`; where its process
    died, `signal` names why and `log_tail` holds its last lines. `spent` asks the supervisor for
    another executor before the next job: this one may hold what would disturb it.
    """

    job: str
    outcome: str
    result: Any = None
    failure: Failure | None = None
    signal: str | None = None
    log_tail: tuple[str, ...] = ()
    blobs: tuple[bytes, ...] = ()
    spent: bool = False


Event = Hello | ExecutorReady | Started | Progress | LogLine | Ended
_TYPES: dict[str, type[Any]] = {
    "hello": Hello,
    "executor_ready": ExecutorReady,
    "started": Started,
    "progress": Progress,
    "log": LogLine,
    "ended": Ended,
}
_NAMES = {cls: name for name, cls in _TYPES.items()}


def encode_event(event: Event) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """The header and blobs of a frame that carries `event`."""
    header = {"type": _NAMES[type(event)], **to_plain(_without_blobs(event))}
    return header, event.blobs if isinstance(event, Ended) else ()


def decode_event(frame: Frame) -> Event | None:
    """The event in a frame; None where a newer worker sent a type unknown here."""
    cls = _TYPES.get(frame.header.get("type", ""))
    if cls is None:
        return None
    data = {**frame.header, "blobs": list(frame.blobs)} if cls is Ended else frame.header
    event: Event = from_plain(cls, data)
    return event


def _without_blobs(event: Event) -> Any:
    if not isinstance(event, Ended):
        return event
    return {k: v for k, v in vars(event).items() if k != "blobs"}


def check_protocol(hello: Hello) -> int:
    """The newest protocol version that both sides speak; raises ProtocolError naming both."""
    version = min(hello.protocol_max, PROTOCOL_MAX)
    if version < max(hello.protocol_min, PROTOCOL_MIN):
        raise ProtocolError(
            f"the worker speaks protocol {hello.protocol_min} to {hello.protocol_max}, "
            f"this workbench {PROTOCOL_MIN} to {PROTOCOL_MAX}: install the same version on both"
        )
    return version
