"""Goes through the steps of a block: a slider, buttons for the steps beside it, and play."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import text_label

_WHOLE_MS = 8000  # of a walk, as far as its steps are neither too quick nor too slow
_QUICKEST_MS, _SLOWEST_MS = 40, 450
_LABEL_WIDTH = 118


class Player(QWidget):
    """Steps from 0 of `count`; while it plays it stops at the last one."""

    step_changed = Signal(int)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._play = _button(icons, "Play the steps of this block", "play")
        self._back = _button(icons, "One step back", "chevron-left")
        self._next = _button(icons, "One step on", "chevron-right")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step of the block")
        self.slider.setToolTip("The step of the block that is shown")
        self._label = text_label(icons.theme, "", TextRole.STRONG_LABEL, "fg")
        self._label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._label.setMinimumWidth(_LABEL_WIDTH)
        self._label.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for each in (self._play, self._back, self._next):
            layout.addWidget(each)
        layout.addSpacing(6)
        layout.addWidget(self.slider, 1)
        layout.addSpacing(6)
        layout.addWidget(self._label)
        self._play.clicked.connect(self.toggle)
        self._back.clicked.connect(lambda: self._move(-1))
        self._next.clicked.connect(lambda: self._move(1))
        self.slider.valueChanged.connect(self.step_changed)

    @property
    def is_playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer.isActive()

    def set_steps(self, count: int, step: int, text: str) -> None:
        """Show a step of so many; it is no wish for another one."""
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, count - 1))
        self.slider.setPageStep(max(1, count // 10))
        self.slider.setValue(step)
        self.slider.blockSignals(False)
        self._label.setText(text)
        self.slider.setAccessibleDescription(text)
        self.setEnabled(count > 1)
        if step >= count - 1:
            self.stop()

    def toggle(self) -> None:
        """Play from here, from the start where it is at the end; or stop."""
        if self.is_playing:
            self.stop()
            return
        count = self.slider.maximum() + 1
        if self.slider.value() >= self.slider.maximum():
            self.slider.setValue(0)
        self._timer.start(min(max(_WHOLE_MS // max(1, count), _QUICKEST_MS), _SLOWEST_MS))
        self._show_state()

    def stop(self) -> None:
        """Play no longer."""
        self._timer.stop()
        self._show_state()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        self.stop()
        super().hideEvent(event)

    def _move(self, steps: int) -> None:
        self.slider.setValue(self.slider.value() + steps)

    def _show_state(self) -> None:
        self._play.set_icon("pause" if self.is_playing else "play", "fg2")
        self._play.setToolTip("Pause" if self.is_playing else "Play the steps of this block")

    def _on_timer_timeout(self) -> None:
        if self.slider.value() >= self.slider.maximum():
            self.stop()
        else:
            self._move(1)


def _button(icons: Icons, tip: str, icon: str) -> FlatToolButton:
    button = FlatToolButton(icons, tip)
    button.set_icon(icon, "fg2")
    return button
