"""The strip right of the text: one bar a line for what the line costs."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.core.diagnostics import Severity
from workbench.ui.editor.appearance import (
    colour,
    note_font,
    severity_colour,
)
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.gutter import RowSource
from workbench.ui.editor.line_data import Cost, LineData
from workbench.ui.editor.problems import Problems
from workbench.ui.theme.theme import Theme

WIDTH = 72
LEFT = 8
BAR_HEIGHT = 8
LEAST_BAR = 2.0
HATCH_STEP = 4
OPEN_END = 12  # the width of the mark for what is unknown
EARLIER = "fg4"  # the hue of what is of an earlier text


class CostStrip(QWidget):
    """Bars in the hues of what is counted; in that of the problem where the line has a warning.

    A bar of several parts keeps their hues. What is unknown has a dashed mark, never a bar.
    """

    def __init__(
        self,
        parent: QWidget,
        view: RowSource,
        theme: Theme,
        buffer: DocumentBuffer,
        data: LineData,
        problems: Problems,
    ) -> None:
        super().__init__(parent)
        self._view, self._theme = view, theme
        self._buffer, self._data, self._problems = buffer, data, problems
        self._tiles: dict[tuple[str, float], QPixmap] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Cost of each line")

    def wanted_width(self) -> int:
        """The width of the strip, 0 while there is nothing to show."""
        return WIDTH if self._data.costs else 0

    def follow_update(self, area: QRect, dy: int) -> None:
        """Scroll or repaint as the viewport does; the header stays where it is."""
        if dy:
            self.update()
        else:
            self.update(0, area.y(), self.width(), area.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._theme.palette
        painter.fillRect(event.rect(), colour(palette, "bg1"))
        for row in self._view.rows(event.rect().top(), event.rect().bottom() + 1):
            cost = self._data.costs.get(row.line)
            if cost is not None:
                # A statement of several lines, or a wrapped one, has its bar on its first line.
                top = row.top + (row.line_height - BAR_HEIGHT) / 2
                self._paint_cost(painter, round(top), cost, row.line)
        if self._data.cost_header:
            self._paint_header(painter)
        painter.fillRect(QRectF(0, 0, 1, self.height()), colour(palette, "line"))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos().y()), self)
            return True
        return super().event(event)

    def _tip(self, y: int) -> str:
        rows = self._view.rows(y, y + 1)
        cost = self._data.costs.get(rows[0].line) if rows else None
        if cost is None:
            return ""
        earlier = "Of an earlier text.\n" if self._data.is_cost_faded else ""
        return f"{earlier}{cost.text}"

    def _hue(self, line: int) -> QColor:
        severity = self._problems.severity(line)
        if severity in (Severity.ERROR, Severity.WARNING):
            return severity_colour(self._theme.palette, severity)
        return colour(self._theme.palette, self._data.cost_hue)

    def _paint_cost(self, painter: QPainter, top: float, cost: Cost, line: int) -> None:
        full = self.width() - 2 * LEFT
        share = min(max(cost.value, 0.0), 1.0)
        width = max(LEAST_BAR, round(full * share))
        if cost.is_unknown and not share:
            width = 0
        start = 0.0
        for hue, part in self._hued_parts(cost, line):
            left, right = round(width * start), round(width * (start + part))
            area = QRectF(LEFT + left, top, right - left, BAR_HEIGHT)
            self._paint_bar(painter, area, hue, cost.predicted)
            start += part
        if cost.is_unknown:
            self._paint_open_end(painter, LEFT + min(width, full - OPEN_END), top)

    def _hued_parts(self, cost: Cost, line: int) -> list[tuple[QColor, float]]:
        palette = self._theme.palette
        if self._data.is_cost_faded:
            return [(colour(palette, EARLIER), 1.0)]
        if not cost.parts:
            return [(self._hue(line), 1.0)]
        return [(colour(palette, token), share) for token, share in cost.parts]

    def _paint_open_end(self, painter: QPainter, left: float, top: float) -> None:
        painter.setPen(QPen(colour(self._theme.palette, "fg3"), 1, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left + 0.5, top + 0.5, OPEN_END - 1, BAR_HEIGHT - 1))

    def _paint_bar(self, painter: QPainter, area: QRectF, hue: QColor, predicted: bool) -> None:
        if not predicted or area.width() <= 2 * LEAST_BAR:
            painter.fillRect(area, hue)
            return
        key = (hue.name(), self.devicePixelRatioF())
        if key not in self._tiles:
            self._tiles[key] = hatch_tile(hue, key[1])
        painter.drawTiledPixmap(area, self._tiles[key])
        painter.setPen(QPen(hue, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_header(self, painter: QPainter) -> None:
        palette = self._theme.palette
        area = QRectF(0, 0, self.width(), self._view.header_height())
        painter.fillRect(area, colour(palette, "bg2"))
        painter.fillRect(QRectF(0, area.height() - 1, area.width(), 1), colour(palette, "line"))
        painter.setPen(colour(palette, "fg3"))
        painter.setFont(note_font(min(self._buffer.code_pixels, 12)))
        painter.drawText(
            area.adjusted(LEFT, 0, -2, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self._data.cost_header,
        )


def hatch_tile(hue: QColor, ratio: float) -> QPixmap:
    """A piece of what is predicted, to be repeated: a pale fill, and lines at 45 degrees."""
    pixels = math.ceil(HATCH_STEP * ratio)
    tile = QPixmap(pixels, pixels)
    tile.setDevicePixelRatio(pixels / HATCH_STEP)
    fill = QColor(hue)
    fill.setAlphaF(0.2)
    tile.fill(fill)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(hue, 1.1))
    for shift in (-HATCH_STEP, 0, HATCH_STEP):  # the corners belong to the lines beside
        painter.drawLine(QLineF(shift - 1, HATCH_STEP + 1, shift + HATCH_STEP + 1, -1))
    painter.end()
    return tile
