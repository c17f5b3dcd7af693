"""The row that chooses the buffer: its name, type and shape, and the line that allocates it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget

from workbench.session.lenses.layouts.picture import LayoutsPicture
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PickerButton, flush_link


class BufferRow(QWidget):
    """Shows one buffer and offers the others."""

    chosen = Signal(str)
    line_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picker = PickerButton(icons, "Choose the buffer", "")
        self._menu = QMenu(self._picker)
        self._picker.setMenu(self._menu)
        self._summary = QLabel()
        self._summary.setFont(icons.theme.fonts.role(TextRole.LABEL))
        self._summary.setProperty("tone", "fg3")
        self._line = flush_link(icons, "")
        self._line.clicked.connect(self.line_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self._picker)
        layout.addWidget(self._summary)
        layout.addStretch(1)
        layout.addWidget(self._line)

    @property
    def menu(self) -> QMenu:
        """What is offered."""
        return self._menu

    def show_picture(self, picture: LayoutsPicture) -> None:
        """Show the picture's buffer, and offer all of them."""
        shown = picture.shown
        self._picker.setText(shown.name)
        self._picker.setAccessibleName(f"Buffer {shown.name}")
        self._summary.setText(shown.summary)
        self._line.setVisible(shown.line is not None)
        self._line.setText(f"line {shown.line}")
        self._line.setToolTip(f"Show where {shown.name} is in the editor")
        self._menu.clear()
        for each in picture.buffers:
            action = self._menu.addAction(f"{each.name}   {each.kind.value}, {each.summary}")
            action.setCheckable(True)
            action.setChecked(each.name == shown.name)
            action.triggered.connect(partial(self._on_action_triggered, each.name))

    def _on_action_triggered(self, name: str, _checked: bool = False) -> None:
        self.chosen.emit(name)
