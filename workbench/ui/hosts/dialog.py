"""The dialog of hosts: the list at the left, at the right the form of one and its report."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.host_report import HostReport
from workbench.core.hosts import LOCAL, Host, HostError
from workbench.session.hosts.report_view import report_view
from workbench.ui.hosts.form import HostForm
from workbench.ui.hosts.host_list import HostEntry, HostList
from workbench.ui.hosts.report import HostReportView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, set_look, text_label

_SIZE = (900, 660)
_LIST = 240
_THIS = "This machine, with the workbench's own Python. There is nothing to set."
_NOT_TESTED = "Not tested yet. The test says what is there, and what is missing with its cure."
_NEW = "A new host: give it a name and the command that starts a process there."


class HostsDialog(QDialog):
    """Shows what it is given and tells what the person wants; it saves and tests nothing."""

    #: A host is to be saved: the host, and the name of the one that it replaces or "".
    save_requested = Signal(object, str)
    #: The host of that name is to be taken out.
    remove_requested = Signal(str)
    #: A host, saved or not, is to be tested.
    test_requested = Signal(object)
    #: The test of the host of that name is to end.
    cancel_requested = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._entries: tuple[HostEntry, ...] = ()
        self._current = LOCAL
        self._is_adding = False
        self._draft_report: HostReport | None = None
        self.setWindowTitle("Hosts")
        self.resize(*_SIZE)
        self.list, self.form = HostList(icons), HostForm(icons)
        self.report = HostReportView(icons)
        theme = icons.theme
        self._title = text_label(theme, "", TextRole.TITLE, "fg")
        self._words = text_label(theme, "", TextRole.BODY, "fg3")
        self._words.setWordWrap(True)
        self._said = text_label(theme, "", TextRole.LABEL, "error")
        self._said.setWordWrap(True)
        self.add = push_button(icons, "Add host", "normal", "plus")
        self.remove = push_button(icons, "Remove", "flat", "trash")
        self.test = push_button(icons, "Test", "normal", "play")
        self.save = push_button(icons, "Save", "primary")
        self._close = push_button(icons, "Close")
        self._lay_out()
        self._connect()

    @property
    def current(self) -> str:
        """The name of the host in the form, "" for a new one."""
        return self._current

    def show_hosts(self, entries: Sequence[HostEntry], problems: Sequence[str] = ()) -> None:
        """Show these hosts; `problems` are what is wrong with their file."""
        names = [each.host.name for each in entries]
        self._entries = tuple(entries)
        if self._current not in names and not self._is_adding:
            self._current = LOCAL
            self.form.show_host(None)
        self.say(" ".join(problems))
        self._show()

    def choose(self, name: str) -> None:
        """Show another host; "" begins a new one."""
        self._current, self._is_adding = name, name == ""
        self._draft_report = None
        entry = self._entry()
        host = entry.host if entry is not None and not entry.host.is_local else None
        self.form.show_host(host)
        self.say("")
        self._show()
        if self._is_adding:
            self.form.field("name").setFocus()

    def take_saved(self, name: str) -> None:
        """The host in the form is saved under that name."""
        self._current, self._is_adding = name, False
        self._show()

    def show_step(self, name: str, step: str) -> None:
        """The test of a host does something now."""
        if self._is_shown(name):
            self.report.show_step(step)

    def show_draft_report(self, name: str, report: HostReport) -> None:
        """The test of a host that is not saved as it is typed has ended."""
        if self._is_shown(name):
            self._draft_report = report
            self._show_report()

    def say(self, text: str, tone: str = "error") -> None:
        """Tell what went wrong, or nothing."""
        self._said.setText(text)
        self._said.setVisible(bool(text))
        set_look(self._said, "tone", tone)

    def _is_shown(self, name: str) -> bool:
        return name == (self._current or self.form.field("name").text().strip())

    def _entry(self) -> HostEntry | None:
        return next((each for each in self._entries if each.host.name == self._current), None)

    def _show(self) -> None:
        entry = self._entry()
        is_local = self._current == LOCAL
        self.list.show_hosts(self._entries, self._is_adding, self._current)
        self._title.setText("This machine" if is_local else self._current or "New host")
        self._words.setText(_THIS if is_local else _NEW)
        self._words.setVisible(is_local or self._is_adding)
        self.form.setVisible(not is_local)
        self.save.setVisible(not is_local)
        self.save.setText("Add" if self._is_adding else "Save")
        self.remove.setVisible(not is_local and not self._is_adding)
        self.test.setEnabled(entry is None or not entry.testing)
        self._show_buttons()
        if entry is None or not entry.testing:
            self._show_report()

    def _show_buttons(self) -> None:
        is_local = self._current == LOCAL
        host = self._typed()
        entry = self._entry()
        self.save.setEnabled(host is not None and (entry is None or host != entry.host))
        is_testing = entry is not None and entry.testing
        self.test.setEnabled((is_local or host is not None) and not is_testing)

    def _show_report(self) -> None:
        entry = self._entry()
        report = self._draft_report or (entry.report if entry is not None else None)
        if report is None:
            self.report.show_nothing(_NOT_TESTED)
            return
        title = "this machine" if self._current == LOCAL else report.host
        self.report.show_report(report_view(report, title))

    def _typed(self) -> Host | None:
        try:
            return self.form.host()
        except HostError:
            return None

    def _connect(self) -> None:
        self.list.host_chosen.connect(self.choose)
        self.form.changed.connect(self._show_buttons)
        self.add.clicked.connect(lambda: self.choose(""))
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._current))
        self.save.clicked.connect(self._on_save_clicked)
        self.test.clicked.connect(self._on_test_clicked)
        self.report.cancel_requested.connect(self._on_cancel_requested)
        self._close.clicked.connect(self.accept)

    def _on_save_clicked(self) -> None:
        host = self._typed()
        if host is not None:
            self.save_requested.emit(host, self._current)

    def _on_test_clicked(self) -> None:
        entry = self._entry()
        host = entry.host if self._current == LOCAL and entry is not None else self._typed()
        if host is not None:
            self._draft_report = None
            self.report.show_step(f"Reaching {host.title} …")
            self.test_requested.emit(host)

    def _on_cancel_requested(self) -> None:
        self.cancel_requested.emit(self._current or self.form.field("name").text().strip())

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        self.list.setFixedWidth(_LIST)
        left.addWidget(self.list, 1)
        left.addWidget(self.add)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.remove)
        actions = QHBoxLayout()
        actions.setSpacing(8)
        actions.addWidget(self._said, 1)
        actions.addStretch(1)
        actions.addWidget(self.test)
        actions.addWidget(self.save)
        right = QVBoxLayout()
        right.setSpacing(10)
        right.addLayout(head)
        for part in (self._words, self.form):
            right.addWidget(part)
        right.addLayout(actions)
        right.addWidget(hairline())
        right.addWidget(self.report, 1)
        body = QHBoxLayout()
        body.setSpacing(20)
        body.addLayout(left)
        body.addLayout(right, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(body, 1)
        column.addLayout(foot)
