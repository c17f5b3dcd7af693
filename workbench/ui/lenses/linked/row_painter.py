"""Paints one row of a linked text: its line's number and hue, its code, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from workbench.session.lenses.linked import PYTHON, LinkedColumn
from workbench.ui.editor.appearance import CODE_PIXELS, code_font, colour
from workbench.ui.editor.lexing import Span
from workbench.ui.theme.theme import Theme

HUE_TOKENS = ("target2", "target1", "target3", "target4", "hbm", "target5")
"""What the rows of a line are tinted with; light enough that every colour of code is read on it."""
TINT, LIT_TINT, LIT_NUMBER = 0.07, 0.12, 0.30
_BAR = 4.0
_NUMBER = 34.0
_GAP = 8.0
_LIVE = 40.0
_COST = 34.0
_LIVE_TINT = 0.14
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@lru_cache(maxsize=1)
def row_height() -> int:
    """The height of a row in px."""
    return round(QFontMetricsF(code_font(CODE_PIXELS)).height()) + 2


class RowPainter:
    """Paints the rows of one column after another."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._column = LinkedColumn(PYTHON)
        self._hues: Mapping[int, int] = {}
        self._live = self._cost = 0.0
        metrics = QFontMetricsF(code_font(CODE_PIXELS))
        self._advance = metrics.horizontalAdvance("0")
        self._rise = (row_height() + metrics.ascent() - metrics.descent()) / 2

    def show_column(self, column: LinkedColumn, hues: Mapping[int, int]) -> None:
        """Paint the rows of a column from now on."""
        self._column, self._hues = column, hues
        self._live = _LIVE if column.live else 0.0
        self._cost = _COST if column.costs else 0.0

    @property
    def margins(self) -> float:
        """The px beside the code, at the left and at the right."""
        return _BAR + _NUMBER + _GAP + self._live + self._cost

    def code_area(self, area: QRectF) -> QRectF:
        """The part of a row's area, or of several, in which code is seen."""
        return area.adjusted(_BAR + _NUMBER + _GAP, 0, -self._live - self._cost, 0)

    def paint_ground(self, painter: QPainter, area: QRectF, row: int, is_lit: bool) -> None:
        """Paint what lies beneath a row's code, and the number of its line."""
        line = self._column.lines[row]
        hue = self._hue(line)
        if hue is not None:
            painter.fillRect(area, _at(hue, LIT_TINT if is_lit else TINT))
            painter.fillRect(QRectF(area.left(), area.top(), _BAR, area.height()), hue)
        if hue is not None and is_lit:
            place = QRectF(area.left(), area.top(), _BAR + _NUMBER + _GAP / 2, area.height())
            painter.fillRect(place, _at(hue, LIT_NUMBER))
        self._paint_number(painter, area, row, line, is_lit)

    def paint_outline(self, painter: QPainter, area: QRectF) -> None:
        """Mark the row that is looked at."""
        painter.setPen(QPen(self._colour("accent"), 1))
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_number(
        self, painter: QPainter, area: QRectF, row: int, line: int, is_lit: bool
    ) -> None:
        number = row + 1 if self._column.stage == PYTHON else line
        if number:
            painter.setPen(self._colour("fg" if is_lit else "fg3"))
            place = QRectF(area.left() + _BAR, area.top(), _NUMBER, area.height())
            painter.drawText(place, int(_RIGHT), str(number))

    def paint_code(
        self, painter: QPainter, area: QRectF, row: int, spans: Iterable[Span], left: float
    ) -> None:
        """Paint a row's code in `code_area`, moved by `left`; what is out of sight is left out."""
        text = self._column.rows[row]
        if "\t" in text:
            text, spans = text.expandtabs(4), _moved(text, spans)
        base = area.top() + self._rise
        first = max(0, int(-left / self._advance))
        last = first + int(area.width() / self._advance) + 2
        done = 0
        for start, length, kind in (*spans, (len(text), 0, None)):
            parts = ((done, start, "name"), (start, start + length, kind.value if kind else ""))
            for begin, end, name in parts:
                begin, end = max(begin, first), min(end, last)
                piece = text[begin:end]
                if piece and not piece.isspace():
                    painter.setPen(self._colour(f"syntax_{name}"))
                    at = QPointF(area.left() + left + begin * self._advance, base)
                    painter.drawText(at, piece)
            done = start + length
            if done >= last:
                break

    def paint_figures(self, painter: QPainter, area: QRectF, row: int) -> None:
        """Paint what is known of a row, at its right."""
        right = area.right() - _GAP / 2
        cost = self._column.costs.get(row)
        if cost is not None:
            painter.setPen(self._colour("warn"))
            place = QRectF(right - self._live - _COST, area.top(), _COST, area.height())
            painter.drawText(place, int(_RIGHT), cost.text)
        live = self._column.live.get(row)
        if live is not None:
            self._paint_live(painter, area, row, live)

    def _paint_live(self, painter: QPainter, area: QRectF, row: int, live: int) -> None:
        """The registers live at a row, with a bar behind the number; the most is told by a mark."""
        column = self._column
        peak = column.peak
        most = column.live[peak] if peak is not None else live
        is_peak = live == most
        room = _LIVE - _GAP
        left = area.right() - room - _GAP / 2
        share = room * live / max(1, most)
        bar = QRectF(left + room - share, area.top() + 2, share, area.height() - 4)
        painter.fillRect(bar, _at(self._colour("registers"), _LIVE_TINT))
        painter.setPen(self._colour("registers" if is_peak else "fg2"))
        place = QRectF(left, area.top(), room - 2, area.height())
        painter.drawText(place, int(_RIGHT), f"▲{live}" if is_peak else str(live))

    def _colour(self, token: str) -> QColor:
        return colour(self._theme.palette, token)

    def _hue(self, line: int) -> QColor | None:
        place = self._hues.get(line)
        return self._colour(HUE_TOKENS[place]) if place is not None and line else None


def _at(colour: QColor, alpha: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(alpha)
    return made


def _moved(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans of a text with tabs as they lie once these are blanks."""
    found = []
    for start, length, kind in spans:
        begin = len(text[:start].expandtabs(4))
        found.append(Span(begin, len(text[: start + length].expandtabs(4)) - begin, kind))
    return found
