"""The rail of icons at the window's edge that opens the navigator's parts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy, QToolBar, QWidget

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton

_BUTTON_HEIGHT = 40


class Rail(QToolBar):
    """A tool bar of checkable actions, each an icon of 20 px; the checked one has a mark."""

    def __init__(self, icons: Icons, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._icons = icons
        self.setProperty("kind", "rail")
        self.setObjectName("rail")
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)

    def add(self, action: QAction, icon: str) -> FlatToolButton:
        """Add a button for the action, below those that are there."""
        button = RailButton(self._icons, action, icon)
        self.addWidget(button)
        return button

    def add_stretch(self) -> None:
        """What is added from here on stands at the lower end."""
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.addWidget(spacer)

    def event(self, event: QEvent) -> bool:
        """Keep the margins: Qt sets a tool bar's from the style, which is that of all tool bars."""
        handled = super().event(event)
        if event.type() in (QEvent.Type.Polish, QEvent.Type.StyleChange):
            self._fit()
        return handled

    def _fit(self) -> None:
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(0, 4, 0, 4)
            layout.setSpacing(0)


class RailButton(FlatToolButton):
    """An action's icon, bright while the action is checked."""

    def __init__(self, icons: Icons, action: QAction, icon: str) -> None:
        super().__init__(icons, action.toolTip() or action.text())
        self._icon_name = icon
        self._action = action
        self.setProperty("kind", "rail")
        self.setCheckable(True)
        self.setChecked(action.isChecked())
        self.setFixedSize(METRICS.rail_width, _BUTTON_HEIGHT)
        self._on_action_toggled(action.isChecked())
        action.toggled.connect(self._on_action_toggled)
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self._action.trigger()
        self.setChecked(self._action.isChecked())

    def _on_action_toggled(self, checked: bool) -> None:
        self.setChecked(checked)
        self.set_icon(self._icon_name, "fg" if checked else "fg3", METRICS.rail_icon)
