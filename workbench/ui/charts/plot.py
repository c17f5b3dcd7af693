"""Draws a chart with pyqtgraph: axes, grid, marks, zoom and the marks under the pointer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QWidget

from workbench.session.charts.bar_shapes import bar_notes, bar_spots, slots_of
from workbench.session.charts.cell_shapes import cell_notes, cell_spots
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
from workbench.session.charts.point_shapes import guide_names, link_shapes, point_labels
from workbench.session.charts.scene import Rect, Shape, Spot
from workbench.ui.charts.blocks import BarLayer, CellLayer
from workbench.ui.charts.frame_parts import ChartAxis, ChartBox
from workbench.ui.charts.legend import BLOCK, LINE, MARK, ChartLegend
from workbench.ui.charts.lines import BundleLayer, CurveLayer, GuideLayer
from workbench.ui.charts.painting import NotePainter, to_qt
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
        self._notes = _Notes(theme)
        self._layers: list[Any] = []
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
        chart, frame = self._chart, self.frame()
        if chart is None or frame is None:
            return []
        found = self._block_spots(chart, frame)
        for layer in self._layers:
            if isinstance(layer, (CurveLayer, BundleLayer)):
                found += layer.spots(frame)
        return found

    def spot_at(self, place: QPointF) -> Spot | None:
        """The mark at a place of this widget."""
        chart, frame = self._chart, self.frame()
        px = self.box.mapFromScene(self.mapToScene(place.toPoint()))
        if chart is None or frame is None or not frame.plot.holds(px.x(), px.y()):
            return None
        if chart.bars or chart.gaps or chart.cells:
            blocks = reversed(self._block_spots(chart, frame))
            found = next((s for s in blocks if s.area.holds(px.x(), px.y())), None)
            if found is not None:
                return found
        for layer in reversed(self._layers):
            found = self._hit(layer, px, frame)
            if found is not None:
                return found
        return None

    def area_of(self, spot: Spot) -> QRectF:
        """Where a mark lies in this widget."""
        return QRectF(to_qt(spot.area).translated(self.box.mapToScene(QPointF(0, 0))))

    def show_current(self, spot: Spot | None) -> None:
        """Frame a mark; None frames none."""
        self._current = spot
        for layer in self._layers:
            if isinstance(layer, BundleLayer):
                layer.show_current(spot)
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

    def smooth(self, is_smooth: bool) -> None:
        """Draw marks for a picture of more pixels than the screen has."""
        for layer in self._layers:
            if isinstance(layer, (CurveLayer, BundleLayer)):
                layer.smooth(is_smooth)

    def _block_spots(self, chart: Chart, frame: Frame) -> list[Spot]:
        """The bars, gaps and cells."""
        shown = self._shown()
        if chart.bars or chart.gaps:
            return list(bar_spots(chart, slots_of(chart, frame, shown), shown))
        return list(cell_spots(chart, frame, shown))

    def _hit(self, layer: Any, px: QPointF, frame: Frame) -> Spot | None:
        if isinstance(layer, GuideLayer):
            return layer.spot_at(px, self.box.mapToView(px))
        if isinstance(layer, (CurveLayer, BundleLayer)):
            return layer.spot_at(px, frame)
        return None

    def _shown(self) -> list[Series]:
        chart = self._chart
        every = chart.series if chart is not None else ()
        return [series for series in every if series.key not in self._view.hidden]

    def _build(self) -> None:
        """Make the marks of the chart anew."""
        self.box.clear()
        self._layers, self._current = [], None
        self._notes.show_current(None)
        chart, frame = self._chart, self.frame()
        if chart is None or frame is None:
            return
        self._layers = list(self._made_layers(chart, frame))
        for layer in self._layers:
            for item in layer.items:
                self.box.addItem(item, ignoreBounds=True)
        self._left.show_line(False)
        self._bottom.show_line(has_floor(chart))
        self._show_legend(chart)
        self.centralLayout.setRowFixedHeight(_HEAD, top_room(chart))
        self.centralLayout.setRowFixedHeight(_FOOT, room_below(chart))
        self._show_ranges()

    def _made_layers(self, chart: Chart, frame: Frame) -> tuple[Any, ...]:
        """From back to front: bars would hide what they are held against, curves lie above it."""
        guides, shown = GuideLayer(self._theme, chart, frame), self._shown()
        if chart.bars or chart.gaps:
            return BarLayer(self._theme), guides
        cells = (CellLayer(self._theme, chart, shown),) if chart.cells else ()
        bundles = (BundleLayer(self._theme, chart, frame, shown),) if chart.bundles else ()
        return (*cells, *bundles, guides, CurveLayer(self._theme, chart, frame, shown))

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
        if self._chart is None or self._is_fitting:
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
        self._notes.show_shapes(self.box, self._fit_layers(self._chart, frame))
        self._is_fitting = False

    def _fit_layers(self, chart: Chart, frame: Frame) -> list[Shape]:
        """Fit the marks, and say what is written among them."""
        shown = self._shown()
        shapes: list[Shape] = [*link_shapes(chart.links, frame)]
        for layer in self._layers:
            if isinstance(layer, BarLayer):
                slots = slots_of(chart, frame, shown)
                layer.fit(chart, slots, shown)
                shapes += bar_notes(chart, slots, shown)
            elif isinstance(layer, CellLayer):
                layer.fit(chart, frame)
                shapes += cell_notes(chart, frame, shown)
        labels = point_labels(chart, frame, shown)
        return [
            *rail_lines(frame),
            *shapes,
            *axis_words(frame),
            *guide_names(chart, frame),
            *labels,
        ]

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


class _Notes(QGraphicsItem):
    """What is written in and around the plot, and the frame of the current mark."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._painter = NotePainter(theme)
        self._plot = QRectF()
        self._shapes: list[Shape] = []
        self._current: Spot | None = None
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def take_theme(self) -> None:
        """Take the theme's fonts."""
        self._painter = NotePainter(self._theme)

    def show_shapes(self, box: ChartBox, shapes: list[Shape]) -> None:
        """Show these, which are in px from the corner of the plot."""
        self.prepareGeometryChange()
        self._plot, self._shapes = QRectF(box.rect()), shapes
        self.setPos(box.mapToScene(QPointF(0, 0)))
        self.update()

    def show_current(self, spot: Spot | None) -> None:
        """Frame a mark; only what changes is painted."""
        for each in (self._current, spot):
            if each is not None:
                self.update(to_qt(each.area).adjusted(-4, -4, 4, 4))
        self._current = spot

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return self._plot.adjusted(-400, -80, 100, 60)

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        self._painter.paint(painter, self._shapes, self._plot.adjusted(-6, -16, 6, 1))
        if self._current is not None and self._current.tip:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(to_qt(self._current.area).adjusted(-2, -2, 2, 2), 3, 3)
