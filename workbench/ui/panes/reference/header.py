"""The head of the reference: back, forward, contents, the search, and what is being read."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, flush_link
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.search_field import SearchField

_HEIGHT = 44
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Search(SearchField):
    """Arrow keys and Enter go to the list below."""

    stepped = Signal(int)
    chosen = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif event.key() in _ENTER:
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class ReferenceHeader(QWidget):
    """One row of tools and the search; below it a line while names are read, or failed to be."""

    back_requested = Signal()
    forward_requested = Signal()
    contents_toggled = Signal(bool)
    query_changed = Signal(str)
    step_requested = Signal(int)
    choice_requested = Signal()
    retry_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._back = self._tool(icons, "chevron-left", "Back (Alt+Left)")
        self._forward = self._tool(icons, "chevron-right", "Forward (Alt+Right)")
        self._contents = self._tool(icons, "list", "All pages")
        self._contents.setCheckable(True)
        self._search = _Search(icons, "Search the reference", "Shift+F1")
        self._notice = ElidedLabel(icons.theme, "", TextRole.LABEL, "fg3")
        self._retry = flush_link(icons, "Try again")
        self._note = QWidget()
        self._lay_out()
        self._connect()
        self.set_notice("", can_retry=False)

    @property
    def query(self) -> str:
        """What is searched for."""
        return self._search.text().strip()

    @property
    def notice(self) -> str:
        """What is said of TileLang's names; empty where nothing is."""
        return self._notice.text if not self._note.isHidden() else ""

    def set_query(self, query: str) -> None:
        """Search for something, as if it had been typed."""
        self._search.setText(query)

    def focus_search(self) -> None:
        """Put the cursor into the search, what is there selected."""
        self._search.setFocus()
        self._search.selectAll()

    def set_ways(self, can_go_back: bool, can_go_forward: bool) -> None:
        """Whether there is something to go back and forward to."""
        self._back.setEnabled(can_go_back)
        self._forward.setEnabled(can_go_forward)

    def set_contents(self, is_shown: bool, is_choosable: bool) -> None:
        """Whether the list of pages is shown, and whether that can be chosen."""
        self._contents.setChecked(is_shown)
        self._contents.setVisible(is_choosable)

    def set_notice(self, text: str, can_retry: bool) -> None:
        """Say how far the names of TileLang are; nothing where they are all there."""
        self._notice.set_text(text)
        self._retry.setVisible(can_retry)
        self._note.setVisible(bool(text))

    def _tool(self, icons: Icons, icon: str, tip: str) -> FlatToolButton:
        button = FlatToolButton(icons, tip)
        button.set_icon(icon, "fg2")
        return button

    def _lay_out(self) -> None:
        tools = QWidget()
        tools.setFixedHeight(_HEIGHT)
        row = QHBoxLayout(tools)
        row.setContentsMargins(10, 6, 12, 6)
        row.setSpacing(2)
        for part in (self._back, self._forward, self._contents):
            row.addWidget(part)
        row.addSpacing(6)
        row.addWidget(self._search, 1)
        note = QHBoxLayout(self._note)
        note.setContentsMargins(16, 0, 12, 6)
        note.addWidget(self._notice, 1)
        note.addWidget(self._retry)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(tools)
        layout.addWidget(self._note)
        self.setFocusProxy(self._search)

    def _connect(self) -> None:
        self._back.clicked.connect(self.back_requested)
        self._forward.clicked.connect(self.forward_requested)
        self._contents.clicked.connect(self.contents_toggled)
        self._search.textChanged.connect(self.query_changed)
        self._search.stepped.connect(self.step_requested)
        self._search.chosen.connect(self.choice_requested)
        self._retry.clicked.connect(self.retry_requested)
