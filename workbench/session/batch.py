"""Runs a batch of requests on one local worker and waits for all of their ends."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator, Sequence

from workbench.session.worker_client import Request, WorkerClient, local_worker
from workbench.wire.events import Ended, Event, LogLine, Progress
from workbench.wire.messages import Limits

JOBS_PER_LANE = 3  # an executor takes seconds to start: below this a second one does not pay
MAX_LANES = 8

OnText = Callable[[str], None]


def run_batch(
    requests: Sequence[Request], limits: Limits, on_progress: OnText, on_log: OnText
) -> Iterator[tuple[int, Ended]]:
    """The end of each request with its position, as they come; the worker is closed at the end.

    Raises worker_client.WorkerStartError.
    """
    events: queue.Queue[Event] = queue.Queue()
    client = WorkerClient(local_worker(), events.put)
    try:
        lanes = lane_count(len(requests))
        jobs = {
            client.submit(request, f"work-{position % lanes}", limits): position
            for position, request in enumerate(requests)
        }
        while jobs:
            event = events.get()
            if isinstance(event, Ended):
                yield jobs.pop(event.job), event
            elif isinstance(event, Progress):
                on_progress(event.text)
            elif isinstance(event, LogLine):
                on_log(event.text)
    finally:
        client.close()


def lane_count(jobs: int) -> int:
    """How many executors a number of jobs is worth on this machine."""
    wanted = -(-jobs // JOBS_PER_LANE)
    return max(1, min(wanted, os.cpu_count() or 1, MAX_LANES))
