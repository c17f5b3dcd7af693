"""Chips and badges: a word or a count on a coloured ground."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.labels import set_look


class Chip(QLabel):
    """A short word; `tone` is neutral, accent, error, warn, info or good."""

    _kind = "chip"

    def __init__(
        self, theme: Theme, text: str, tone: str = "neutral", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setProperty("kind", self._kind)
        self.setProperty("tone", tone)
        self.setFont(theme.fonts.role(TextRole.NOTE))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_tone(self, tone: str) -> None:
        """Show another tone."""
        set_look(self, "tone", tone)


class Badge(Chip):
    """A count beside a title; hidden while it is 0."""

    _kind = "badge"

    def __init__(self, theme: Theme, count: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(theme, f"{count:,}", parent=parent)
        # `setVisible(True)` here would open a window of its own.
        if count == 0:
            self.hide()

    def set_count(self, count: int) -> None:
        """Show another count."""
        self.setText(f"{count:,}")
        self.setVisible(count > 0)
