"""The dialog with the kinds of hints: a tick for each that is told."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from workbench.session.guidelines import GUIDELINES, Guideline
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, text_label

_INTRODUCTION = (
    "These hints are customs of fast kernels, which a kernel may have reasons not to follow. "
    "What has no tick is not told, in any file. Mistakes are always told."
)
_WIDTH = 480


class HintsDialog(QDialog):
    """Changes nothing itself; what is ticked counts at once."""

    #: The person wants to be told a kind of hint, or not: its code and which.
    hint_toggled = Signal(str, bool)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.setWindowTitle("Hints")
        self._boxes = {guideline.code: self._box(guideline) for guideline in GUIDELINES}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(10)
        introduction = text_label(icons.theme, _INTRODUCTION, TextRole.BODY, "fg2")
        introduction.setWordWrap(True)
        introduction.setMinimumWidth(_WIDTH)
        layout.addWidget(introduction)
        for code, box in self._boxes.items():
            layout.addLayout(self._row(code, box))
        layout.addWidget(hairline())
        layout.addLayout(self._foot())

    def show_declined(self, declined: Collection[str]) -> None:
        """Tick what is told."""
        for code, box in self._boxes.items():
            was_blocked = box.blockSignals(True)
            box.setChecked(code not in declined)
            box.blockSignals(was_blocked)

    def box(self, code: str) -> QCheckBox:
        """The box of a kind of hint."""
        return self._boxes[code]

    def _box(self, guideline: Guideline) -> QCheckBox:
        box = QCheckBox(guideline.title)
        box.setToolTip(f"Tell “{guideline.code}” where it applies")
        box.toggled.connect(lambda on: self.hint_toggled.emit(guideline.code, on))
        return box

    def _row(self, code: str, box: QCheckBox) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(box, 1)
        name = text_label(self._icons.theme, code, TextRole.LABEL, "fg3")
        name.setFont(self._icons.theme.fonts.monospace(12))
        row.addWidget(name)
        return row

    def _foot(self) -> QHBoxLayout:
        close = push_button(self._icons, "Close", "primary")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        return foot
