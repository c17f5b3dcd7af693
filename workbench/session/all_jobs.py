"""The open jobs of this machine, of every host that is in use, and of the window, as one list."""

from __future__ import annotations

from workbench.core.hosts import Host
from workbench.session.hosts.pool import HostPool
from workbench.session.jobs import JobController, JobInfo, WorkerState, WorkerStatus
from workbench.session.signal import Signal
from workbench.session.tasks import Tasks


class AllJobs:
    """`changed` tells of any of them; what a host's worker prints comes with the host's name."""

    def __init__(self, pool: HostPool, tasks: Tasks) -> None:
        self.changed: Signal[[]] = Signal()
        self.logged: Signal[[str, str]] = Signal()
        #: The worker of a host went away: the host's title, and why.
        self.lost: Signal[[str, str]] = Signal()
        self._pool, self._tasks = pool, tasks
        tasks.changed.connect(self.changed.emit)
        for jobs in pool.controllers.values():
            jobs.changed.connect(self.changed.emit)
            jobs.logged.connect(self.logged.emit)
        pool.made.connect(self._on_pool_made)

    @property
    def jobs(self) -> tuple[JobInfo, ...]:
        """The open jobs, this machine's first, then those of hosts and of the window itself."""
        jobs = (job for each in self._pool.controllers.values() for job in each.jobs)
        return (*jobs, *self._tasks.jobs)

    def cancel_all(self) -> None:
        """Ask for the end of every open job."""
        for each in self._pool.controllers.values():
            each.cancel_all()
        self._tasks.cancel_all()

    def _on_pool_made(self, host: Host, jobs: JobController) -> None:
        jobs.changed.connect(self.changed.emit)
        jobs.logged.connect(lambda lane, text: self.logged.emit(f"{host.name}: {lane}", text))
        jobs.worker_changed.connect(lambda state: self._on_worker_changed(host, state))

    def _on_worker_changed(self, host: Host, state: WorkerState) -> None:
        if state.status is WorkerStatus.LOST:
            self.lost.emit(host.title, state.message)
