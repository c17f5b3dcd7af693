"""The session's end of a worker: starts it, sends jobs, and sees that each ends exactly once."""

from __future__ import annotations

import collections
import itertools
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import IO, Any

from workbench.core.exporting.model import ExportRequest
from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    ConfigurationsRequest,
    Failure,
    LinkedRequest,
    PassesRequest,
    ReferenceRequest,
    RunScriptRequest,
    VerifyRequest,
)
from workbench.core.plain import PlainError, to_plain
from workbench.core.profiles import ProfileRequest
from workbench.core.python_path import python_path
from workbench.core.user_folders import user_cache_folder
from workbench.session.arrivals import Arrival, ArrivalError
from workbench.session.heartbeat import Heartbeat
from workbench.session.worker_process import LOG_LINES, WorkerProcess
from workbench.wire.events import (
    Ended,
    Event,
    Hello,
    LogLine,
    ProtocolError,
    check_protocol,
    decode_event,
)
from workbench.wire.frames import FrameError, FrameWriter, read_frame
from workbench.wire.messages import SINCE, Limits

Request = (
    CompileRequest
    | AnalyzeRequest
    | VerifyRequest
    | ProfileRequest
    | PassesRequest
    | LinkedRequest
    | RunScriptRequest
    | ReferenceRequest
    | ConfigurationsRequest
    | ExportRequest
)
_MOMENT_SECONDS = 0.03  # who asks may be the window
KINDS: dict[type[Any], str] = {
    CompileRequest: "compile",
    AnalyzeRequest: "analyze",
    VerifyRequest: "verify",
    ProfileRequest: "profile",
    PassesRequest: "passes",
    LinkedRequest: "linked",
    RunScriptRequest: "run_script",
    ReferenceRequest: "reference",
    ConfigurationsRequest: "configurations",
    ExportRequest: "export",
}
EventHandler = Callable[[Event], None]


class WorkerStartError(Exception):
    """The worker's command cannot be run; the message names it."""


