"""The mark of a figure's origin: solid where it was measured, hatched where it was predicted."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_block

_WIDTH, _HEIGHT = 12, 8


class SourceSwatch(QWidget):
    """A small block beside a figure; its owner tells the origin in words too."""

    def __init__(self, theme: Theme, predicted: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._predicted = theme, predicted
        self.setFixedSize(_WIDTH, _HEIGHT)
        self.setAccessibleName("predicted" if predicted else "measured")
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            rect = QRectF(0, 0, _WIDTH, _HEIGHT)
            paint_block(painter, rect, self._theme.colour("fg3"), self._predicted)
