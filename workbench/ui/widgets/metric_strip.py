"""A row of figures, each a value under its label; it breaks into lines where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

# Figures move together before they break into lines.
_COLUMN_GAPS = (32, 24, 16)
_ROW_GAP = 12
_UNIT_GAP = 6
_LINE_GAP = 2


@dataclass(frozen=True)
class MetricView:
    """A figure as shown: `value` is text already, "unknown" where it is; `tone` a colour token."""

    label: str
    value: str
    unit: str = ""
    tone: str = "fg"
    tip: str = ""


def place_in_rows(widths: Sequence[int], room: int, gap: int) -> list[tuple[int, int]]:
    """The row and the left edge of each item, filling rows of width `room` from the left.

    An item wider than the room has a row of its own.
    """
    places: list[tuple[int, int]] = []
    row = left = 0
    for width in widths:
        if left > 0 and left + width > room:
            row, left = row + 1, 0
        places.append((row, left))
        left += width + gap
    return places


def place_balanced(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """The row and the left edge of each item: as few rows as there can be, of as many items each.

    So none stands alone below the others; where there is room, one stands below the other.
    """
    closest = place_in_rows(widths, room, _COLUMN_GAPS[-1])
    rows = closest[-1][0] + 1 if closest else 1
    count = -(-len(widths) // rows)
    lines = [widths[at : at + count] for at in range(0, len(widths), count or 1)]
    gap = next((g for g in _COLUMN_GAPS if all(_total(li, g) <= room for li in lines)), None)
    if gap is None:
        return closest
    columns = [max(widths[at::count]) for at in range(count)]
    if _total(columns, gap) <= room:
        lines = [columns] * rows
    lefts = [[_total(line[:at], gap) + gap * (at > 0) for at in range(count)] for line in lines]
    return [(at // count, lefts[at // count][at % count]) for at in range(len(widths))]


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * max(0, len(widths) - 1)


class MetricStrip(QWidget):
    """Shows figures; hovering one tells how it was got."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._metrics: tuple[MetricView, ...] = ()
        fonts = theme.fonts
        self._label_font, self._value_font = fonts.role(TextRole.LABEL), fonts.role(TextRole.VALUE)
        # A fixed height would be that of the hint, which is of one line.
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    @property
    def metrics(self) -> tuple[MetricView, ...]:
        """What is shown."""
        return self._metrics

    def set_metrics(self, metrics: Sequence[MetricView]) -> None:
        """Show other figures."""
        self._metrics = tuple(metrics)
        texts = (f"{m.label}: {m.value} {m.unit}".strip() for m in self._metrics)
        self.setAccessibleName(", ".join(texts))
        self.updateGeometry()
        self.update()

    def metric_at(self, point: QPoint) -> MetricView | None:
        """The figure at a point of the widget."""
        places = zip(self._metrics, self._rects(self.width()), strict=True)
        return next((metric for metric, rect in places if rect.contains(point)), None)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        total = _total(self._widths(), _COLUMN_GAPS[0])
        return QSize(total, self.heightForWidth(total))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(max(self._widths(), default=0), self._item_height())

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        rects = self._rects(width)
        return rects[-1].bottom() + 1 if rects else self._item_height()

    def event(self, event: QEvent) -> bool:
        """Tell the tip of the figure under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            metric = self.metric_at(event.pos())
            QToolTip.showText(event.globalPos(), metric.tip if metric else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            for metric, rect in zip(self._metrics, self._rects(self.width()), strict=True):
                self._paint_metric(painter, metric, rect)

    def _paint_metric(self, painter: QPainter, metric: MetricView, rect: QRect) -> None:
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        bottom = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
        painter.setFont(self._label_font)
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(rect, top, metric.label)
        unit_left = QFontMetrics(self._value_font).horizontalAdvance(metric.value) + _UNIT_GAP
        painter.drawText(rect.adjusted(unit_left, 0, 0, 0), bottom, metric.unit)
        painter.setFont(self._value_font)
        painter.setPen(self._theme.colour(metric.tone))
        painter.drawText(rect, bottom, metric.value)

    def _rects(self, room: int) -> list[QRect]:
        widths, height = self._widths(), self._item_height()
        places = place_balanced(widths, room)
        return [
            QRect(left, row * (height + _ROW_GAP), width, height)
            for (row, left), width in zip(places, widths, strict=True)
        ]

    def _widths(self) -> list[int]:
        return [self._width_of(metric) for metric in self._metrics]

    def _width_of(self, metric: MetricView) -> int:
        label, value = QFontMetrics(self._label_font), QFontMetrics(self._value_font)
        unit = _UNIT_GAP + label.horizontalAdvance(metric.unit) if metric.unit else 0
        value_width = value.horizontalAdvance(metric.value) + unit
        return max(label.horizontalAdvance(metric.label), value_width) + 1

    def _item_height(self) -> int:
        heights = (QFontMetrics(font).height() for font in (self._label_font, self._value_font))
        return sum(heights) + _LINE_GAP
