"""Writes the texts of many cells: at one size at which all fit, each text laid out once."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QStaticText, QTransform

from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

TWO_LINES = 21.0  # px of a cell from which on it has two lines
_SIZES = (10, 9)  # px
_ONE_LINE = 10.5
_DIGITS_DROP = 0.75  # digits reach nothing below their line, so they stand a little too high
_LINE_STEP = 5.0  # px from a cell's middle to that of either line


class CellTexts:
    """The texts of one painting; it leaves the painter's font as it needs it."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas, self._painter = canvas, canvas.painter
        self._statics: dict[str, QStaticText] = {}
        self._colours: dict[str, QColor] = {}
        self.fits = False
        self.pixels: int | None = None

    def fit(self, texts: Iterable[str], width: float, height: float) -> None:
        """Take the largest size at which all texts fit; where none does, none is written."""
        known = set(texts)
        font = QFont(self._canvas.theme.fonts.role(TextRole.NOTE))
        for size in _SIZES if height >= _ONE_LINE else ():
            font.setPixelSize(size)
            metrics = QFontMetricsF(font)
            if max(map(metrics.horizontalAdvance, known), default=0.0) <= width - 3.0:
                self.take(size)
                return

    def take(self, pixels: int | None) -> None:
        """Write at a size that fits; None: nothing is written."""
        self.fits, self.pixels = pixels is not None, pixels
        if pixels is not None:
            font = QFont(self._canvas.theme.fonts.role(TextRole.NOTE))
            font.setPixelSize(pixels)
            self._painter.setFont(font)

    def paint_with(self, painter: QPainter) -> None:
        """Write with another painter from now on."""
        self._painter = painter
        self.take(self.pixels)

    def colour(self, token: str) -> QColor:
        """A colour of the theme, looked up once."""
        if token not in self._colours:
            self._colours[token] = self._canvas.colour(token)
        return self._colours[token]

    def write(self, box: QRectF, texts: tuple[str, str], token: str, below: str) -> None:
        """Write a cell's texts above each other, or the first alone."""
        if not self.fits:
            return
        middle = box.center()
        has_two = bool(texts[1]) and box.height() >= TWO_LINES
        self._painter.setPen(self.colour(token))
        self._draw(middle - QPointF(0, _LINE_STEP if has_two else 0), texts[0])
        if has_two:
            self._painter.setPen(self.colour(below))
            self._draw(middle + QPointF(0, _LINE_STEP), texts[1])

    def write_split(self, box: QRectF, texts: tuple[str, str]) -> None:
        """Write a cell's texts in opposite corners."""
        if not self.fits or box.height() < TWO_LINES:
            return
        self._painter.setPen(self.colour("fg"))
        for text, corner, side in ((texts[0], box.topLeft(), 1), (texts[1], box.bottomRight(), -1)):
            size = self._static(text).size()
            way = QPointF(size.width() / 2 + 2.5, size.height() / 2 + 0.5)
            self._draw(corner + way * side, text)

    def _draw(self, middle: QPointF, text: str) -> None:
        static = self._static(text)
        half = QPointF(static.size().width() / 2, static.size().height() / 2 - _DIGITS_DROP)
        self._painter.drawStaticText(middle - half, static)

    def _static(self, text: str) -> QStaticText:
        if text not in self._statics:
            static = QStaticText(text)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.prepare(QTransform(), self._painter.font())
            self._statics[text] = static
        return self._statics[text]
