"""The title of a dock: its name, the tools of the view, and the buttons that float and close it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import text_label


class DockTitle(QFrame):
    """Give it to the dock's `setTitleBarWidget`; dragging it drags the dock."""

    def __init__(self, dock: QDockWidget, icons: Icons) -> None:
        super().__init__(dock)
        self.setProperty("kind", "dock-title")
        self._dock = dock
        self._title = text_label(icons.theme, dock.windowTitle(), TextRole.HEADING, "fg2")
        self._float = _button(icons, "Tear off or put back", "external")
        self._close = _button(icons, "Close this panel", "close")
        self._tools = QHBoxLayout()
        self._tools.setSpacing(4)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 6, 0)
        layout.setSpacing(4)
        layout.addWidget(self._title, 1)
        layout.addLayout(self._tools)
        layout.addWidget(self._float)
        layout.addWidget(self._close)
        dock.windowTitleChanged.connect(self._title.setText)
        dock.featuresChanged.connect(self._on_features_changed)
        self._float.clicked.connect(self._on_float_clicked)
        self._close.clicked.connect(dock.close)
        self._on_features_changed()

    def add_tool(self, tool: QWidget) -> None:
        """Put a button of the view before those of the dock."""
        self._tools.addWidget(tool)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().sizeHint().width(), METRICS.tab_height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().minimumSizeHint().width(), METRICS.tab_height)

    def _on_features_changed(self) -> None:
        features = self._dock.features()
        movable = QDockWidget.DockWidgetFeature.DockWidgetFloatable
        closable = QDockWidget.DockWidgetFeature.DockWidgetClosable
        self._float.setVisible(bool(features & movable))
        self._close.setVisible(bool(features & closable))

    def _on_float_clicked(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())


def _button(icons: Icons, tip: str, icon: str) -> FlatToolButton:
    button = FlatToolButton(icons, tip)
    button.set_icon(icon, "fg3", 14)
    button.setFixedSize(24, 24)
    return button
