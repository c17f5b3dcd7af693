"""The legend above a plot: its entries in as many columns as fit, each of which hides a series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.session.charts.cell_shapes import line_dash
from workbench.session.charts.model import Series
from workbench.ui.charts.curves import pen_of
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import TARGET_MARKS, MarkShape
from workbench.ui.widgets.painting import mark_path, paint_block, with_alpha

BLOCK, LINE, MARK = "block", "line", "mark"
_ROW, _SWATCH = 18, 13
_BESIDE, _AFTER = 7, 16
_MIDDLE = 8.0  # of a row's text
_MARK, _RING, _HIDDEN = 9.0, 1.6, 0.35


class Swatch(pg.ItemSample):  # type: ignore[misc]  # no types are shipped
    """The mark of a series as it stands in the plot, faint while the series is hidden."""

    def __init__(self, theme: Theme, series: Series, kind: str) -> None:
        super().__init__(None)
        self._theme = theme
        self.look = (series, kind)
        self.is_hidden = False
        self.setFixedWidth(_SWATCH)
        self.setFixedHeight(_ROW)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return QRectF(0, 0, _SWATCH, _ROW)

    def paint(self, p: QPainter, *args: Any) -> None:
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        series, kind = self.look
        alpha = _HIDDEN if self.is_hidden else 1.0
        colour = with_alpha(self._theme.colour(series.tone), alpha)
        if kind == BLOCK:
            area = QRectF(0, _MIDDLE - 4, _SWATCH, 8)
            paint_block(p, area, colour, series.is_predicted)
        elif kind == LINE:
            pen = pen_of(colour, 2.0, line_dash(series))
            pen.setCosmetic(False)
            p.setPen(pen)
            p.drawLine(QPointF(0, _MIDDLE), QPointF(_SWATCH, _MIDDLE))
        else:
            _paint_mark(p, colour, series)

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802 - its name
        event.ignore()  # the plot hides and shows series


class ChartLegend(pg.LegendItem):  # type: ignore[misc]  # no types are shipped
    """Says what the marks are; it stands where the layout puts it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(frame=False, horSpacing=_BESIDE, verSpacing=0, sampleType=Swatch)
        self._theme = theme
        self._room = 0.0
        self.layout.setContentsMargins(0, 0, 0, 0)

    def show_series(
        self, series: Sequence[Series], kind: str, hidden: frozenset[str], room: float
    ) -> None:
        """Show these series in so many px across."""
        if [sample.look for sample, _ in self.items] != [(each, kind) for each in series]:
            self._make(series, kind)
            self._room = 0.0
        for sample, label in self.items:
            sample.is_hidden = sample.look[0].key in hidden
            tone = "fg3" if sample.is_hidden else "fg2"
            label.setText(label.text, color=self._theme.colour(tone))
            sample.update()
        self.fit(room)

    def _make(self, series: Sequence[Series], kind: str) -> None:
        """Make an entry for each series."""
        self.clear()
        font = self._theme.fonts.role(TextRole.LABEL)
        self.opts["labelTextSize"] = f"{font.pixelSize()}px"
        for each in series:
            self.addItem(Swatch(self._theme, each, kind), each.label)
            label = self.items[-1][1]
            label.item.setFont(font)
            label.item.document().setDocumentMargin(0)

    def fit(self, room: float) -> None:
        """Take as many columns as have room in so many px."""
        if room == self._room or not self.items:
            return
        self._room = room
        widths = [label.item.boundingRect().width() for _, label in self.items]
        count = next((n for n in range(len(widths), 1, -1) if _width(widths, n) <= room), 1)
        self.columnCount = -1
        self.setColumnCount(count)
        for column in range(count):
            self.layout.setColumnSpacing(2 * column + 1, _AFTER)
        self.setMaximumWidth(_width(widths, count))
        rows = -(-len(widths) // count)
        self.setMinimumHeight(rows * _ROW)
        self.setMaximumHeight(rows * _ROW)

    def series_at(self, place: QPointF) -> Series | None:
        """The series whose entry is at a place of the scene."""
        for sample, label in self.items:
            area = sample.sceneBoundingRect() | label.sceneBoundingRect()
            if area.contains(place):
                found: Series = sample.look[0]
                return found
        return None

    def updateSize(self) -> None:  # noqa: N802 - its name
        """Nothing: the layout says how large it is."""

    def hoverEvent(self, ev: Any) -> None:  # noqa: N802 - its name
        """Nothing: it is not dragged about."""

    def mouseDragEvent(self, ev: Any) -> None:  # noqa: N802 - its name
        ev.ignore()

    def mouseDoubleClickEvent(self, ev: Any) -> None:  # noqa: N802 - Qt's name
        ev.ignore()


def _width(widths: Sequence[float], columns: int) -> float:
    """The px that entries of these widths take in so many columns."""
    each = [max(widths[at::columns]) for at in range(columns)]
    return sum(each) + columns * (_SWATCH + _BESIDE) + (columns - 1) * _AFTER


def _paint_mark(painter: QPainter, colour: QColor, series: Series) -> None:
    shape = TARGET_MARKS[(series.mark or 0) % len(TARGET_MARKS)].shape
    box = QRectF((_SWATCH - _MARK) / 2, _MIDDLE - _MARK / 2, _MARK, _MARK)
    if not series.is_predicted and shape is not MarkShape.RING:
        painter.fillPath(mark_path(shape, box), colour)
        return
    inset = _RING / 2
    path = mark_path(shape, box.adjusted(inset, inset, -inset, -inset))
    painter.strokePath(path, QPen(colour, _RING))
