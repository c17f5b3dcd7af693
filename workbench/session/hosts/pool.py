"""The hosts of a window: the file of them, a controller of jobs for each, and their tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.hosts import LOCAL, Host, HostError, HostsFile, LoadedHosts
from workbench.core.user_folders import user_config_folder
from workbench.session.hosts.places import Place, parse_place
from workbench.session.jobs import JobController, Post
from workbench.session.signal import Signal

if TYPE_CHECKING:  # a window starts without what reaches hosts
    from workbench.core.host_report import HostReport
    from workbench.session.hosts.testing import HostTest


@dataclass
class RunningTest:
    """A test of a host that goes on in a thread; its report comes to whoever began it."""

    test: HostTest
    thread: threading.Thread = field(repr=False)

    def cancel(self) -> None:
        """End it soon; its report then says that it was ended."""
        self.test.cancel()


class HostPool:
    """Owned by one thread, to which `post` carries what others say.

    `changed` says that the hosts are others now; `made` tells each new controller, of which a
    status bar shows the jobs and the worker's state. The controller of this machine is `local`,
    which somebody else closes.
    """

    def __init__(self, file: HostsFile, local: JobController, post: Post) -> None:
        self.changed: Signal[[]] = Signal()
        self.made: Signal[[Host, JobController]] = Signal()
        self._file = file
        self._local = local
        self._post = post
        self._loaded = file.load()
        self._controllers: dict[str, JobController] = {}
        self._closing: list[threading.Thread] = []
        self._tests: list[RunningTest] = []
        self.reports: dict[str, HostReport] = {}

    @property
    def hosts(self) -> tuple[Host, ...]:
        """All hosts, this machine first."""
        return self._loaded.hosts

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return self._loaded.names

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file, in sentences."""
        return self._loaded.problems

    @property
    def controllers(self) -> dict[str, JobController]:
        """The controllers that were asked for so far, by host; this machine's always."""
        return {LOCAL: self._local, **self._controllers}

    def host(self, name: str) -> Host:
        """The host of a name. Raises HostError."""
        found = self._loaded.get(name)
        if found is None:
            raise HostError(f"There is no host called {name}.")
        return found

    def place(self, text: str) -> Place:
        """The place that a text names. Raises places.PlaceError."""
        return parse_place(text, self.names)

    def jobs(self, name: str) -> JobController:
        """The controller of a host's jobs; its worker starts with the first. Raises HostError."""
        if name == LOCAL:
            return self._local
        if name not in self._controllers:
            from workbench.session.hosts.arrival import worker_on

            host = self.host(name)
            controller = JobController(worker_on(host), self._post)
            self._controllers[name] = controller
            self.made.emit(host, controller)
        return self._controllers[name]

    def reload(self) -> None:
        """Read the file again; a host that is another now starts a new worker."""
        self._take(self._file.load())

    def save(self, host: Host, old_name: str | None = None) -> None:
        """Add a host or change one. Raises HostError and `JsonFileError`."""
        self._take(self._file.save(host, old_name))

    def remove(self, name: str) -> None:
        """Take a host out; its jobs are lost. Raises HostError and `JsonFileError`."""
        self._take(self._file.remove(name))

    def test(
        self,
        host: Host,
        on_report: Callable[[HostReport], None],
        on_step: Callable[[str], None] | None = None,
    ) -> RunningTest:
        """Test a host, saved or not; `on_report` and `on_step` are called in the owner's thread."""
        from workbench.session.hosts.testing import HostTest

        def step(text: str) -> None:
            if on_step is not None:
                self._post(lambda: on_step(text))

        def run() -> None:
            report = test.run()
            self._post(lambda: self._on_report(running, host, report, on_report))

        test = HostTest(host, step)
        thread = threading.Thread(target=run, name=f"host-test-{host.name}", daemon=True)
        running = RunningTest(test, thread)
        self._tests.append(running)
        thread.start()
        return running

    def close(self) -> None:
        """End the tests and every worker but this machine's."""
        for running in self._tests:
            running.cancel()
        for controller in self._controllers.values():
            self._close(controller)
        self._controllers = {}
        for thread in (*self._closing, *(running.thread for running in self._tests)):
            thread.join()

    def _on_report(
        self,
        running: RunningTest,
        host: Host,
        report: HostReport,
        on_report: Callable[[HostReport], None],
    ) -> None:
        if running in self._tests:
            self._tests.remove(running)
        if self._loaded.get(host.name) == host:
            self.reports[host.name] = report
        on_report(report)

    def _take(self, loaded: LoadedHosts) -> None:
        old, self._loaded = self._loaded, loaded
        for host in old.hosts:
            if loaded.get(host.name) != host:
                self.reports.pop(host.name, None)
                controller = self._controllers.pop(host.name, None)
                if controller is not None:
                    self._close(controller)
        self.changed.emit()

    def _close(self, controller: JobController) -> None:
        """End a worker in a thread: one that does not answer any more takes seconds."""
        self._closing = [thread for thread in self._closing if thread.is_alive()]
        thread = threading.Thread(target=controller.close, name="host-close", daemon=True)
        self._closing.append(thread)
        thread.start()


def hosts_file() -> HostsFile:
    """The file of the person's hosts."""
    return HostsFile(user_config_folder() / "hosts.json")
