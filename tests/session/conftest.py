"""A scripted worker that speaks the protocol without tilelang, and a loop to run calls in."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.session.jobs import JobController
from workbench.session.worker_client import WorkerCommand

ROOT = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 120.0  # on a machine that has much else to do

FAKE = '''
"""Answers each job by what its document's text says: done, fail, wait, die."""
import os, sys
from workbench.wire.events import Ended, ExecutorReady, Hello, LogLine, Started, encode_event
from workbench.wire.frames import FrameWriter, read_frame
from workbench.core.jobs import Failure

writer = FrameWriter(sys.stdout.buffer)
def send(event):
    writer.write(*encode_event(event))

send(Hello(1, 1, "3.11", os.getpid(), {"tilelang": "0.1.15"}))
waiting = []
while (frame := read_frame(sys.stdin.buffer)) is not None:
    kind, job = frame.header["type"], frame.header.get("job")
    if kind == "warm":
        send(ExecutorReady(frame.header["lane"], os.getpid(), {"torch": "2.13"}))
    elif kind == "submit":
        text = frame.header["payload"]["source"]["text"]
        send(Started(job))
        if text == "die":
            os._exit(3)
        if text == "wait":
            waiting.append(job)
        elif text == "fail":
            send(Ended(job, "failed", failure=Failure("crash", "it died")))
        else:
            send(LogLine("work", "hello", job))
            send(Ended(job, "done", {"failure": None, "emitted": {"tir": text}}))
    elif kind in ("cancel", "withdraw") and job in waiting:
        waiting.remove(job)
        send(Ended(job, "cancelled"))
'''


class Pump:
    """Runs posted calls in the test's own thread."""

    def __init__(self) -> None:
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()

    def post(self, call: Callable[[], None]) -> None:
        self._calls.put(call)

    def until(self, condition: Callable[[], object]) -> None:
        """Run calls until the condition holds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            self._calls.get(timeout=max(0.01, deadline - time.monotonic()))()


@pytest.fixture
def pump() -> Pump:
    return Pump()


@pytest.fixture
def fake_worker(tmp_path: Path) -> WorkerCommand:
    script = tmp_path / "fake_worker.py"
    script.write_text(FAKE)
    return WorkerCommand((sys.executable, str(script)), {"PYTHONPATH": str(ROOT)})


@pytest.fixture
def jobs(fake_worker: WorkerCommand, pump: Pump) -> Iterator[JobController]:
    controller = JobController(fake_worker, pump.post)
    yield controller
    controller.close()
