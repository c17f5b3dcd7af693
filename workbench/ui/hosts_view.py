"""Opens the dialog of hosts, and saves, removes and tests what the person asks for there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.core.hosts import LOCAL, Host, HostError
from workbench.core.json_files import JsonFileError
from workbench.session.hosts.glances import glances

if TYPE_CHECKING:
    from workbench.core.host_report import HostReport
    from workbench.session.hosts.pool import RunningTest
    from workbench.ui.controller import Controller
    from workbench.ui.hosts import HostsDialog


class HostsView(QObject):
    """Tests go on when the dialog is closed; what they find is kept for the choice of a place."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._pool = controller.session.hosts
        self._dialog: HostsDialog | None = None
        self._tests: dict[str, RunningTest] = {}
        self._pool.changed.connect(self._show)
        controller.panels.navigator.host_activated.connect(self.open)
        self._show()

    @property
    def dialog(self) -> HostsDialog | None:
        """The dialog, None before it was first opened."""
        return self._dialog

    def open(self, name: str = LOCAL) -> None:
        """Show the dialog with a host; "" begins a new one."""
        dialog = self._dialog or self._made()
        self._show()
        dialog.choose(name)
        dialog.open()

    def _made(self) -> HostsDialog:
        from workbench.ui.hosts import HostsDialog  # a window starts without

        made = self._dialog = HostsDialog(self._controller.icons, self._controller.window)
        made.save_requested.connect(self._on_save_requested)
        made.remove_requested.connect(self._on_remove_requested)
        made.test_requested.connect(self.test)
        made.cancel_requested.connect(self._on_cancel_requested)
        return made

    def test(self, host: Host) -> None:
        """Test a host as it is given."""
        if host.name in self._tests:
            return

        def on_report(report: HostReport) -> None:
            self._tests.pop(host.name, None)
            self._on_report(host, report)

        self._tests[host.name] = self._pool.test(
            host, on_report, lambda step: self._on_step(host, step)
        )
        self._show()

    def _show(self) -> None:
        self._controller.panels.navigator.set_hosts(glances(self._pool))
        if self._dialog is None:
            return
        from workbench.ui.hosts.host_list import HostEntry

        entries = [
            HostEntry(host, self._pool.reports.get(host.name), host.name in self._tests)
            for host in self._pool.hosts
        ]
        self._dialog.show_hosts(entries, self._pool.problems)

    def _on_step(self, host: Host, step: str) -> None:
        if self._dialog is not None:
            self._dialog.show_step(host.name, step)

    def _on_report(self, host: Host, report: HostReport) -> None:
        self._pool.changed.emit()  # places may be usable now, or no longer
        if self._dialog is not None and self._pool.reports.get(host.name) is not report:
            self._dialog.show_draft_report(host.name, report)

    def _on_save_requested(self, host: Host, old_name: str) -> None:
        assert self._dialog is not None
        try:
            self._pool.save(host, old_name or None)
        except (HostError, JsonFileError) as error:
            self._dialog.say(str(error))
            return
        self._dialog.take_saved(host.name)
        if host.name not in self._pool.reports:
            self.test(host)

    def _on_remove_requested(self, name: str) -> None:
        assert self._dialog is not None
        try:
            self._pool.remove(name)
        except (HostError, JsonFileError) as error:
            self._dialog.say(str(error))

    def _on_cancel_requested(self, name: str) -> None:
        running = self._tests.get(name)
        if running is not None:
            running.cancel()
