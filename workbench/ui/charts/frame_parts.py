"""The frame of a plot: a box that zooms and moves within the chart's ranges, and its axes."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QApplication, QGraphicsSceneWheelEvent

from workbench.session.charts.frame import Tick
from workbench.session.charts.ticks import Scale
from workbench.ui.charts.units import shown_range, to_plot
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

pg.setConfigOptions(mouseRateLimit=0)  # Qt tells of no more moves than are painted
_MOST_ZOOM = 400.0
_BESIDE_TICK = 6
_BEYOND = (-40.0, -10.0, 40.0, 10.0)  # px: ticks at an end are written whole
_Range = tuple[float, float]


class ChartBox(pg.ViewBox):  # type: ignore[misc]  # no types are shipped
    """Ctrl+wheel zooms, dragging moves, with Shift it zooms into what is drawn around.

    Without Ctrl the wheel is left to what scrolls around the chart.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self._theme = theme
        self.disableAutoRange()
        self.setMenuEnabled(False)

    def take_theme(self) -> None:
        """Take the theme's colours."""
        self.rbScaleBox.setPen(pg.mkPen(self._theme.colour("accent"), width=1))
        self.rbScaleBox.setBrush(pg.mkBrush(self._theme.colour("accent", 0.15)))

    def show_ranges(self, scales: tuple[Scale, Scale], own: tuple[Scale, Scale]) -> None:
        """Show these ranges; out of the chart's own ones nobody gets."""
        (x, y), (own_x, own_y) = map(_ends, scales), map(_ends, own)
        self.setLimits(**_unlimited())
        self.setRange(xRange=x, yRange=y, padding=0.0)
        self.setLimits(
            xMin=own_x[0],
            xMax=own_x[1],
            yMin=own_y[0],
            yMax=own_y[1],
            minXRange=(own_x[1] - own_x[0]) / _MOST_ZOOM,
            minYRange=(own_y[1] - own_y[0]) / _MOST_ZOOM,
            maxXRange=own_x[1] - own_x[0],
            maxYRange=own_y[1] - own_y[0],
        )

    def ranges(self, own: tuple[Scale, Scale]) -> tuple[_Range | None, _Range | None]:
        """The ranges on show in the chart's values, None where one is the chart's own."""
        across, up = self.viewRange()
        return shown_range(across, own[0]), shown_range(up, own[1])

    def wheelEvent(  # noqa: N802 - Qt's name
        self, ev: QGraphicsSceneWheelEvent, axis: int | None = None
    ) -> None:
        if ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(ev, axis)
        else:
            ev.ignore()

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:  # noqa: N802 - its name
        if ev.button() is not Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        if ev.isStart():
            has_shift = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.setMouseMode(self.RectMode if has_shift else self.PanMode)
        super().mouseDragEvent(ev, axis)


def _ends(scale: Scale) -> _Range:
    low, high = to_plot(scale, (scale.low, scale.high))
    return float(low), float(high)


def _unlimited() -> dict[str, None]:
    sides = ("xMin", "xMax", "yMin", "yMax", "minXRange", "minYRange", "maxXRange", "maxYRange")
    return dict.fromkeys(sides)


class ChartAxis(pg.AxisItem):  # type: ignore[misc]  # no types are shipped
    """Ticks and grid as the chart has them, in the theme's colours and font."""

    def __init__(self, orientation: str, theme: Theme, box: ChartBox) -> None:
        super().__init__(orientation)
        self._theme = theme
        self.setStyle(tickLength=0, tickTextOffset=_BESIDE_TICK, tickAlpha=255)
        self.setStyle(autoExpandTextSpace=False, autoReduceTextSpace=False)
        self.setGrid(255)
        self.setZValue(box.zValue() - 1)  # the grid lies behind the marks
        self.linkToView(box)

    def take_theme(self) -> None:
        """Take the theme's colours and font."""
        self.setStyle(tickFont=self._theme.fonts.role(TextRole.NOTE))
        self.setTickPen(QPen(self._theme.colour("line"), 1.0))
        self.setTextPen(QPen(self._theme.colour("fg3"), 1.0))

    def show_line(self, has_line: bool) -> None:
        """Draw a line along the axis, or none."""
        line = QPen(self._theme.colour("line2"), 1.0)
        self.setPen(line if has_line else QPen(Qt.PenStyle.NoPen))

    def show_ticks(self, ticks: tuple[Tick, ...], scale: Scale) -> None:
        """Show these ticks."""
        places = to_plot(scale, [tick.value for tick in ticks])
        self.setTicks([[(float(at), t.text) for at, t in zip(places, ticks, strict=True)]])

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return QRectF(super().boundingRect()).adjusted(*_BEYOND)

    def wheelEvent(self, event: QGraphicsSceneWheelEvent) -> None:  # noqa: N802 - Qt's name
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()
