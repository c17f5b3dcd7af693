"""Steps through the warps, turns and phases of a site, with buttons that have keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import text_label


class Stepper(QWidget):
    """One thing of several, named between two buttons; it hides where there is one alone."""

    #: The place that is wanted.
    stepped = Signal(int)

    def __init__(self, icons: Icons, what: str, keys: tuple[str, str]) -> None:
        super().__init__()
        self._count, self._place = 0, 0
        self._label = text_label(icons.theme, "", TextRole.LABEL, "fg2")
        self._back = FlatToolButton(icons, f"Previous {what} ({keys[0]})")
        self._back.set_icon("chevron-left", "fg3")
        self._on = FlatToolButton(icons, f"Next {what} ({keys[1]})")
        self._on.set_icon("chevron-right", "fg3")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in (self._back, self._label, self._on):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._back.clicked.connect(lambda: self.step(-1))
        self._on.clicked.connect(lambda: self.step(1))

    def show_places(self, labels: Sequence[str], place: int) -> None:
        """Show which one it is."""
        self._count, self._place = len(labels), place
        self._label.setText(labels[place] if labels else "")
        self.setVisible(len(labels) > 1)

    def step(self, way: int) -> None:
        """Go to another one, around the end."""
        if self._count > 1:
            self.stepped.emit((self._place + way) % self._count)
