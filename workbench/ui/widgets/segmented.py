"""A switch of a few choices side by side, one of which holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QWidget

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton

_INNER_HEIGHT = 24
_LEAST_WIDTH = 64


@dataclass(frozen=True)
class Segment:
    """One choice: `key` names it in signals, `tip` says more than `text` has room for."""

    key: str
    text: str
    tip: str = ""


class SegmentedSwitch(QFrame):
    """Real buttons in a group, so that arrow keys, Tab and screen readers work on them."""

    #: The person chose the segment of that key.
    chosen = Signal(str)

    def __init__(
        self, icons: Icons, name: str, segments: Sequence[Segment], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", "segments")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._group = QButtonGroup(self)
        self._buttons = {segment.key: _SegmentButton(icons, segment) for segment in segments}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(2)
        for button in self._buttons.values():
            self._group.addButton(button)
            layout.addWidget(button)
        self._group.buttonClicked.connect(self._on_button_clicked)

    @property
    def current(self) -> str | None:
        """The key that holds, None where none does."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def button(self, key: str) -> FlatToolButton:
        """The button of a segment, to enable it or give it a mark; KeyError for no such key."""
        return self._buttons[key]

    def set_current(self, key: str) -> None:
        """Let that segment hold without a signal; KeyError for no such key."""
        self._buttons[key].setChecked(True)

    def _on_button_clicked(self, button: FlatToolButton) -> None:
        self.chosen.emit(next(key for key, known in self._buttons.items() if known is button))


class _SegmentButton(FlatToolButton):
    _padding = 12

    def __init__(self, icons: Icons, segment: Segment) -> None:
        super().__init__(icons, segment.tip or segment.text, segment.text)
        self.setProperty("kind", "segment")
        self.setCheckable(True)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        width = super().sizeHint().width()
        return QSize(max(_LEAST_WIDTH, width), _INNER_HEIGHT)

    def _text_token(self) -> str:
        if not self.isEnabled():
            return "fg4"
        return "fg" if self.isChecked() or self.underMouse() else "fg3"
