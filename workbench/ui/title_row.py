"""The window's first row: logo, menus, the document's name and the perspective switch."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QMenuBar, QSizePolicy, QWidget

from workbench.ui.actions import MENUS, Actions
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

_LOGO = 18
_HEIGHT = 32


class TitleRow(QWidget):
    """Goes into the main window's menu row, so that the menus stay the first thing in it."""

    def __init__(self, icons: Icons, actions: Actions, perspectives: Sequence[Segment]) -> None:
        super().__init__()
        self.setProperty("kind", "frame")
        self.setAutoFillBackground(True)
        self._icons = icons
        self._logo = QLabel()
        self.menus, self._menus = _menu_bar(actions)
        self._title = text_label(icons.theme, "", TextRole.STRONG, "fg2")
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.switch = SegmentedSwitch(icons, "Perspective", perspectives)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self._logo)
        layout.addWidget(self.menus)
        layout.addWidget(self._title, 1)
        layout.addWidget(self.switch)
        self.setFixedHeight(_HEIGHT)
        icons.theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def add_submenu(self, menu: str, title: str, entries: Sequence[QAction]) -> None:
        """Put a menu of actions at the end of one of the menus; KeyError for no such menu."""
        shown = self._menus[menu]
        shown.addSeparator()
        shown.addMenu(title).addActions(list(entries))

    def set_title(self, text: str) -> None:
        """Name the document in view."""
        self._title.setText(text)

    def _on_theme_changed(self) -> None:
        self._logo.setPixmap(self._icons.logo(_LOGO, self.devicePixelRatioF()))
        palette = self.palette()
        palette.setColor(self.backgroundRole(), self._icons.theme.colour("bg0"))
        self.setPalette(palette)


def _menu_bar(actions: Actions) -> tuple[QMenuBar, dict[str, QMenu]]:
    bar, menus = QMenuBar(), {}
    bar.setNativeMenuBar(False)
    bar.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
    for name in MENUS:
        menu = menus[name] = bar.addMenu(f"&{name}")
        menu.setToolTipsVisible(False)
        for record, action in actions:
            if record.menu != name:
                continue
            if record.separator:
                menu.addSeparator()
            menu.addAction(action)
    return bar, menus
