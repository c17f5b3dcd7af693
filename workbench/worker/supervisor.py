"""The process that a session talks to: it queues jobs, starts executors, and always answers.

It uses the standard library only and never holds a kernel, so it can cancel, time out and
report while C++ holds an executor's interpreter lock.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import queue
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from workbench.core.jobs import Failure
from workbench.core.whereabouts import here
from workbench.wire.events import Ended, Event, Hello, LogLine, Started, encode_event
from workbench.wire.frames import Frame, FrameError, FrameWriter, read_frame
from workbench.wire.messages import PROTOCOL_MAX, PROTOCOL_MIN, Limits
from workbench.worker.lanes import SPENT, FromExecutor, Job, Lane, Printed
from workbench.worker.probes import Probed, Prober
from workbench.worker.processes import signal_name

PACKAGES = ("tilelang", "torch", "apache-tvm-ffi", "numpy", "nvidia-cuda-nvcc")
#: What an executor imports first, by the name that pip knows it by.
_INSTALLED_AS = {
    "numpy": "numpy",
    "torch": "torch",
    "tilelang": "tilelang",
    "ml_dtypes": "ml-dtypes",
    "tvm_ffi": "apache-tvm-ffi",
}
TICK_SECONDS = 0.05
SILENCE_SECONDS = 90.0


class Supervisor:
    """Owns the protocol's two streams and every lane.

    With `silence_seconds` it also ends when nothing was heard for so long: the other side sends
    beats, and the end of a line that was cut may never be told.
    """

    def __init__(
        self, requests: IO[bytes], events: IO[bytes], silence_seconds: float | None = None
    ) -> None:
        self._requests = requests
        self._writer = FrameWriter(events)
        self._inbox: queue.Queue[Any] = queue.Queue()
        self._lanes: dict[str, Lane] = {}
        self._prober = Prober(self._inbox.put)
        self._silence_seconds = silence_seconds
        self._heard = time.monotonic()
        self._scratch = Path(tempfile.mkdtemp(prefix="tilelang-workbench-"))
        self._handlers: dict[str, Callable[[Frame], None]] = {
            "submit": self._on_submit,
            "cancel": self._on_cancel,
            "withdraw": self._on_withdraw,
            "warm": self._on_warm,
            "probe": self._on_probe,
            "beat": self._on_beat,
        }

    def run(self) -> None:
        """Serve until the requests end or ask for shutdown; leaves no process behind."""
        threading.Thread(target=self._read_requests, daemon=True).start()
        self._send(_hello())
        try:
            while self._step():
                pass
        except BrokenPipeError:
            return  # the session is gone; nobody is left to answer
        finally:
            for lane in self._lanes.values():
                lane.stop()
            self._prober.stop_all()
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _step(self) -> bool:
        busy = any(lane.busy for lane in self._lanes.values())
        try:
            item = self._inbox.get(timeout=TICK_SECONDS if busy else self._silence_seconds)
        except queue.Empty:
            item = ()
        if item is None or self._is_forgotten():
            return False
        if isinstance(item, Frame):
            self._on_request(item)
        elif isinstance(item, FromExecutor):
            self._on_executor(item)
        elif isinstance(item, Printed):
            self._on_printed(item)
        elif isinstance(item, Probed):
            self._on_probed(item)
        self._enforce_limits()
        self._start_jobs()
        return True

    def _is_forgotten(self) -> bool:
        silence = time.monotonic() - self._heard
        if self._silence_seconds is None or silence < self._silence_seconds:
            return False
        print(f"workbench worker: nothing was heard for {silence:.0f} s", file=sys.stderr)
        return True

    def _read_requests(self) -> None:
        try:
            while (frame := read_frame(self._requests)) is not None:
                self._heard = time.monotonic()
                if frame.header.get("type") == "shutdown":
                    break
                self._inbox.put(frame)
        except (FrameError, OSError, ValueError) as error:
            print(f"workbench worker: bad request stream: {error}", file=sys.stderr)
        self._inbox.put(None)

    def _on_request(self, frame: Frame) -> None:
        handler = self._handlers.get(frame.header.get("type", ""))
        if handler is None:
            print(f"workbench worker: unknown request {frame.header!r:.200}", file=sys.stderr)
            return
        handler(frame)

    def _on_submit(self, frame: Frame) -> None:
        limits = {**vars(Limits()), **frame.header.get("limits", {})}
        job = Job(frame.header["job"], frame, limits["seconds"], limits["memory_bytes"])
        self._lane(frame.header.get("lane", "work")).submit(job)

    def _on_cancel(self, frame: Frame) -> None:
        job_id = frame.header["job"]
        if self._prober.stop(job_id):
            self._send(Ended(job_id, "cancelled"))
        for lane in self._lanes.values():
            if lane.withdraw(job_id):
                self._send(Ended(job_id, "cancelled"))
            elif lane.current is not None and lane.current.id == job_id:
                lane.kill("cancelled")

    def _on_withdraw(self, frame: Frame) -> None:
        """Cancel a job only if it has not started: a running one ends as it would have."""
        job_id = frame.header["job"]
        if any(lane.withdraw(job_id) for lane in self._lanes.values()):
            self._send(Ended(job_id, "cancelled"))

    def _on_warm(self, frame: Frame) -> None:
        self._lane(frame.header.get("lane", "work")).warm()

    def _on_probe(self, frame: Frame) -> None:
        self._prober.start(frame.header["job"])
        self._send(Started(frame.header["job"]))

    def _on_probed(self, item: Probed) -> None:
        if self._prober.finish(item):
            outcome = "done" if item.failure is None else "failed"
            self._send(Ended(item.job, outcome, item.found, item.failure))

    def _on_beat(self, frame: Frame) -> None:
        self._writer.write({"type": "beat"})

    def _on_executor(self, item: FromExecutor) -> None:
        lane = self._lanes[item.lane]
        if item.serial != lane.serial:
            return
        if item.frame is None:
            self._on_executor_end(lane, item.problem)
            return
        kind = item.frame.header.get("type")
        if kind == "executor_ready":
            lane.executor_ready()
        elif kind == "ended":
            lane.finish(is_spent=item.frame.header.get("spent") is True)
        self._writer.write(item.frame.header, item.frame.blobs)

    def _on_executor_end(self, lane: Lane, problem: str | None) -> None:
        reason, tail = lane.kill_reason, tuple(lane.log_tail)
        status, job, was_ready = lane.reap()
        if reason == SPENT:
            lane.warm()  # so that the next job finds an executor that is loaded
        elif job is not None and reason == "cancelled":
            self._send(Ended(job.id, "cancelled"))
        elif job is not None:
            failure = _death(reason, status, job, problem, tail)
            self._send(Ended(job.id, "failed", None, failure, signal_name(status), tail))
        elif not was_ready:
            self._fail_queue(lane, tail)

    def _fail_queue(self, lane: Lane, tail: tuple[str, ...]) -> None:
        """An executor that cannot start would fail for every job alike: tell them all."""
        message = absence(tail) or f"the worker cannot start: {_last_line(tail)}"
        failure = Failure("environment", message, "\n".join(tail))
        for job in lane.withdraw_all():
            self._send(Ended(job.id, "failed", None, failure, None, tail))

    def _on_printed(self, item: Printed) -> None:
        lane = self._lanes[item.lane]
        if item.serial == lane.serial:
            lane.log_tail.append(item.text)
            job = lane.current.id if lane.current is not None else None
            self._send(LogLine(item.lane, item.text, job))

    def _enforce_limits(self) -> None:
        for lane in self._lanes.values():
            reason = lane.overdue() if lane.busy else None
            if reason is not None:
                lane.kill(reason)

    def _start_jobs(self) -> None:
        for lane in self._lanes.values():
            job = lane.next_job()
            if job is not None:
                self._send(Started(job.id))

    def _lane(self, name: str) -> Lane:
        if name not in self._lanes:
            self._lanes[name] = Lane(name, self._inbox.put, self._scratch)
        return self._lanes[name]

    def _send(self, event: Event) -> None:
        self._writer.write(*encode_event(event))


def _hello() -> Hello:
    return Hello(PROTOCOL_MIN, PROTOCOL_MAX, platform.python_version(), os.getpid(), _versions())


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # absent from `versions` is how a missing package is told
    return found


def absence(lines: Sequence[str]) -> str | None:
    """The sentence on a package that no executor starts without; None for another failure."""
    found = re.match(r"ModuleNotFoundError: No module named '(\w+)", _last_line(lines))
    if found is None or found[1] not in _INSTALLED_AS:
        return None
    python, version = sys.executable, platform.python_version()
    return (
        f"{found[1]} is not installed on {here()} for {python} (Python {version}). "
        f"Run there: {python} -m pip install {_INSTALLED_AS[found[1]]} - or name another Python."
    )


def _last_line(lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")


def _death(
    reason: str | None, status: int | None, job: Job, problem: str | None, tail: tuple[str, ...]
) -> Failure:
    raw = "\n".join(tail) or None
    if reason == "timeout":
        message = f"stopped after its time limit of {job.seconds:g} s"
        return Failure("timeout", message, raw)
    if reason == "memory":
        message = f"stopped at its memory limit of {job.memory_bytes / 1024**3:.3g} GiB"
        return Failure("memory", message, raw)
    name = signal_name(status)
    how = f"was ended by {name}" if name else f"exited with status {status}"
    detail = f" ({problem})" if problem else ""
    return Failure("crash", f"the process that ran the kernel {how}{detail}", raw)


def main(silence_seconds: float | None = None) -> None:
    """Serve on stdin and stdout; anything else that is printed goes to stderr."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "rb")
    _lead_own_group()
    Supervisor(requests, events, silence_seconds).run()


def _lead_own_group() -> None:
    if hasattr(os, "setpgid") and os.getpid() != os.getpgrp():
        try:
            os.setpgid(0, 0)
        except PermissionError:
            return  # it leads a session already
