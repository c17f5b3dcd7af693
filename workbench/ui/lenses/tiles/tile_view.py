"""The view of the tile map: the arrow keys move the block."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.theme.theme import Theme

_LEAST = QSize(480, 190)  # what a scroll area around it lets it have at least
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class TileView(PictureView):
    """Arrow keys go to the next block, Space plays; with Shift arrows go from place to place."""

    #: The block is to move by so many rows and columns.
    moved = Signal(int, int)
    play_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, zooms=True, parent=parent)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return _LEAST

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in _MOVES and not shifted:
            self.moved.emit(*_MOVES[key])
        elif key == Qt.Key.Key_Space:
            self.play_requested.emit()
        else:
            super().keyPressEvent(event)
