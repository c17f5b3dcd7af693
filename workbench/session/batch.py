"""Runs batches of requests on one worker and waits for all of their ends."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator, Sequence

from workbench.session.worker_client import Request, WorkerClient, WorkerCommand, local_worker
from workbench.wire.events import Ended, Event, LogLine, Progress
from workbench.wire.messages import Limits

JOBS_PER_LANE = 3  # an executor takes seconds to start: below this a second one does not pay
MAX_LANES = 8

OnText = Callable[[str], None]


class BatchWorker:
    """A worker that serves batches one after the other; between them it stays loaded.

    Without a `command` it is this machine's. At most `most_lanes` jobs run at a time. Raises
    worker_client.WorkerStartError.
    """

    def __init__(self, command: WorkerCommand | None = None, most_lanes: int | None = None) -> None:
        self._events: queue.Queue[Event] = queue.Queue()
        self._most_lanes = most_lanes or MAX_LANES
        self._client = WorkerClient(command or local_worker(), self._events.put)

    def run(
        self, requests: Sequence[Request], limits: Limits, on_progress: OnText, on_log: OnText
    ) -> Iterator[tuple[int, Ended]]:
        """The end of each request with its position, as they come."""
        lanes = min(lane_count(len(requests)), self._most_lanes)
        jobs = {
            self._client.submit(request, f"work-{position % lanes}", limits): position
            for position, request in enumerate(requests)
        }
        while jobs:
            event = self._events.get()
            if isinstance(event, Ended) and event.job in jobs:
                yield jobs.pop(event.job), event
            elif isinstance(event, Progress):
                on_progress(event.text)
            elif isinstance(event, LogLine):
                on_log(event.text)

    def probe(self) -> Ended:
        """What the worker's machine has: the end of a job that gives a `core.host_report.Probe`.

        The first executor starts meanwhile, which takes as long.
        """
        self._client.warm("work-0")
        job = self._client.probe()
        while True:
            event = self._events.get()
            if isinstance(event, Ended) and event.job == job:
                return event

    def close(self) -> None:
        """End the worker."""
        self._client.close()

    def __enter__(self) -> BatchWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_batch(
    requests: Sequence[Request], limits: Limits, on_progress: OnText, on_log: OnText
) -> Iterator[tuple[int, Ended]]:
    """The end of each request with its position, as they come, by a worker of its own.

    Raises worker_client.WorkerStartError.
    """
    with BatchWorker() as worker:
        yield from worker.run(requests, limits, on_progress, on_log)


def lane_count(jobs: int) -> int:
    """How many executors a number of jobs is worth on this machine."""
    wanted = -(-jobs // JOBS_PER_LANE)
    return max(1, min(wanted, os.cpu_count() or 1, MAX_LANES))
