"""The card that tells of the element under the pointer, beside what it explains."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from workbench.session.verification_output import Element
from workbench.ui.panes.verification.wording import element_rows, state_text
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS

_INSET = 14.0
_ROW = 22.0
_HEAD = 34.0
_GAP = 24.0
_SHADOW = 12
_LEAST_WIDTH = 200.0


class ElementCard:
    """Sizes and paints the card of one element."""

    def __init__(self, theme: Theme, element: Element) -> None:
        self._theme, self._element = theme, element
        self._rows = element_rows(element)
        self._code = theme.fonts.monospace(12)
        self._label = theme.fonts.role(TextRole.LABEL)
        self._value = theme.fonts.role(TextRole.STRONG_LABEL)

    @property
    def size(self) -> QSizeF:
        """The size that its text needs."""
        label, value = QFontMetricsF(self._label), QFontMetricsF(self._value)
        widths = [
            label.horizontalAdvance(name) + _GAP + value.horizontalAdvance(text)
            for name, text, _ in self._rows
        ]
        state, _ = state_text(self._element)
        head = QFontMetricsF(self._code).horizontalAdvance(self._element.label)
        widths.append(head + _GAP + value.horizontalAdvance(state))
        height = _HEAD + _ROW * len(self._rows) + 2 * _INSET - 8
        return QSizeF(max(_LEAST_WIDTH, *widths) + 2 * _INSET, height)

    def paint(self, painter: QPainter, rect: QRectF, target: QPointF) -> None:
        """Paint it in its place, with a line to the element."""
        self._paint_line(painter, rect, target)
        self._paint_box(painter, rect)
        inner = rect.adjusted(_INSET, _INSET - 4, -_INSET, 0)
        head = QRectF(inner.left(), inner.top(), inner.width(), 22)
        state, tone = state_text(self._element)
        self._write(painter, head, self._element.label, state, (self._code, "fg"), tone)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        y = round(head.bottom() + 5) + 0.5
        painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y))
        for at, (name, text, colour) in enumerate(self._rows):
            place = QRectF(inner.left(), inner.top() + _HEAD + at * _ROW, inner.width(), _ROW)
            self._write(painter, place, name, text, (self._label, "fg3"), colour)

    def _paint_line(self, painter: QPainter, rect: QRectF, target: QPointF) -> None:
        nearest = QPointF(
            min(max(target.x(), rect.left()), rect.right()),
            min(max(target.y(), rect.top() + 16), rect.bottom() - 16),
        )
        painter.setPen(QPen(self._theme.colour("fg3", 0.6), 1))
        painter.drawLine(nearest, target)

    def _paint_box(self, painter: QPainter, rect: QRectF) -> None:
        dark = is_dark(self._theme.palette)
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(_SHADOW, 0, -2):
            shadow = self._theme.colour("bg0") if dark else self._theme.colour("fg")
            shadow.setAlphaF((0.43 if dark else 0.11) / _SHADOW * 2)
            painter.setBrush(shadow)
            grown = rect.adjusted(-step, -step + 2, step, step + 2)
            painter.drawRoundedRect(grown, METRICS.radius_card + step, METRICS.radius_card + step)
        path = QPainterPath()
        path.addRoundedRect(rect, METRICS.radius_card, METRICS.radius_card)
        painter.fillPath(path, self._theme.colour("bg2" if dark else "bg1"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.colour("line2"), 1))
        painter.drawPath(path)

    def _write(
        self,
        painter: QPainter,
        place: QRectF,
        name: str,
        text: str,
        look: tuple[object, str],
        tone: str,
    ) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        font, colour = look
        painter.setFont(font)  # type: ignore[arg-type]
        painter.setPen(self._theme.colour(colour))
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignLeft, name)
        painter.setFont(self._value)
        painter.setPen(self._theme.colour(tone))
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignRight, text)
