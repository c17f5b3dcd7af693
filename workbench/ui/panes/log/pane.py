"""The pane of the log: its head with search and tools, and the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from workbench.ui.panes.log.lines import LogKind, LogLine, lines_of
from workbench.ui.panes.log.view import LogView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import divider, text_label
from workbench.ui.widgets.search_field import SearchField

_NONE = "Nothing printed yet. What compilers and kernels print stands here, the newest line last."
_LANES = (
    "Each line has its time, and who printed it: a job that you asked for, or one that began "
    "while you were typing."
)
_HEIGHT = 36
_SEARCH_WIDTH = 200
# A job may print thousands of lines a second: they are shown in one go so often.
_PAUSE_MS = 30
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LogPane(QWidget):
    """Shows what is appended to it; `clock` tells the time of a line, in local time."""

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        super().__init__(parent)
        self._icons, self._clock = icons, clock
        self._waiting: list[LogLine] = []
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.flush)
        self._summary = ElidedLabel(theme, "", TextRole.STRONG_LABEL, "fg")
        self._matches = text_label(theme, "", TextRole.LABEL, "fg3")
        self._search = SearchField(icons, "Search the log")
        self._wrap = self._tool("wrap", "Wrap long lines", checkable=True)
        self._follow = self._tool("arrow-down", "Follow the end", checkable=True)
        self._copy = self._tool("copy", "Copy the selection, or all of the log")
        self._clear = self._tool("trash", "Clear the log")
        self._view = LogView(theme)
        self._empty = EmptyState(icons, "terminal", _NONE)
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._tell()

    def append(self, lane: str, text: str, kind: LogKind = "output") -> None:
        """Put a printed text of one or more lines at the end, within some milliseconds."""
        self._waiting.extend(lines_of(lane, text, kind, self._clock()))
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Show now what was appended."""
        self._timer.stop()
        lines, self._waiting = self._waiting, []
        self._view.add_lines(lines)
        self._tell()

    def clear(self) -> None:
        """Forget everything."""
        self._waiting.clear()
        self._view.clear_lines()
        self._tell()

    @property
    def text(self) -> str:
        """The whole log, a line a line; also what has not been shown yet."""
        lines = (*self._view.lines, *self._waiting)
        return "".join(f"{line.plain}\n" for line in lines)

    def state(self) -> dict[str, Any]:
        """Whether lines are wrapped, as JSON can hold it."""
        return {"version": 1, "wrap": self._wrap.isChecked()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") == 1:
            self._wrap.setChecked(state.get("wrap") is True)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.matches(QKeySequence.StandardKey.Find):
            self._search.setFocus()
        elif event.key() in _ENTER and self._search.hasFocus():
            backwards = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._view.go_to_match(backwards)
        else:
            super().keyPressEvent(event)

    def _tool(self, icon: str, tip: str, checkable: bool = False) -> FlatToolButton:
        button = FlatToolButton(self._icons, tip)
        button.set_icon(icon, "fg3")
        button.setCheckable(checkable)
        return button

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self._follow.setChecked(True)
        self._search.setFixedWidth(_SEARCH_WIDTH)
        header = QWidget()
        header.setFixedHeight(_HEIGHT)
        header.setToolTip(_LANES)
        head = QHBoxLayout(header)
        head.setContentsMargins(16, 4, 12, 4)
        head.setSpacing(4)
        head.addWidget(self._summary, 1)
        for part in (self._matches, self._search, divider(), self._wrap, self._follow):
            head.addWidget(part)
        head.addWidget(self._copy)
        head.addWidget(self._clear)
        text = QWidget()
        text_layout = QVBoxLayout(text)
        text_layout.setContentsMargins(8, 0, 0, 0)
        text_layout.addWidget(self._view)
        self._stack.addWidget(text)
        self._stack.addWidget(self._empty)
        self._header = header
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        layout.addWidget(header)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self._view)
        self.setTabOrder(self._view, self._search)

    def _connect(self) -> None:
        self._search.textChanged.connect(self._on_search_changed)
        self._wrap.toggled.connect(self._on_wrap_toggled)
        self._follow.clicked.connect(self._on_follow_clicked)
        self._copy.clicked.connect(self._view.copy_all)
        self._clear.clicked.connect(self.clear)
        self._view.following_changed.connect(self._follow.setChecked)

    def _tell(self) -> None:
        lines = self._view.lines
        errors = sum(line.kind == "error" and line.is_first for line in lines)
        plural = "" if len(lines) == 1 else "s"
        said = f", {errors:,} error" + ("" if errors == 1 else "s") if errors else ""
        self._summary.set_text(f"{len(lines):,} line{plural}{said}.")
        self._header.setVisible(bool(lines))
        self._stack.setCurrentIndex(0 if lines else 1)
        if self._search.text():
            self._on_search_changed(self._search.text())

    def _on_search_changed(self, text: str) -> None:
        count = self._view.mark(text)
        plural = "" if count == 1 else "es"
        self._matches.setText(f"{count:,} match{plural}" if text else "")

    def _on_wrap_toggled(self, wrapped: bool) -> None:
        modes = QPlainTextEdit.LineWrapMode
        self._view.setLineWrapMode(modes.WidgetWidth if wrapped else modes.NoWrap)

    def _on_follow_clicked(self) -> None:
        self._view.follow()
        self._follow.setChecked(self._view.following)
