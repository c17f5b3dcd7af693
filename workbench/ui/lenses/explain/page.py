"""The page as a picture: headings, sentences with the line that each leads to, small drawings."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF

from workbench.session.lenses.explain.model import (
    Drawing,
    Explanation,
    Path,
    Section,
    Sentence,
    Tone,
)
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.explain.drawings import drawing_height, paint_bars, paint_path
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

INSET = 16.0
_MARK = 18.0  # the mark before a sentence
_LINE = 58.0  # the line that it leads to
_HEAD = 34.0
_GAP = 7.0
_AFTER = 12.0
_WRAP = Qt.TextFlag.TextWordWrap
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
_MARKS = {Tone.FACT: "•", Tone.LIMIT: "▲", Tone.UNKNOWN: "?", Tone.TRY: "→"}
_TOKENS = {Tone.FACT: "fg3", Tone.LIMIT: "warn", Tone.UNKNOWN: "fg3", Tone.TRY: "accent"}
_TEXTS = {Tone.UNKNOWN: "fg3"}


class PagePicture:
    """One page; the same width gives the same picture."""

    def __init__(self, theme: Theme, page: Explanation) -> None:
        self._theme, self._page = theme, page
        self._heights: dict[tuple[str, float], float] = {}

    def height(self, width: float) -> float:
        """The px that the page needs at a width."""
        return sum(self._section_height(each, width) for each in self._page.sections) + INSET

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint the sections one below the other."""
        top = 0.0
        for section in self._page.sections:
            self._paint_section(canvas, section, top, size.width())
            top += self._section_height(section, size.width())

    def _section_height(self, section: Section, width: float) -> float:
        drawn = sum(drawing_height(each) for each in section.drawings)
        sentences = sum(self._text_height(each, width) + _GAP for each in section.sentences)
        return _HEAD + drawn + sentences + _AFTER

    def _paint_section(self, canvas: Canvas, section: Section, top: float, width: float) -> None:
        if top > 0:
            canvas.line(QPointF(INSET, top), QPointF(width - INSET, top), "line")
        head = QRectF(INSET, top + 8, width - 2 * INSET, 20)
        canvas.text(head, section.title, TextRole.HEADING, "fg")
        top += _HEAD
        for place, each in self._places(section, top, width):
            if isinstance(each, Sentence):
                self._paint_sentence(canvas, each, place)
            elif isinstance(each, Path):
                paint_path(canvas, each, place)
            else:
                paint_bars(canvas, each, place)

    def _places(
        self, section: Section, top: float, width: float
    ) -> Iterator[tuple[QRectF, Sentence | Drawing]]:
        for drawing in section.drawings:
            height = drawing_height(drawing)
            yield QRectF(INSET, top, width - 2 * INSET, height), drawing
            top += height
        for sentence in section.sentences:
            height = self._text_height(sentence, width)
            yield QRectF(0, top, width, height), sentence
            top += height + _GAP

    def _paint_sentence(self, canvas: Canvas, sentence: Sentence, area: QRectF) -> None:
        answer = area.adjusted(INSET - 6, -_GAP / 2, -INSET + 6, _GAP / 2)
        selection = None
        if sentence.line is not None:
            selection = Selection(line=sentence.line, buffer=sentence.buffer)
            tip = f"{sentence.text}\nGo to line {sentence.line}"
            canvas.hit(answer, tip, selection, ("sentence", sentence.text))
        if canvas.is_lit(selection):
            canvas.box(answer, canvas.colour("accentbg"), canvas.colour("accent"), 4)
        elif canvas.hovered == ("sentence", sentence.text):
            canvas.box(answer, canvas.colour("bg3"), None, 4)
        mark = QRectF(INSET, area.top(), _MARK, area.height())
        token = _TOKENS[sentence.tone]
        canvas.text(mark, _MARKS[sentence.tone], TextRole.BODY, token, _LEFT)
        text = self._text_area(area.width(), area.top(), area.height())
        self._paint_text(canvas, sentence, text)
        if sentence.line is not None:
            line = QRectF(area.right() - INSET - _LINE, area.top() + 1, _LINE, 18)
            canvas.text(line, f"line {sentence.line}", TextRole.LABEL, "accent", _RIGHT)

    def _paint_text(self, canvas: Canvas, sentence: Sentence, area: QRectF) -> None:
        token = _TEXTS.get(sentence.tone, "fg")
        painter = canvas.painter
        painter.setFont(self._theme.fonts.role(TextRole.BODY))
        painter.setPen(canvas.colour(token))
        painter.drawText(area, int(_LEFT) | int(_WRAP), sentence.text)

    def _text_area(self, width: float, top: float, height: float) -> QRectF:
        left = INSET + _MARK
        return QRectF(left, top, max(60.0, width - left - _LINE - INSET - 8), height)

    def _text_height(self, sentence: Sentence, width: float) -> float:
        key = (sentence.text, width)
        if key not in self._heights:
            metrics = QFontMetricsF(self._theme.fonts.role(TextRole.BODY))
            room = self._text_area(width, 0, 10_000)
            needed = metrics.boundingRect(room, int(_LEFT) | int(_WRAP), sentence.text)
            self._heights[key] = max(18.0, needed.height())
        return self._heights[key]
