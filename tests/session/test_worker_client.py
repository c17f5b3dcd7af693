"""What a worker of another version is asked for, and what its client says where it cannot serve."""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from workbench.session.worker_client import WorkerClient, WorkerCommand
from workbench.wire.events import Ended, Event

ROOT = Path(__file__).resolve().parents[2]
WORKER = """
import sys
from workbench.wire.events import Hello, encode_event
from workbench.wire.frames import FrameWriter, read_frame
if {waits}:
    read_frame(sys.stdin.buffer)
FrameWriter(sys.stdout.buffer).write(*encode_event(Hello({oldest}, {newest}, "3.11", 1, {{}})))
while read_frame(sys.stdin.buffer) is not None:
    pass
"""


def first_end(oldest: int, newest: int, waits: bool) -> Ended:
    """How a probe ends that a worker of these protocols is asked for."""
    events: queue.Queue[Event] = queue.Queue()
    code = WORKER.format(oldest=oldest, newest=newest, waits=waits)
    client = WorkerClient(
        WorkerCommand((sys.executable, "-c", code), {"PYTHONPATH": str(ROOT)}), events.put
    )
    try:
        if not waits:
            events.get(timeout=30)
        client.probe()
        while True:
            event = events.get(timeout=30)
            if isinstance(event, Ended):
                return event
    finally:
        client.close()


@pytest.mark.parametrize("waits", [True, False], ids=["asked before it is known", "asked later"])
def test_an_older_worker_is_not_asked_for_what_it_does_not_know(waits: bool) -> None:
    ended = first_end(1, 1, waits)
    assert ended.outcome == "failed"
    assert ended.failure is not None
    assert "speaks protocol 1" in ended.failure.message
    assert "the same version" in ended.failure.message


def test_a_worker_without_a_common_protocol_is_lost_with_both_ranges() -> None:
    ended = first_end(90, 99, waits=True)
    assert ended.outcome == "lost"
    assert ended.failure is not None
    assert "protocol 90 to 99" in ended.failure.message
