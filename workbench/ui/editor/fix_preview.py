"""Paints what a fix would change: lines that go and lines that come, their other words marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.session.fix_choices import PreviewLine
from workbench.session.text_differences import Change
from workbench.ui.editor.appearance import code_font, colour
from workbench.ui.editor.lines import TAB_COLUMNS
from workbench.ui.theme.theme import Theme

MOST_LINES = 14
PADDING = 8.0
SIGN_GAP = 8.0
ROW_SPACING = 5
_SIGNS = {Change.REMOVED: "\N{MINUS SIGN}", Change.ADDED: "+"}
_TOKENS = {Change.REMOVED: "error", Change.ADDED: "good"}
_WORD_ALPHA = 0.30


class FixPreview(QWidget):
    """Shows up to `MOST_LINES` lines without the indentation that they share."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.lines: tuple[PreviewLine, ...] = ()
        self._hidden = 0
        theme.changed.connect(self.update)

    def show_lines(self, lines: Sequence[PreviewLine]) -> None:
        """Show another change."""
        self._hidden = max(0, len(lines) - MOST_LINES)
        self.lines = _dedented(lines[:MOST_LINES])
        gone = [line.text for line in lines if line.change is Change.REMOVED]
        new = [line.text for line in lines if line.change is Change.ADDED]
        self.setAccessibleName("Preview of the change")
        self.setAccessibleDescription(
            "\n".join([*(f"- {t}" for t in gone), *(f"+ {t}" for t in new)])
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        metrics = QFontMetricsF(self._font())
        widest = max((metrics.horizontalAdvance(line.text) for line in self.lines), default=0.0)
        width = self._text_left() + widest + 2 * PADDING
        rows = len(self.lines) + bool(self._hidden)
        return QSize(round(width), round(rows * self._row_height() + 2 * PADDING))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        for at, line in enumerate(self.lines):
            self._paint_line(painter, line, PADDING + at * self._row_height())
        if self._hidden:
            top = PADDING + len(self.lines) * self._row_height()
            lines = "1 more line" if self._hidden == 1 else f"{self._hidden} more lines"
            self._paint_text(painter, lines, self._text_left(), top, "fg3")
        painter.end()

    def _paint_line(self, painter: QPainter, line: PreviewLine, top: float) -> None:
        palette, height = self._theme.palette, self._row_height()
        if line.is_after_gap:
            painter.fillRect(QRectF(0, top, self.width(), 1), colour(palette, "line2"))
        token = _TOKENS.get(line.change)
        if token is not None:
            painter.fillRect(QRectF(0, top, self.width(), height), colour(palette, f"{token}_bg"))
            self._paint_words(painter, line, top, token)
            sign = _SIGNS[line.change]
            self._paint_text(
                painter, sign, self._text_left() - SIGN_GAP - self._advance(), top, token
            )
        number = str(line.number)
        right = PADDING + self._digits() * self._advance()
        self._paint_text(painter, number, right - len(number) * self._advance(), top, "fg3")
        self._paint_text(
            painter, self._fitted(line.text), self._text_left(), top, "fg" if token else "fg2"
        )

    def _paint_words(self, painter: QPainter, line: PreviewLine, top: float, token: str) -> None:
        left, height = self._text_left(), self._row_height()
        ground = colour(self._theme.palette, token, _WORD_ALPHA)
        for start, end in line.words:
            x = left + QFontMetricsF(self._font()).horizontalAdvance(line.text[:start])
            width = QFontMetricsF(self._font()).horizontalAdvance(line.text[start:end])
            painter.fillRect(QRectF(x, top + 1, width, height - 2), ground)

    def _paint_text(
        self, painter: QPainter, text: str, left: float, top: float, token: str
    ) -> None:
        metrics = QFontMetricsF(self._font())
        painter.setPen(colour(self._theme.palette, token))
        baseline = top + (self._row_height() + metrics.capHeight()) / 2
        painter.drawText(QPointF(left, round(baseline)), text)

    def _fitted(self, text: str) -> str:
        """What fits of a line, with an ellipsis for the rest."""
        room = int((self.width() - self._text_left() - PADDING) / self._advance())
        return text if len(text) <= room else text[: max(0, room - 1)] + "…"

    def _digits(self) -> int:
        return max(2, max((len(str(line.number)) for line in self.lines), default=0))

    def _text_left(self) -> float:
        return PADDING + (self._digits() + 1) * self._advance() + 2 * SIGN_GAP

    def _advance(self) -> float:
        return QFontMetricsF(self._font()).horizontalAdvance("0")

    def _row_height(self) -> float:
        return float(round(QFontMetricsF(self._font()).height()) + ROW_SPACING)

    def _font(self) -> QFont:
        return code_font(self._theme.fonts.pixels(12))


def _dedented(lines: Sequence[PreviewLine]) -> tuple[PreviewLine, ...]:
    """Lines without the blanks that all of them begin with, tabs as spaces."""
    texts = [line.text.expandtabs(TAB_COLUMNS) for line in lines]
    widths = [len(text) - len(text.lstrip()) for text in texts if text.strip()]
    cut = min(widths, default=0)
    return tuple(_moved(line, text, cut) for line, text in zip(lines, texts, strict=True))


def _moved(line: PreviewLine, text: str, cut: int) -> PreviewLine:
    wider = len(text) - len(line.text)
    words = tuple(
        (max(0, start + wider - cut), max(0, end + wider - cut)) for start, end in line.words
    )
    return PreviewLine(text[cut:], line.number, line.change, words, line.is_after_gap)
