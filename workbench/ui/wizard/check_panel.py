"""The checks of a draft: one row each, with what it does and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.session.patterns.checking import CheckItem, CheckState
from workbench.session.patterns.wizard_view import CheckView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.severity import GOOD, SEVERITY_LOOKS, SeverityLook, SeverityMark

_LOOKS = {
    CheckState.WAITING: SeverityLook("clock", "fg3", "Waiting"),
    CheckState.RUNNING: SeverityLook("play", "accent", "Running"),
    CheckState.GOOD: GOOD,
    CheckState.BAD: SEVERITY_LOOKS[Severity.ERROR],
    CheckState.STOPPED: SeverityLook("stop", "fg3", "Stopped"),
}
_WORDS = {CheckState.WAITING: "waits", CheckState.RUNNING: "runs"}


class CheckPanel(QWidget):
    """Rows are made anew when something changed; there are few of them."""

    check_requested = Signal()
    stop_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.items: tuple[CheckItem, ...] = ()
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        self.again = push_button(icons, "Check again", icon="refresh")
        self.stop = push_button(icons, "Stop", icon="stop")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.again)
        buttons.addWidget(self.stop)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(self._rows)
        layout.addLayout(buttons)
        layout.addStretch(1)
        self.again.clicked.connect(self.check_requested)
        self.stop.clicked.connect(self.stop_requested)

    def set_checks(self, view: CheckView) -> None:
        """Show these checks."""
        self.stop.setVisible(view.is_busy)
        self.again.setVisible(not view.is_busy)
        self.again.setText("Check again" if view.items else "Check")
        if view.items != self.items:
            self.items = view.items
            self._show(view.items)

    def _show(self, items: Sequence[CheckItem]) -> None:
        while (entry := self._rows.takeAt(0)) is not None:
            widget = entry.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for item in items:
            self._rows.addWidget(self._row(item))

    def _row(self, item: CheckItem) -> QWidget:
        theme, panel = self._icons.theme, QWidget()
        mark = SeverityMark(self._icons, _LOOKS[item.state])
        title = text_label(theme, item.title, TextRole.HEADING, "fg")
        tone = "error" if item.state is CheckState.BAD else "fg2"
        said = item.text or _WORDS.get(item.state, "")
        text = text_label(theme, said, TextRole.BODY, tone)
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (title, text):
            label.setWordWrap(True)
            words.addWidget(label)
        for problem in item.problems[:3]:
            label = text_label(theme, problem, TextRole.LABEL, "fg3")
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.addWidget(label)
        row = QHBoxLayout()
        row.setContentsMargins(0, 9, 0, 9)
        row.setSpacing(12)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(hairline())
        panel.setAccessibleName(f"{item.title}: {_LOOKS[item.state].word}. {item.text}")
        return panel
