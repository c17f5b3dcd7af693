"""A pattern in the list of all: its name, and two lines of what it is."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent

from workbench.ui.welcome.rows import LinkButton

_HEIGHT, _LINE, _TOP = 57, 16, 4
_ICON, _LEFT = 16, 36
_BESIDE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PatternCard(LinkButton):
    """A link whose text has room for a sentence."""

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(240, self._theme.fonts.pixels(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        line, top = self._theme.fonts.pixels(_LINE), self._theme.fonts.pixels(_TOP)
        place = QRect(8, top + (line - _ICON) // 2 + 1, _ICON, _ICON)
        self._icons.icon(self.row.icon, self.row.tone, _ICON).paint(painter, place)
        width = self.width() - _LEFT - 8
        title = QRect(_LEFT, top, width, line + 2)
        painter.setFont(self._label)
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(title, _RIGHT, self.row.note)
        note = QFontMetrics(self._label).horizontalAdvance(self.row.note)
        for at, text in enumerate(two_lines(self.row.text, QFontMetrics(self._label), width)):
            painter.drawText(QRect(_LEFT, top + 2 + line * (at + 1), width, line), _BESIDE, text)
        painter.setFont(self._title)
        painter.setPen(self._theme.colour("fg"))
        self._paint_text(painter, title.adjusted(0, 0, -note - 8, 0), self.row.title)
        painter.end()


def two_lines(text: str, metrics: QFontMetrics, width: int) -> list[str]:
    """A text broken between words into two lines at most, the second cut where it is too long."""
    words, first = text.split(), ""
    while words and metrics.horizontalAdvance(f"{first} {words[0]}".strip()) <= width:
        first = f"{first} {words.pop(0)}".strip()
    rest = metrics.elidedText(" ".join(words), Qt.TextElideMode.ElideRight, width)
    return [line for line in (first, rest) if line]
