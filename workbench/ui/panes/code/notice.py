"""A strip that says of the whole pane what has to be known before reading."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import set_look, text_label
from workbench.ui.widgets.severity import SeverityMark

_TONES = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.INFO: "info"}


class Notice(QFrame):
    """Shown while it has something to say."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "notice")
        self._mark = SeverityMark(icons, Severity.WARNING, 14)
        self._text = text_label(icons.theme, "", TextRole.LABEL, "fg")
        self._text.setWordWrap(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.setSpacing(8)
        layout.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._text, 1)
        self.hide()

    @property
    def text(self) -> str:
        """What is said."""
        return self._text.text()

    def set_text(self, text: str, severity: Severity = Severity.WARNING) -> None:
        """Say something else; nothing hides the strip."""
        self._text.setText(text)
        self._mark.set_severity(severity)
        set_look(self, "tone", _TONES[severity])
        self.setVisible(bool(text))
