"""The conclusion of a text in one line: its first clause stands out, the end gives way."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.conclusion import split_conclusion

_HEIGHT = 28


class SentenceLine(QWidget):
    """Shows as much of a sentence as there is room for; the tooltip has all of it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = ""
        self._strong = theme.fonts.role(TextRole.HEADING)
        self._plain = theme.fonts.role(TextRole.BODY)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The whole sentence."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another sentence."""
        self._text = text
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(200, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            first, rest = split_conclusion(self._text)
            area = self.rect()
            for text, font, token in ((first, self._strong, "fg"), (rest, self._plain, "fg2")):
                metrics = QFontMetrics(font)
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
                painter.setFont(font)
                painter.setPen(self._theme.colour(token))
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)
                used = metrics.horizontalAdvance(shown) + metrics.horizontalAdvance(" ")
                area = area.adjusted(used, 0, 0, 0)
                if area.width() <= 0 or shown != text:
                    break
