"""The body of a measurement that came to nothing: whose fault it is, and what was said."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.core.jobs import Failure
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import text_label

_WORDS = {
    "kernel": "The kernel is at fault: Verify on the same GPU, with what it says above.",
    "environment": "The machine is at fault, not the kernel: what it lacks is told above.",
    "timeout": "It was stopped at its time limit. Smaller arguments tell whether it ends at all.",
    "memory": "The memory of the device or of the job was full. Smaller arguments need less.",
    "crash": "The process ended without a word of its own; these are its last lines.",
    "internal": "This is a fault of the workbench: Help > Report a Problem.",
}
_AFTER = "What is measured next gets a fresh process, and the device is looked at before."


class FailureBody(QWidget):
    """Says it in a sentence, with the untouched text of what failed where there is one."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self._words = text_label(theme, "", TextRole.BODY, "fg2")
        self._after = text_label(theme, _AFTER, TextRole.BODY, "fg3")
        self._raw = QPlainTextEdit()
        self._raw.setReadOnly(True)
        self._raw.setFont(theme.fonts.monospace(11))
        self._raw.setAccessibleName("What was said")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 12)
        column.setSpacing(8)
        for label in (self._words, self._after):
            label.setWordWrap(True)
            column.addWidget(label)
        column.addWidget(self._raw, 1)
        column.addStretch(0)
        self._stretch = column

    @property
    def raw(self) -> str:
        """The text of what failed."""
        return self._raw.toPlainText()

    def show_failure(self, failure: Failure | None) -> None:
        """Tell of another one."""
        raw = failure.raw if failure is not None and failure.raw else ""
        self._words.setText(_WORDS.get(failure.kind, "") if failure is not None else "")
        self._raw.setPlainText(raw.rstrip())
        self._raw.setVisible(bool(raw))
        self._stretch.setStretch(self._stretch.count() - 1, 0 if raw else 1)
