"""Writes lines of text in one font, and remembers how wide each is and how it is cut."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStaticText

_MOST = 5_000  # texts that are remembered


class Hand:
    """A font as a table writes with it: the same words stand in many rows, and come again."""

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._metrics = QFontMetrics(font)
        self._half = self._metrics.height() / 2
        self._widths: dict[str, int] = {}
        self._cuts: dict[tuple[str, int], str] = {}
        self._laid_out: dict[str, QStaticText] = {}

    def width(self, text: str) -> int:
        """How wide a text is, in px."""
        found = self._widths.get(text)
        if found is None:
            _make_room(self._widths)
            found = self._widths[text] = self._metrics.horizontalAdvance(text)
        return found

    def fitted(self, text: str, room: int) -> tuple[str, int]:
        """As much of a text as has room, and how wide that is; a mark tells of the rest."""
        width = self.width(text)
        if width <= room:
            return text, width
        cut = self._cuts.get((text, room))
        if cut is None:
            _make_room(self._cuts)
            cut = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            self._cuts[text, room] = cut
        return cut, self.width(cut)

    def write(
        self, painter: QPainter, colour: QColor, left: float, middle: float, text: str
    ) -> None:
        """Write a line that begins at `left`, with its middle at that height."""
        laid_out = self._laid_out.get(text)
        if laid_out is None:
            _make_room(self._laid_out)
            laid_out = self._laid_out[text] = QStaticText(text)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.prepare(font=self._font)
        painter.setFont(self._font)
        painter.setPen(colour)
        painter.drawStaticText(QPointF(left, round(middle - self._half)), laid_out)


def _make_room(known: dict[str, int] | dict[tuple[str, int], str] | dict[str, QStaticText]) -> None:
    if len(known) >= _MOST:
        known.clear()
