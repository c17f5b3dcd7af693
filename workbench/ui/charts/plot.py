"""Draws a chart with pyqtgraph: axes, grid, marks, zoom and the marks under the pointer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.session.charts.frame import (
    RIGHT_ROOM,
    Frame,
    View,
    axis_words,
    has_floor,
    left_room,
    rail_lines,
    room_below,
    scales_of,
    top_room,
    x_ticks,
    y_ticks,
)
from workbench.session.charts.layout import AS_IT_IS
from workbench.session.charts.model import Chart, Series
from workbench.session.charts.scene import Rect, Spot
from workbench.ui.charts.frame_parts import ChartAxis, ChartBox
from workbench.ui.charts.layers import Layers
from workbench.ui.charts.legend import BLOCK, LINE, MARK, ChartLegend
from workbench.ui.charts.painting import Notes, to_qt
from workbench.ui.theme.theme import Theme

_LEGEND, _HEAD, _PLOT, _FOOT = range(4)  # rows
_PAN = 0.1  # of a range, by a key
_ABOVE = 1000.0


class ChartPlot(pg.GraphicsView):  # type: ignore[misc]  # no types are shipped
    """One chart without its heading. What is written in it is laid out as in its SVG."""

    #: Ranges, scales or hidden series are other ones: the `View`.
    view_changed = Signal(object)
    #: The mark under the pointer, None for none, and where the pointer is on the screen.
    spot_hovered = Signal(object, object)
    #: A mark was clicked twice, or nothing was: None.
    double_clicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chart: Chart | None = None
        self._view = AS_IT_IS
        self._is_setting = False
        self._is_fitting = False
        self._current: Spot | None = None
        self.box = ChartBox(theme)
        self._left, self._bottom = (ChartAxis(s, theme, self.box) for s in ("left", "bottom"))
        self.legend = ChartLegend(theme)
        self._notes = Notes(theme)
        self.layers: Layers | None = None
        self._lay_out()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAntialiasing(True)
        self.box.sigRangeChanged.connect(self._on_box_range_changed)
        self.box.sigResized.connect(self._on_box_resized)
        self.sceneObj.sigMouseMoved.connect(self._on_scene_mouse_moved)
        self.sceneObj.sigMouseClicked.connect(self._on_scene_mouse_clicked)
        theme.changed.connect(self._take_theme)
        self._take_theme()

    @property
    def view(self) -> View:
        """What the person changed of the chart."""
        return self._view

    def set_chart(self, chart: Chart, view: View) -> None:
        """Show a chart in a view."""
        self._chart, self._view = chart, view
        self._build()

    def set_view(self, view: View) -> None:
        """Show other ranges, scales or series."""
        anew = (view.hidden, view.log_x, view.log_y)
        before = (self._view.hidden, self._view.log_x, self._view.log_y)
        self._view = view
        if anew != before:
            self._build()
        else:
            self._show_ranges()

    def frame(self) -> Frame | None:
        """How the chart lies in the plot, in px from its corner."""
        if self._chart is None:
            return None
        area = self.box.rect()
        plot = Rect(0.0, 0.0, max(1.0, area.width()), max(1.0, area.height()))
        return Frame(self._chart, plot, *scales_of(self._chart, self._view))

    def spots(self) -> list[Spot]:
        """All marks in reading order, in px from the plot's corner."""
        frame = self.frame()
        return self.layers.spots(frame) if self.layers is not None and frame is not None else []

    def spot_at(self, place: QPointF) -> Spot | None:
        """The mark at a place of this widget."""
        frame, px = self.frame(), self.box.mapFromScene(self.mapToScene(place.toPoint()))
        if self.layers is None or frame is None or not frame.plot.holds(px.x(), px.y()):
            return None
        return self.layers.spot_at(px, self.box.mapToView(px), frame)

    def area_of(self, spot: Spot) -> QRectF:
        """Where a mark lies in this widget."""
        return QRectF(to_qt(spot.area).translated(self.box.mapToScene(QPointF(0, 0))))

    def show_current(self, spot: Spot | None) -> None:
        """Frame a mark; None frames none."""
        self._current = spot
        if self.layers is not None:
            self.layers.show_current(spot)
        self._notes.show_current(spot)

    def zoom(self, factor: float, place: QPointF | None = None) -> None:
        """Zoom so that what lies at a place of this widget stays there, else the middle."""
        scene = self.mapToScene(place.toPoint()) if place is not None else None
        centre = self.box.mapSceneToView(scene) if scene is not None else None
        self.box.scaleBy((1 / factor, 1 / factor), center=centre)

    def pan(self, across: int, up: int) -> None:
        """Move by steps of a tenth of what is shown."""
        x, y = self.box.viewRange()
        self.box.translateBy(x=across * _PAN * (x[1] - x[0]), y=up * _PAN * (y[1] - y[0]))

    def resizeEvent(self, ev: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        legend = getattr(self, "legend", None)  # pyqtgraph calls this while it is made
        if legend is not None:
            # In the columns of a wider plot it would keep the plot as wide.
            legend.fit(self._legend_room())
            legend.layout.activate()
            self.centralLayout.activate()
        super().resizeEvent(ev)

    def smooth(self, is_smooth: bool) -> None:
        """Draw marks for a picture of more pixels than the screen has."""
        if self.layers is not None:
            self.layers.smooth(is_smooth)

    def _shown(self) -> list[Series]:
        chart = self._chart
        every = chart.series if chart is not None else ()
        return [series for series in every if series.key not in self._view.hidden]

    def _build(self) -> None:
        """Make the marks of the chart anew."""
        for item in self.layers.items if self.layers is not None else ():
            self.box.removeItem(item)
        self.layers, self._current = None, None
        self._notes.show_current(None)
        chart, frame = self._chart, self.frame()
        if chart is None or frame is None:
            return
        self.layers = Layers(self._theme, chart, frame, self._shown())
        for item in self.layers.items:
            self.box.addItem(item, ignoreBounds=True)
        self._left.show_line(False)
        self._bottom.show_line(has_floor(chart))
        self._show_legend(chart)
        self.centralLayout.setRowFixedHeight(_HEAD, top_room(chart))
        self.centralLayout.setRowFixedHeight(_FOOT, room_below(chart))
        self._show_ranges()

    def _show_legend(self, chart: Chart) -> None:
        series = chart.series if chart.has_legend else ()
        kind = BLOCK if chart.bars or chart.cells else LINE if chart.bundles else MARK
        self.legend.show_series(series, kind, self._view.hidden, self._legend_room())
        self.centralLayout.setRowSpacing(_LEGEND, 0)
        self.legend.setVisible(bool(series))
        if not series:
            self.legend.setMinimumHeight(0)
            self.legend.setMaximumHeight(0)

    def _legend_room(self) -> float:
        return max(1.0, float(self.width()) - RIGHT_ROOM)

    def _show_ranges(self) -> None:
        chart = self._chart
        if chart is None:
            return
        own = scales_of(chart, replace(self._view, x=None, y=None))
        self._is_setting = True
        self.box.show_ranges(scales_of(chart, self._view), own)
        self._is_setting = False
        self._fit()

    def _fit(self) -> None:
        """Lay out what depends on ranges and size."""
        if self._chart is None or self.layers is None or self._is_fitting:
            return
        self._is_fitting = True
        self.legend.fit(self._legend_room())
        self.centralLayout.activate()
        self.legend.layout.activate()
        frame = self.frame()
        assert frame is not None
        self._left.setWidth(round(left_room(self._chart, frame.y, frame.plot.height)))
        self.centralLayout.activate()
        self.box.updateMatrix()  # else it would be done while painting, which paints twice
        frame = self.frame()
        assert frame is not None
        self._left.show_ticks(y_ticks(frame), frame.y)
        self._bottom.show_ticks(x_ticks(frame), frame.x)
        shapes = [*rail_lines(frame), *self.layers.fit(frame), *axis_words(frame)]
        corner = self.box.mapToScene(QPointF(0, 0))
        self._notes.show_shapes(QRectF(corner, self.box.rect().size()), shapes)
        self._is_fitting = False

    def _on_box_range_changed(self) -> None:
        chart = self._chart
        if chart is None or self._is_setting:
            return
        own = scales_of(chart, replace(self._view, x=None, y=None))
        x, y = self.box.ranges(own)
        self._view = replace(self._view, x=x, y=y)
        self._fit()
        self.view_changed.emit(self._view)

    def _on_box_resized(self) -> None:
        if not self._is_fitting:
            self._fit()

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        point = self.mapFromScene(place)
        spot = self.spot_at(QPointF(point))
        if spot is None or self._current is None or spot.area != self._current.area:
            self.show_current(spot)
            self.spot_hovered.emit(spot, self.mapToGlobal(point))

    def _on_scene_mouse_clicked(self, event: Any) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        series = self.legend.series_at(event.scenePos()) if self.legend.isVisible() else None
        if series is not None:
            self.set_view(replace(self._view, hidden=self._view.hidden ^ {series.key}))
            self.view_changed.emit(self._view)
        elif event.double():
            self.double_clicked.emit(self.spot_at(QPointF(self.mapFromScene(event.scenePos()))))

    def _take_theme(self) -> None:
        self.setBackground(self._theme.colour("bg1"))
        for part in (self.box, self._left, self._bottom, self._notes):
            part.take_theme()
        self._build()

    def _lay_out(self) -> None:
        grid = self.centralLayout
        grid.setContentsMargins(0.0, 4.0, 0.0, 0.0)
        grid.setSpacing(0.0)
        grid.addItem(self.legend, _LEGEND, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        grid.addItem(self._left, _PLOT, 0)
        grid.addItem(self.box, _PLOT, 1)
        grid.addItem(self._bottom, _FOOT, 1)
        grid.setColumnFixedWidth(2, RIGHT_ROOM)
        grid.setRowStretchFactor(_PLOT, 1)
        grid.setColumnStretchFactor(1, 1)
        self._notes.setZValue(_ABOVE)
        self.sceneObj.addItem(self._notes)
