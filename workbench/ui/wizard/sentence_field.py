"""The field that takes one sentence about a kernel, and says what it did not understand."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import text_label

EXAMPLE = "FP16 matrix multiplication for A100, M=N=K=4096"


class _Line(QLineEdit):
    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()  # it fills the fields, and does not go on


class SentenceField(QWidget):
    """Enter, or the button, has the sentence read."""

    given = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = _Line()
        self.line.setAccessibleName("The kernel in one sentence")
        self.line.setPlaceholderText(EXAMPLE)
        self.line.setToolTip("Say what it computes, for which GPU, and the sizes")
        self._read = push_button(icons, "Fill the fields")
        self._error = text_label(icons.theme, "", TextRole.LABEL, "error")
        self._error.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self._read)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self._error)
        self._error.hide()
        self.setFocusProxy(self.line)
        self.line.returnPressed.connect(self._on_given)
        self._read.clicked.connect(self._on_given)

    @property
    def error(self) -> str:
        """What is said to be wrong."""
        return self._error.text()

    def show_sentence(self, text: str, error: str) -> None:
        """Show what was said, unless something else is being typed, and what is wrong with it."""
        if not self.line.isModified() and self.line.text() != text:
            self.line.setText(text)
        if not self.line.hasFocus():
            self.line.setCursorPosition(0)  # a long one shows how it begins
        self._error.setText(f"{error[:1].upper()}{error[1:]}." if error else "")
        self._error.setVisible(bool(error))

    def _on_given(self) -> None:
        text = self.line.text().strip()
        if text:
            self.line.setModified(False)
            self.given.emit(text)
