"""The test of a host: reaches it, has its worker look around, and says what is found or missing."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.core.host_report import HostReport, Probe, lacks_of
from workbench.core.hosts import Host
from workbench.core.plain import PlainError, from_plain
from workbench.session.hosts.arrival import Arrived, worker_on
from workbench.session.worker_client import WorkerClient, WorkerStartError
from workbench.wire.events import Ended, Event, Hello

TEST_SECONDS = 180.0
OnStep = Callable[[str], None]


class HostTest:
    """One test of one host; `run` may be called in a thread, and `cancel` from another."""

    def __init__(self, host: Host, on_step: OnStep | None = None) -> None:
        self._host = host
        self._on_step = on_step or (lambda text: None)
        self._said: queue.Queue[Arrived | Event | None] = queue.Queue()
        self._arrived: Arrived | None = None
        self._is_cancelled = False

    def run(self, seconds: float = TEST_SECONDS) -> HostReport:
        """Reach the host, look around there, and tell; never raises for what the host does."""
        begun = time.monotonic()
        self._on_step(f"Reaching {self._host.title} …")
        try:
            client = WorkerClient(worker_on(self._host, self._said.put), self._said.put)
        except WorkerStartError as error:
            return self._report(begun, reached=False, reason=f"{error}.")
        try:
            job = client.probe()
            ended = self._wait(job, begun + seconds)
        finally:
            client.close()
        if ended is None:
            why = self._why_no_end(seconds)
            return self._report(begun, reached=False, reason=why, log=client.log)
        return self._told(ended, begun)

    def cancel(self) -> None:
        """Have `run` return soon, its host not reached."""
        self._is_cancelled = True
        self._said.put(None)

    def _wait(self, job: str, until: float) -> Ended | None:
        """The end of the job; None where the time is over or the test was cancelled."""
        while True:
            try:
                said = self._said.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return None
            if said is None or (isinstance(said, Ended) and said.job == job):
                return said
            self._note(said)

    def _note(self, said: Arrived | Event) -> None:
        if isinstance(said, Arrived):
            self._arrived = said
        if isinstance(said, Hello):
            self._on_step(f"Looking around on {self._host.title} …")

    def _why_no_end(self, seconds: float) -> str:
        if self._is_cancelled:
            return f"The test of {self._host.title} was ended."
        is_there = self._arrived is not None or self._host.is_local
        what = "has not told what it has" if is_there else "did not answer"
        return (
            f"{self._host.title} {what} within {seconds:g} s. Where a queue (srun) or a slow "
            "network lies between, give it longer."
        )

    def _told(self, ended: Ended, begun: float) -> HostReport:
        if ended.outcome != "done":
            reason = ended.failure.message if ended.failure else ended.outcome
            return self._report(begun, reached=False, reason=reason, log=ended.log_tail)
        return self._with_probe(self._report(begun, reached=True), ended.result)

    def _with_probe(self, report: HostReport, result: Any) -> HostReport:
        try:
            probe = from_plain(Probe, result)
        except PlainError as error:
            return replace(
                report, reached=False, reason=f"The worker told what is no report: {error}."
            )
        return replace(report, probe=probe, lacks=lacks_of(probe, self._host.title))

    def _report(
        self, begun: float, *, reached: bool, reason: str | None = None, log: tuple[str, ...] = ()
    ) -> HostReport:
        arrived = self._arrived
        return HostReport(
            host=self._host.name,
            command=self._host.command_line,
            reached=reached,
            reason=reason,
            banner=arrived.banner if arrived else (),
            log=log,
            seconds=time.monotonic() - begun,
            sent=arrived.sent if arrived else None,
        )
