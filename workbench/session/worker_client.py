"""The session's end of a worker: starts it, sends jobs, and sees that each ends exactly once."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import IO, Any

from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    Failure,
    LinkedRequest,
    PassesRequest,
    ReferenceRequest,
    RunScriptRequest,
    VerifyRequest,
)
from workbench.core.plain import PlainError, to_plain
from workbench.core.python_path import python_path
from workbench.core.user_folders import user_cache_folder
from workbench.wire.events import (
    Ended,
    Event,
    Hello,
    ProtocolError,
    check_protocol,
    decode_event,
)
from workbench.wire.frames import FrameError, FrameWriter, read_frame
from workbench.wire.messages import Limits

Request = (
    CompileRequest
    | AnalyzeRequest
    | VerifyRequest
    | PassesRequest
    | LinkedRequest
    | RunScriptRequest
    | ReferenceRequest
)
KINDS: dict[type[Any], str] = {
    CompileRequest: "compile",
    AnalyzeRequest: "analyze",
    VerifyRequest: "verify",
    PassesRequest: "passes",
    LinkedRequest: "linked",
    RunScriptRequest: "run_script",
    ReferenceRequest: "reference",
}
EventHandler = Callable[[Event], None]
LOG_LINES = 60
CLOSE_SECONDS = 5.0


class WorkerStartError(Exception):
    """The worker's command cannot be run; the message names it."""


@dataclass(frozen=True)
class WorkerCommand:
    """How a worker is started; the supervisor must own the command's stdin and stdout."""

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


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
    outcome "lost" and the worker's last lines.
    """

    def __init__(self, command: WorkerCommand, on_event: EventHandler) -> None:
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._open: set[str] = set()
        self._is_deaf = False  # nothing more will be heard of this worker
        self._lock = threading.Lock()
        self._log: list[str] = []
        self._process = _start(command)
        assert self._process.stdin is not None
        self._writer = FrameWriter(self._process.stdin)
        self._threads = [
            threading.Thread(target=self._read_events, name="worker-events", daemon=True),
            threading.Thread(target=self._read_log, name="worker-log", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The supervisor's process id (of the command, where that is ssh or the like)."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the worker still runs and can be heard."""
        return not self._is_deaf and self._process.poll() is None

    def submit(self, request: Request, lane: str = "work", limits: Limits | None = None) -> str:
        """Queue a job in a lane and return its id; events may come before this returns."""
        job = f"job-{next(self._ids)}"
        with self._lock:
            self._open.add(job)
            is_deaf = self._is_deaf
        header = {
            "type": "submit",
            "job": job,
            "kind": KINDS[type(request)],
            "lane": lane,
            "limits": asdict(limits or Limits()),
            "payload": to_plain(request),
        }
        if is_deaf or not self._send(header):
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
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(CLOSE_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _send(self, header: dict[str, Any]) -> bool:
        try:
            self._writer.write(header)
        except (OSError, ValueError):
            return False
        return True

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        try:
            self._decode_stream(self._process.stdout)
        except (FrameError, PlainError, ProtocolError, OSError, ValueError) as error:
            self._log.append(f"{type(error).__name__}: {error}")
        with self._lock:
            self._is_deaf = True
            lost = sorted(self._open)
        for job in lost:
            self._lose(job)

    def _decode_stream(self, stream: IO[bytes]) -> None:
        while (frame := read_frame(stream)) is not None:
            event = decode_event(frame)
            if isinstance(event, Hello):
                check_protocol(event)
            if isinstance(event, Ended) and not self._closes(event.job):
                continue
            if event is not None:
                self._on_event(event)

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._log.append(line.decode("utf-8", "replace").rstrip())
            del self._log[:-LOG_LINES]

    def _closes(self, job: str) -> bool:
        with self._lock:
            if job not in self._open:
                return False
            self._open.remove(job)
            return True

    def _lose(self, job: str) -> None:
        if self._closes(job):
            tail = tuple(self._log)
            last = f": {tail[-1]}" if tail else ""
            failure = Failure("environment", f"the worker went away{last}", "\n".join(tail))
            self._on_event(Ended(job, "lost", failure=failure, log_tail=tail))


def _start(command: WorkerCommand) -> subprocess.Popen[bytes]:
    words: Sequence[str] = command.words
    try:
        return subprocess.Popen(
            words,
            env={**os.environ, **command.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise WorkerStartError(f"cannot start the worker {words[0]!r}: {error}") from error
