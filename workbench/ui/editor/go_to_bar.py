"""The bar in which the number of a line to go to is typed."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

_PLACE = re.compile(r"\s*(\d{1,9})\s*(?:[:,]\s*(\d{1,9}))?\s*")
MARGIN = 6
FIELD_WIDTH = 120


class GoToBar(QFrame):
    """Takes `line` or `line:column`, both from 1; Enter goes there, Escape closes."""

    wanted = Signal(int, int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Go to line")
        self.setAutoFillBackground(True)
        self.field = QLineEdit()
        self.field.setAccessibleName("Line, or line:column")
        self.field.setToolTip("Line, or line:column")
        self.field.setMaximumWidth(FIELD_WIDTH)
        self._hint = QLabel()
        self._hint.setProperty("tone", "fg3")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.addWidget(QLabel("Go to line"))
        layout.addWidget(self.field)
        layout.addWidget(self._hint, 1)

    def open(self, line: int, count: int) -> None:
        """Show the bar for a document of `count` lines with the cursor on `line`, from 1."""
        self.field.setText(str(line))
        self._hint.setText(f"1 to {count:,}, or line:column")
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def close_bar(self) -> None:
        """Hide the bar."""
        self.hide()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go()
        else:
            super().keyPressEvent(event)

    def _go(self) -> None:
        place = _PLACE.fullmatch(self.field.text())
        if place is None:
            self._hint.setText("a line is a number, as 24 or 24:7")
            return
        self.close_bar()
        self.wanted.emit(int(place[1]), int(place[2] or 1))