@dataclass(frozen=True)
class WorkerCommand:
    """How a worker is started; the supervisor must own the command's stdin and stdout.

    `arrival` is for a machine that has not got the worker's code.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    arrival: Arrival | None = None


def local_worker() -> WorkerCommand:
    """The worker of this machine, with this Python and this installation of the workbench."""
    environment = {
        "PYTHONPATH": python_path(),
        "TILELANG_WORKBENCH_CACHE": str(user_cache_folder()),
    }
    return WorkerCommand((sys.executable, "-m", "workbench.worker"), environment)


class WorkerClient:
    """One worker process and the jobs that it has; events come to `on_event` from a thread.

    Whatever happens, each submitted job gets one `Ended`: where the worker goes away, with the
    outcome "lost", the last lines that it printed and those of the worker.
    """

    def __init__(self, command: WorkerCommand, on_event: EventHandler) -> None:
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._open: dict[str, str] = {}  # kind by job
        self._is_deaf = False  # nothing more will be heard of this worker
        self._is_over = False  # and nobody waits for its last words any more
        self._protocol: int | None = None  # unknown until its first event
        self._lock = threading.Lock()
        self._printed: collections.deque[tuple[str | None, str]] = collections.deque(
            maxlen=LOG_LINES
        )
        self._arrival = command.arrival
        self._waiting: list[dict[str, Any]] | None = None if command.arrival is None else []
        self._why_not: str | None = None
        self._send_lock = threading.Lock()
        self._process = _start(command)
        self._writer = FrameWriter(self._process.stdin)
        self._heartbeat = Heartbeat(self._process.popen, self._send_lock, self._process.log.append)
        self._events = self._heartbeat.listen() if command.arrival else self._process.stdout
        self._reader = threading.Thread(target=self._read_events, name="worker-events", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The supervisor's process id (of the command, where that is ssh or the like)."""
        return self._process.popen.pid

    @property
    def alive(self) -> bool:
        """Whether the worker still runs and can be heard."""
        return not self._is_deaf and self._process.popen.poll() is None

    @property
    def log(self) -> tuple[str, ...]:
        """The last lines that the worker's command printed beside the protocol."""
        return tuple(self._process.log)

    def submit(self, request: Request, lane: str = "work", limits: Limits | None = None) -> str:
        """Queue a job in a lane and return its id; events may come before this returns."""
        kind = KINDS[type(request)]
        header = {
            "type": "submit",
            "kind": kind,
            "lane": lane,
            "limits": asdict(limits or Limits()),
            "payload": to_plain(request),
        }
        return self._begin(kind, header)

    def probe(self) -> str:
        """Ask what the worker's machine has; a job whose result is a `core.host_report.Probe`."""
        return self._begin("probe", {"type": "probe"})

    def _begin(self, kind: str, header: dict[str, Any]) -> str:
        job = f"job-{next(self._ids)}"
        with self._lock:
            self._open[job] = kind
            is_over, is_known = self._is_over, _knows(self._protocol, kind)
        if not is_known:
            self._refuse(job, kind)
        elif is_over or not self._send({**header, "job": job}):
            self._lose(job)
        return job

    def cancel(self, job: str) -> None:
        """Ask for a job's end: an `Ended` with "cancelled", unless it ended just before."""
        self._send({"type": "cancel", "job": job})

    def withdraw(self, job: str) -> None:
        """Cancel a job if it still waits in the queue; one that runs goes on."""
        self._send({"type": "withdraw", "job": job})

    def warm(self, lane: str) -> None:
        """Start a lane's executor before the first job needs it."""
        self._send({"type": "warm", "lane": lane})

    def close(self) -> None:
        """End the worker and everything that it started; open jobs become lost."""
        self._heartbeat.stop()
        self._process.close(self._reader, at_once=self._waiting is not None)

    def _send(self, header: dict[str, Any]) -> bool:
        with self._send_lock:
            if self._waiting is not None:
                self._waiting.append(header)
                return True
            return self._write(header)

    def _write(self, header: dict[str, Any]) -> bool:
        try:
            self._writer.write(header)
        except (OSError, ValueError):
            return False
        return True

    def _read_events(self) -> None:
        try:
            if self._arrival is not None:
                self._arrive(self._arrival)
            self._decode_stream(self._events)
        except ArrivalError as error:
            self._why_not = str(error) or None
            if self._why_not:
                self._process.popen.kill()  # it need not have ended by itself
        except (FrameError, PlainError, ProtocolError, OSError, ValueError) as error:
            self._process.log.append(f"{type(error).__name__}: {error}")
        self._heartbeat.stop()
        self._is_deaf = True
        if self._arrival is not None:
            self._process.hear_last_words()
        with self._lock:
            self._is_over = True
            lost = sorted(self._open)
        for job in lost:
            self._lose(job)

    def _arrive(self, arrival: Arrival) -> None:
        """Bring the worker's code there, then send what was submitted meanwhile."""
        arrival.open(self._process.stdin, self._events)
        with self._send_lock:
            waiting, self._waiting = self._waiting or [], None
            for header in waiting:
                self._write(header)
        self._heartbeat.start(lambda: self._write({"type": "beat"}))

    def _decode_stream(self, stream: IO[bytes]) -> None:
        while (frame := read_frame(stream)) is not None:
            event = decode_event(frame)
            if isinstance(event, Hello):
                self._on_hello(event)
            if isinstance(event, LogLine):
                self._printed.append((event.job, event.text))
            if isinstance(event, Ended) and not self._closes(event.job):
                continue
            if event is not None:
                self._on_event(event)

    def _on_hello(self, hello: Hello) -> None:
        """Refuse what was asked for before it was known how old the worker is."""
        protocol = check_protocol(hello)
        with self._lock:
            self._protocol = protocol
            unknown = [(j, k) for j, k in self._open.items() if not _knows(protocol, k)]
        for job, kind in unknown:
            self._refuse(job, kind)

    def _closes(self, job: str) -> bool:
        with self._lock:
            return self._open.pop(job, None) is not None

    def _refuse(self, job: str, kind: str) -> None:
        if self._closes(job):
            message = (
                f"the worker speaks protocol {self._protocol}, in which there is no {kind!r}: "
                "install the same version of the workbench on both sides"
            )
            self._on_event(Ended(job, "failed", failure=Failure("environment", message)))

    def _lose(self, job: str) -> None:
        if self._closes(job):
            said = self.log
            tail = (*(text for owner, text in self._printed if owner in (None, job)), *said)
            failure = Failure("environment", self._reason(said), "\n".join(tail))
            self._on_event(Ended(job, "lost", failure=failure, log_tail=tail))

    def _reason(self, said: Sequence[str]) -> str:
        if self._why_not is not None:
            return self._why_not
        if self._arrival is None:
            return f"the worker went away{f': {said[-1]}' if said else ''}"
        return self._arrival.reason(self._status(), said, self._waiting is None)

    def _status(self) -> int | None:
        """How the command ended, whose pipes end a moment before it does; None if it goes on."""
        try:
            return self._process.popen.wait(_MOMENT_SECONDS)
        except subprocess.TimeoutExpired:
            return None


def _knows(protocol: int | None, kind: str) -> bool:
    """Whether a worker of a protocol can serve a kind of job; one not heard of yet may."""
    return protocol is None or protocol >= SINCE.get(kind, 1)


def _start(command: WorkerCommand) -> WorkerProcess:
    is_far = command.arrival is not None
    try:
        return WorkerProcess(command.words, command.environment, is_far)
    except OSError as error:
        cure = "; correct the host's command" if is_far else ""
        why = f"{command.words[0]!r}: {error.strerror or error}{cure}"
        raise WorkerStartError(f"cannot start the worker {why}") from error
