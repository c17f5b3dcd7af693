"""The jobs of a session: the worker that runs them, what each is doing, and how each ended."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from workbench.core.jobs import Failure
from workbench.session.signal import Signal
from workbench.session.worker_client import (
    Request,
    WorkerClient,
    WorkerCommand,
    WorkerStartError,
)
from workbench.wire.events import (
    Ended,
    Event,
    ExecutorReady,
    Hello,
    LogLine,
    Progress,
    Started,
)
from workbench.wire.messages import Limits

Post = Callable[[Callable[[], None]], None]
OnEnd = Callable[[Ended], None]


class WorkerStatus(enum.Enum):
    """How the worker is."""

    OFF = "off"
    STARTING = "starting"
    READY = "ready"
    LOST = "lost"


@dataclass(frozen=True)
class WorkerState:
    """The worker as the status bar tells it; `message` says why it was lost."""

    status: WorkerStatus = WorkerStatus.OFF
    versions: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class JobInfo:
    """One open job: `started` is a monotonic time in seconds, None while it waits."""

    id: str
    label: str
    lane: str
    text: str = ""
    fraction: float | None = None
    started: float | None = None
    quiet: bool = False


class JobController:
    """Starts a worker when one is needed, again after it was lost, and follows the jobs.

    Events come from the worker's thread; `post` carries them to the thread that owns this object.
    """

    def __init__(self, command: WorkerCommand, post: Post) -> None:
        self.changed: Signal[[]] = Signal()
        self.worker_changed: Signal[[WorkerState]] = Signal()
        self.logged: Signal[[str, str]] = Signal()
        self.state = WorkerState()
        self._command = command
        self._post = post
        self._client: WorkerClient | None = None
        self._is_closed = False
        self._generation = 0
        self._jobs: dict[str, JobInfo] = {}
        self._on_end: dict[str, OnEnd] = {}
        self._handlers: dict[type[Event], Callable[..., None]] = {
            Hello: self._on_hello,
            ExecutorReady: self._on_ready,
            Started: self._on_started,
            Progress: self._on_progress,
            LogLine: self._on_log,
            Ended: self._on_ended,
        }

    @property
    def jobs(self) -> tuple[JobInfo, ...]:
        """The open jobs in the order of their submission."""
        return tuple(self._jobs.values())

    def submit(
        self,
        request: Request,
        on_end: OnEnd,
        *,
        label: str,
        lane: str,
        limits: Limits | None = None,
        quiet: bool = False,
    ) -> str | None:
        """Queue a job and return its id; `on_end` is called once, later.

        None where no worker can be started: `on_end` then hears of a lost job.
        """
        client = self._live_client()
        if client is None:
            failure = Failure("environment", self.state.message)
            self._post(lambda: on_end(Ended("", "lost", failure=failure)))
            return None
        # The worker's events wait in `post` until this returns, so none can come too early.
        job = f"{self._generation}:{client.submit(request, lane, limits)}"
        self._jobs[job] = JobInfo(job, label, lane, quiet=quiet)
        self._on_end[job] = on_end
        self.changed.emit()
        return job

    def cancel(self, job: str) -> None:
        """Ask for the end of a job, running or not."""
        self._ask(job, WorkerClient.cancel)

    def withdraw(self, job: str) -> None:
        """Ask for the end of a job that has not started."""
        self._ask(job, WorkerClient.withdraw)

    def cancel_all(self) -> None:
        """Ask for the end of every open job."""
        for job in list(self._jobs):
            self.cancel(job)

    def warm(self, *lanes: str) -> None:
        """Have executors started before the first job needs them."""
        client = self._live_client()
        for lane in lanes if client is not None else ():
            assert client is not None
            client.warm(lane)

    def close(self) -> None:
        """End the worker and all that it runs, for good."""
        self._is_closed = True
        self._drop_client()

    def _drop_client(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _ask(self, job: str, what: Callable[[WorkerClient, str], None]) -> None:
        generation, _, name = job.partition(":")
        if self._client is not None and generation == str(self._generation):
            what(self._client, name)

    def _live_client(self) -> WorkerClient | None:
        if self._client is not None and self._client.alive:
            return self._client
        self._drop_client()
        if self._is_closed:
            return None
        self._generation += 1
        generation = self._generation
        try:
            self._client = WorkerClient(self._command, lambda e: self._receive(generation, e))
        except WorkerStartError as error:
            self._set_state(WorkerState(WorkerStatus.LOST, message=str(error)))
            return None
        self._set_state(WorkerState(WorkerStatus.STARTING))
        return self._client

    def _receive(self, generation: int, event: Event) -> None:
        self._post(lambda: self._handle(generation, event))

    def _handle(self, generation: int, event: Event) -> None:
        handler = self._handlers[type(event)]
        if isinstance(event, (Started, Progress, Ended)):
            handler(replace(event, job=f"{generation}:{event.job}"))
        elif generation == self._generation:
            handler(event)

    def _on_hello(self, event: Hello) -> None:
        self._set_state(replace(self.state, versions=event.versions))

    def _on_ready(self, event: ExecutorReady) -> None:
        versions = {**self.state.versions, **event.versions}
        self._set_state(WorkerState(WorkerStatus.READY, versions, event.devices))

    def _on_started(self, event: Started) -> None:
        self._update(event.job, started=time.monotonic())

    def _on_progress(self, event: Progress) -> None:
        self._update(event.job, text=event.text, fraction=event.fraction)

    def _on_log(self, event: LogLine) -> None:
        self.logged.emit(event.lane, event.text)

    def _on_ended(self, event: Ended) -> None:
        self._jobs.pop(event.job, None)
        on_end = self._on_end.pop(event.job, None)
        if event.outcome == "lost":
            message = event.failure.message if event.failure else ""
            self._set_state(WorkerState(WorkerStatus.LOST, message=message))
        self.changed.emit()
        if on_end is not None:
            on_end(event)

    def _update(self, job: str, **changes: object) -> None:
        if job in self._jobs:
            self._jobs[job] = replace(self._jobs[job], **changes)  # type: ignore[arg-type]
            self.changed.emit()

    def _set_state(self, state: WorkerState) -> None:
        self.state = state
        self.worker_changed.emit(state)
