"""Bars and cells of a plot: solid where they were measured, hatched where they were predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from workbench.session.charts.bar_shapes import Slots, beam, shown_bars
from workbench.session.charts.cell_shapes import (
    HATCH,
    RADIUS,
    CellGrid,
    shown_cells,
    strength,
)
from workbench.session.charts.frame import Frame
from workbench.session.charts.model import Bar, Cell, Chart, Series
from workbench.session.charts.scene import Rect
from workbench.ui.charts.curves import SharpErrorBars, pen_of
from workbench.ui.charts.units import to_plot
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.painting import paint_block, with_alpha

_WHISKER = 1.2


class Blocks(pg.BarGraphItem):  # type: ignore[misc]  # no types are shipped
    """A bar graph whose bars look as blocks do in every view.

    pyqtgraph paints them through the view's transformation, which would stretch a hatch.
    """

    def __init__(self, radius: float = METRICS.radius_bar) -> None:
        super().__init__(x0=[], y0=[], width=[], height=[], pen=None)
        self._radius = radius
        self._looks: list[tuple[QColor, bool]] = []

    def set_blocks(
        self, frame: Frame, areas: Sequence[Rect], looks: Sequence[tuple[QColor, bool]]
    ) -> None:
        """Show blocks at px of the frame; each look is a colour, and whether it is hatched."""
        self._looks = list(looks)
        sides = np.asarray([(a.x, a.bottom, a.right, a.y) for a in areas], dtype=np.float64)
        sides = sides.reshape(-1, 4)
        x0, x1 = (_across(frame, sides[:, at]) for at in (0, 2))
        y0, y1 = (_up(frame, sides[:, at]) for at in (1, 3))
        self.setOpts(x0=x0, y0=y0, width=x1 - x0, height=y1 - y0)

    def paint(self, p: QPainter, *args: Any) -> None:
        rects = self._rectarray.instances()
        transform = p.worldTransform()
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        p.resetTransform()
        for rect, (colour, is_hatched) in zip(rects, self._looks, strict=True):
            paint_block(p, transform.mapRect(QRectF(rect)), colour, is_hatched, self._radius)
        p.restore()


def _across(frame: Frame, px: Any) -> Any:
    """Px as units of the plot, in which a logarithmic axis is even."""
    low, high = to_plot(frame.x, (frame.x.low, frame.x.high))
    return low + (px - frame.plot.x) / frame.plot.width * (high - low)


def _up(frame: Frame, px: Any) -> Any:
    low, high = to_plot(frame.y, (frame.y.low, frame.y.high))
    return low + (frame.plot.bottom - px) / frame.plot.height * (high - low)


class BarLayer:
    """The bars of a chart with their whiskers."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._blocks = Blocks()
        self._whiskers = SharpErrorBars()
        self.items = (self._blocks, self._whiskers)

    def fit(self, chart: Chart, slots: Slots, shown: Sequence[Series]) -> None:
        """Lay the bars of the series that are shown into a frame."""
        series = {each.key: each for each in shown}
        bars = shown_bars(chart, shown)
        areas = [slots.area(bar) for bar in bars]
        looks = [
            (self._theme.colour(series[bar.series].tone), series[bar.series].is_predicted)
            for bar in bars
        ]
        self._blocks.set_blocks(slots.frame, areas, looks)
        self._fit_whiskers(slots, [bar for bar in bars if bar.low is not None])

    def _fit_whiskers(self, slots: Slots, bars: Sequence[Bar]) -> None:
        frame = slots.frame
        middles = [slots.area(bar).x + slots.width / 2 for bar in bars]
        low, middle, high = (
            to_plot(frame.y, values)
            for values in (
                [bar.low or bar.value for bar in bars],
                [bar.value for bar in bars],
                [bar.high or bar.value for bar in bars],
            )
        )
        wide = _across(frame, beam(slots.width)) - _across(frame, 0.0)
        pen = pen_of(self._theme.colour("fg"), _WHISKER)
        self._whiskers.setData(
            x=_across(frame, np.asarray(middles, dtype=np.float64)),
            y=middle,
            top=high - middle,
            bottom=middle - low,
            beam=wide,
            pen=pen,
        )


class CellLayer:
    """The cells of a map."""

    def __init__(self, theme: Theme, chart: Chart, shown: Sequence[Series]) -> None:
        self._blocks = Blocks(RADIUS)
        self.items = (self._blocks,)
        self._looks: list[tuple[Cell, QColor, bool]] = []
        for cell, own in shown_cells(chart, shown):
            colour = theme.colour(own.tone)
            if cell.share is not None and own.is_predicted:
                self._looks.append((cell, with_alpha(colour, HATCH), True))
            self._looks.append((cell, with_alpha(colour, strength(cell)), False))

    def fit(self, chart: Chart, frame: Frame) -> None:
        """Lay the cells that are seen into a frame."""
        grid, areas, looks = CellGrid(chart, frame), [], []
        for cell, colour, is_hatched in self._looks:
            area = grid.area(cell)
            if _is_seen(area, frame.plot):
                areas.append(area)
                looks.append((colour, is_hatched))
        self._blocks.set_blocks(frame, areas, looks)


def _is_seen(area: Rect, plot: Rect) -> bool:
    across = area.x < plot.right and area.right > plot.x
    return across and area.y < plot.bottom and area.bottom > plot.y
