"""Greys a widget whose content is of an earlier text, and lets the pointer through."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.theme.theme import Theme

_ALPHA = 0.5


class Veil(QWidget):
    """Lies over all of its parent while it is visible."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        theme.changed.connect(self.update)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        parent = self.parentWidget()
        if watched is parent and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.resize(parent.size())
            self.raise_()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour("bg1", _ALPHA))
