"""One lane of a worker: a queue of jobs and the executor process that runs them in turn.

A lane's executor may die or be killed at any time; the lane replaces it and goes on with the
next job. All methods are called from the supervisor's one loop; the reader threads only put
what they read into its inbox.
"""

from __future__ import annotations

import collections
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workbench.wire.frames import Frame, FrameError, FrameWriter, read_frame
from workbench.worker import processes

LOG_TAIL_LINES = 300  # a C++ stack trace of TVM is longer than 100
DRAIN_SECONDS = 2.0
START_SECONDS = 180.0
RECYCLE_AFTER_JOBS = 1000
SPENT = "spent"  # why an executor is killed whose job asked for another one


@dataclass(frozen=True)
class Job:
    """A submitted job as the supervisor holds it: its frame is passed on unread."""

    id: str
    frame: Frame
    seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class FromExecutor:
    """A frame of an executor, or None at its end; `serial` tells executors of a lane apart."""

    lane: str
    serial: int
    frame: Frame | None
    problem: str | None = None


@dataclass(frozen=True)
class Printed:
    """A line that an executor, its children or its kernel printed."""

    lane: str
    serial: int
    text: str


Inbox = Callable[["FromExecutor | Printed"], None]


class Lane:
    """The queue and executor of one lane."""

    def __init__(self, name: str, inbox: Inbox, scratch: Path) -> None:
        self.name = name
        self.serial = 0
        self.current: Job | None = None
        self.log_tail: collections.deque[str] = collections.deque(maxlen=LOG_TAIL_LINES)
        self.kill_reason: str | None = None
        self._inbox = inbox
        self._scratch_root = scratch
        self._queue: collections.deque[Job] = collections.deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: FrameWriter | None = None
        self._scratch: Path | None = None
        self._ready = False
        self._since = 0.0
        self._jobs_done = 0

    @property
    def busy(self) -> bool:
        """Whether a job runs or the executor is still starting."""
        return self.current is not None or (self._process is not None and not self._ready)

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self._queue.append(job)

    def withdraw(self, job_id: str) -> bool:
        """Take a job that has not started out of the queue; False where it is not there."""
        for job in self._queue:
            if job.id == job_id:
                self._queue.remove(job)
                return True
        return False

    def withdraw_all(self) -> list[Job]:
        """Empty the queue and return what was in it."""
        jobs = list(self._queue)
        self._queue.clear()
        return jobs

    def warm(self) -> None:
        """Start the executor if there is none."""
        if self._process is None:
            self._start()

    def next_job(self) -> Job | None:
        """Send the next queued job to a ready executor and return it; None where none can start."""
        if self.current is not None or not self._queue:
            return None
        self.warm()
        if not self._ready or self._writer is None:
            return None
        self.current = self._queue.popleft()
        self.log_tail.clear()
        self._since = time.monotonic()
        self._send(self.current.frame)
        return self.current

    def executor_ready(self) -> None:
        """Note that the executor has loaded its packages."""
        self._ready = True

    def finish(self, is_spent: bool = False) -> Job | None:
        """Note that the current job ended in an orderly way and return it.

        A spent executor is killed; its end arrives through the inbox, after what it printed last.
        """
        job, self.current = self.current, None
        self._jobs_done += 1
        if is_spent:
            self._ready = False
            self.kill(SPENT)
        elif self._jobs_done >= RECYCLE_AFTER_JOBS:
            self.stop()
        return job

    def overdue(self) -> str | None:
        """The limit that the current work is over: "timeout", "memory", "start", or None."""
        if self._process is None or self.kill_reason:
            return None
        elapsed = time.monotonic() - self._since
        if self.current is None:
            return "start" if not self._ready and elapsed > START_SECONDS else None
        if elapsed > self.current.seconds:
            return "timeout"
        used = processes.resident_bytes(self._process.pid)
        return "memory" if used is not None and used > self.current.memory_bytes else None

    def kill(self, reason: str) -> None:
        """Kill the executor and its children; its end arrives through the inbox."""
        self.kill_reason = reason
        if self._process is not None:
            processes.kill_tree(self._process)

    def reap(self) -> tuple[int | None, Job | None, bool]:
        """Clear away a dead executor: its exit status, the job it took along, if it was ready."""
        process, job, ready = self._process, self.current, self._ready
        self._process, self._writer, self.current, self._ready = None, None, None, False
        status = None
        if process is not None:
            processes.kill_tree(process)
            status = process.wait()
            _close(process)
        self._drop_scratch()
        return status, job, ready

    def stop(self) -> None:
        """End the executor without a trace in the inbox, for recycling and shutdown."""
        self.serial += 1
        self.reap()

    def _start(self) -> None:
        self.serial += 1
        self.kill_reason = None
        self._jobs_done = 0
        self._since = time.monotonic()
        self._scratch = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=self._scratch_root))
        process = processes.start_executor(processes.executor_environment(self._scratch))
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._writer = process, FrameWriter(process.stdin)
        lines = threading.Thread(
            target=self._read_lines, args=(process.stderr, self.serial), daemon=True
        )
        frames = threading.Thread(
            target=self._read_frames, args=(process, self.serial, lines), daemon=True
        )
        lines.start()
        frames.start()

    def _read_frames(
        self, process: subprocess.Popen[bytes], serial: int, lines: threading.Thread
    ) -> None:
        problem = None
        assert process.stdout is not None
        try:
            while (frame := read_frame(process.stdout)) is not None:
                self._inbox(FromExecutor(self.name, serial, frame))
        except (FrameError, OSError, ValueError) as error:
            problem = str(error)
        # Its children hold the pipe of its last words open: end them, then read those words first.
        processes.kill_tree(process)
        lines.join(DRAIN_SECONDS)
        self._inbox(FromExecutor(self.name, serial, None, problem))

    def _read_lines(self, stream: IO[bytes], serial: int) -> None:
        try:
            for line in iter(lambda: stream.readline(65536), b""):
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                self._inbox(Printed(self.name, serial, text))
        except (OSError, ValueError):
            return  # the pipe was closed when its executor was cleared away

    def _send(self, frame: Frame) -> None:
        assert self._writer is not None
        try:
            self._writer.write(frame.header, frame.blobs)
        except OSError:
            return  # the executor died: its end is on the way through the inbox

    def _drop_scratch(self) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None


def _close(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stderr):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            continue  # unsent bytes for a dead process
