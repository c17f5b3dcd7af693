"""The list of hosts: a row each, with its command and how its last test went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from workbench.core.host_report import HostReport
from workbench.core.hosts import Host
from workbench.ui.theme.icons import Icons

_ROW, _ICON = 40, 16


@dataclass(frozen=True)
class HostEntry:
    """A host, how its test went, and whether one runs."""

    host: Host
    report: HostReport | None = None
    testing: bool = False

    @property
    def icon(self) -> tuple[str, str]:
        """The icon and its colour token."""
        if self.testing:
            return "refresh", "accent"
        if self.report is None:
            return "server", "fg3"
        if not self.report.reached or not self.report.can("simulator"):
            return "error", "error"
        return ("check", "good") if self.report.can("gpu") else ("warning", "warn")

    @property
    def words(self) -> str:
        """How it is, for who cannot see the icon."""
        return {
            "refresh": "being tested",
            "server": "not tested yet",
            "error": "cannot be used",
            "check": "ready",
            "warning": "without a GPU",
        }[self.icon[0]]


class HostList(QListWidget):
    """This machine first; the last row is a new host while one is being added."""

    #: The host of that name was chosen; "" is the new one.
    host_chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._entries: tuple[HostEntry, ...] = ()
        self.setAccessibleName("Hosts")
        self.setIconSize(QSize(_ICON, _ICON))
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.currentItemChanged.connect(self._on_current_changed)
        icons.theme.changed.connect(self._fill)

    def show_hosts(self, entries: Sequence[HostEntry], adding: bool, current: str) -> None:
        """Show the hosts; `current` is the name of the one in the form, "" the new one."""
        self._entries = tuple(entries)
        self._adding, self._current = adding, current
        self._fill()

    def _fill(self) -> None:
        was_blocked = self.blockSignals(True)
        self.clear()
        for entry in self._entries:
            host = entry.host
            title = "This machine" if host.is_local else host.name
            below = entry.words if host.is_local else host.command_line
            self._add(host.name, f"{title}\n{below}", entry.icon, f"{title}, {entry.words}")
        if self._adding:
            self._add("", "New host\nnot added yet", ("plus", "accent"), "New host")
        for row in range(self.count()):
            if self.item(row).data(Qt.ItemDataRole.UserRole) == self._current:
                self.setCurrentRow(row)
        self.blockSignals(was_blocked)

    def _add(self, name: str, text: str, icon: tuple[str, str], spoken: str) -> None:
        item = QListWidgetItem(self._icons.icon(icon[0], icon[1], _ICON), text)
        item.setData(Qt.ItemDataRole.UserRole, name)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        item.setToolTip(text)
        item.setSizeHint(QSize(0, _ROW))
        self.addItem(item)

    def _on_current_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.host_chosen.emit(str(item.data(Qt.ItemDataRole.UserRole)))
