"""The process that holds tilelang and torch and runs one job after another until it is killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from typing import IO, Any

from workbench.core.jobs import Failure
from workbench.core.plain import to_plain
from workbench.wire.events import Ended, Event, ExecutorReady, Progress, encode_event
from workbench.wire.frames import Frame, FrameWriter, read_frame

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Executor:
    """Reads job frames, runs each through the engine's job table, writes one end for each.

    A process that has used a GPU keeps memory of it, and what a kernel broke there stays broken:
    the end of such a job asks for another executor.
    """

    def __init__(self, requests: IO[bytes], events: IO[bytes]) -> None:
        self._requests = requests
        self._writer = FrameWriter(events)

    def run(self, lane: str) -> None:
        """Load the packages, say so, and serve until the requests end."""
        from workbench.engine import environment

        begun = time.monotonic()
        environment.prepare()
        from workbench.engine import jobs  # its modules import what is prepared

        versions, devices = environment.versions(), environment.devices()
        seconds = time.monotonic() - begun
        self._send(ExecutorReady(lane, os.getpid(), versions, devices, seconds))
        while (frame := read_frame(self._requests)) is not None:
            self._run_job(frame, jobs)

    def _run_job(self, frame: Frame, jobs: Any) -> None:
        job_id, kind, payload = (frame.header[name] for name in ("job", "kind", "payload"))
        is_spent = jobs.uses_device(kind, payload)

        def report(text: str, fraction: float | None = None) -> None:
            self._send(Progress(job_id, text, fraction))

        try:
            with _own_tilelang_cache(job_id):
                result, blobs = jobs.run(kind, payload, report)
            plain = to_plain(result)
            self._send(Ended(job_id, "done", plain, blobs=tuple(blobs), spent=is_spent))
        except Exception as error:
            raw = traceback.format_exc()
            message = f"the workbench failed in this job: {type(error).__name__}: {error}"
            failure = Failure("internal", message, raw)
            self._send(Ended(job_id, "failed", failure=failure, spent=is_spent))

    def _send(self, event: Event) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._writer.write(*encode_event(event))


@contextlib.contextmanager
def _own_tilelang_cache(job_id: str) -> Iterator[None]:
    """A cache folder for one job, so that no job finds what another left behind."""
    scratch = os.environ.get("TILELANG_WORKBENCH_SCRATCH")
    folder = tempfile.mkdtemp(prefix=f"{job_id}-", dir=scratch)
    os.environ["TILELANG_CACHE_DIR"] = folder
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Serve on stdin and stdout; kernels, C++ and compilers print to stderr instead."""
    _die_with_parent()
    events = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open for the process
    lane = os.path.basename(os.environ.get("TILELANG_WORKBENCH_SCRATCH", "work")).rsplit("-", 1)[0]
    Executor(requests, events).run(lane)


def _die_with_parent() -> None:
    """End with the supervisor, even where that was killed: Linux tells the kernel to see to it."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
