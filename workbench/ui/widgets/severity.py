"""How severities look everywhere: a shape, a hue and a word each."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLabel, QWidget

from workbench.core.diagnostics import Severity
from workbench.ui.theme.icons import Icons


@dataclass(frozen=True)
class SeverityLook:
    """`icon` is the shape, `tone` the colour token (`<tone>_bg` is its ground)."""

    icon: str
    tone: str
    word: str


GOOD = SeverityLook("check", "good", "Good")
SEVERITY_LOOKS = {
    Severity.ERROR: SeverityLook("error", "error", "Error"),
    Severity.WARNING: SeverityLook("warning", "warn", "Warning"),
    Severity.INFO: SeverityLook("info", "info", "Note"),
}


class SeverityMark(QLabel):
    """The mark of a severity, or of what is good; named for who cannot see it."""

    def __init__(
        self,
        icons: Icons,
        severity: Severity | SeverityLook,
        size: int = 16,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons, self._size = icons, size
        self._look = _look_of(severity)
        self.setFixedSize(size, size)
        icons.theme.changed.connect(self._on_theme_changed)
        self._show()

    @property
    def look(self) -> SeverityLook:
        """What is shown."""
        return self._look

    def set_severity(self, severity: Severity | SeverityLook) -> None:
        """Show another one."""
        self._look = _look_of(severity)
        self._show()

    def event(self, event: QEvent) -> bool:
        """Draw anew for a screen of another pixel ratio."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._show()
        return super().event(event)

    def _on_theme_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        ratio = self.devicePixelRatioF()
        self.setPixmap(self._icons.pixmap(self._look.icon, self._look.tone, self._size, ratio))
        self.setAccessibleName(self._look.word)
        self.setToolTip(self._look.word)


def _look_of(severity: Severity | SeverityLook) -> SeverityLook:
    return severity if isinstance(severity, SeverityLook) else SEVERITY_LOOKS[severity]
