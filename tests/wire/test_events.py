from __future__ import annotations

import io

import pytest

from workbench.core.jobs import Failure
from workbench.wire.events import (
    Ended,
    Event,
    ExecutorReady,
    Hello,
    LogLine,
    Progress,
    ProtocolError,
    Started,
    check_protocol,
    decode_event,
    encode_event,
)
from workbench.wire.frames import Frame, encode_frame, read_frame
from workbench.wire.messages import PROTOCOL_MAX

EVENTS: list[Event] = [
    Hello(1, 1, "3.11.7", 12, {"torch": "2.13.0"}),
    ExecutorReady("live", 3, {"tilelang": "0.1.15"}, ("NVIDIA H200",), 1.5),
    Started("job-1"),
    Progress("job-1", "lowering", 0.5),
    LogLine("live", "hello", "job-1"),
    Ended("job-1", "done", {"a": [1]}, blobs=(b"\x00\x01",)),
    Ended("job-1", "failed", None, Failure("crash", "died", None, 3), "SIGSEGV", ("last",)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: type(e).__name__)
def test_an_event_survives_the_wire(event: Event) -> None:
    frame = read_frame(io.BytesIO(encode_frame(*encode_event(event))))
    assert frame is not None
    assert decode_event(frame) == event


def test_an_event_of_a_newer_worker_is_left_out() -> None:
    assert decode_event(Frame({"type": "telepathy"})) is None


def test_a_worker_of_another_protocol_is_refused_naming_both() -> None:
    newer = Hello(PROTOCOL_MAX + 1, PROTOCOL_MAX + 2, "3.13", 1)
    with pytest.raises(ProtocolError, match=f"{PROTOCOL_MAX + 1} to {PROTOCOL_MAX + 2}"):
        check_protocol(newer)


def test_the_newest_common_protocol_is_chosen() -> None:
    assert check_protocol(Hello(1, PROTOCOL_MAX + 5, "3.13", 1)) == PROTOCOL_MAX
