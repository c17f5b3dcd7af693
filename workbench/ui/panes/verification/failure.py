"""What the pane shows where there is no comparison: why, where, and the tool's own words."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.session.verification_view import VerificationView
from workbench.ui.panes.verification.header import STALE
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel


class FailurePage(QWidget):
    """Shows a failure, and leads to its line."""

    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: The person wants to try again.
    verify_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line: int | None = None
        self._conclusion = ConclusionLabel(icons.theme)
        self._stale = Chip(icons.theme, STALE, "warn")
        self._go = push_button(icons, "", "normal", "chevron-right")
        self._again = push_button(icons, "Verify again", "link")
        self._raw = QPlainTextEdit()
        self._raw.setReadOnly(True)
        self._raw.setFont(icons.theme.fonts.monospace())
        self._raw.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._raw.setAccessibleName("The text of the error")
        self._lay_out()
        self._go.clicked.connect(self._on_go_clicked)
        self._again.clicked.connect(self.verify_requested)

    def show_view(self, view: VerificationView) -> None:
        """Show why there is no comparison."""
        failure = view.failure
        self._conclusion.set_conclusion(view.conclusion)
        self._stale.setVisible(view.stale)
        self._line = failure.line if failure is not None else None
        self._go.setVisible(self._line is not None)
        self._go.setText(f"Go to line {self._line}")
        text = (failure.raw or failure.message) if failure is not None else ""
        # A message of one line stands in the conclusion already.
        self._raw.setPlainText(text)
        self._raw.setVisible("\n" in text.strip())

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(METRICS.gap)
        for part in (self._stale, self._go, self._again):
            row.addWidget(part)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        inset = METRICS.wide_inset
        layout.setContentsMargins(inset, inset - 4, inset, inset)
        layout.setSpacing(12)
        layout.addWidget(self._conclusion)
        layout.addLayout(row)
        layout.addWidget(self._raw, 1)
        layout.addStretch(0)

    def _on_go_clicked(self) -> None:
        if self._line is not None:
            self.line_requested.emit(self._line)
