"""Shows a chart: hover, zoom, drag, legend and keys; and writes it as SVG, PNG or CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from workbench.session.charts.frame import View
from workbench.session.charts.layout import AS_IT_IS, lay_out
from workbench.session.charts.model import Chart
from workbench.session.charts.scene import Scene, Spot
from workbench.session.charts.svg import to_svg
from workbench.session.charts.table import to_csv
from workbench.session.charts.zooming import moved, toggled_log, zoomed
from workbench.ui.charts.painting import paint_scene, to_qt
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.picture_files import ExportError, write_picture

_STEP = 1.2
_INSET, _TOP = 16.0, 4.0
_STEPS = {
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
}
_ZOOMS = {Qt.Key.Key_Plus: _STEP, Qt.Key.Key_Equal: _STEP, Qt.Key.Key_Minus: 1 / _STEP}


class ChartView(QWidget):
    """One chart. Ctrl+wheel and plus or minus zoom, dragging moves, a double click shows all.

    Arrows go from mark to mark, Enter opens the run of one; L changes the scale.
    """

    #: The run of that id was wanted: its mark was clicked twice, or Enter pressed on it.
    run_activated = Signal(str)
    #: The mark under the pointer or the keys is of that run; "" for none.
    run_hovered = Signal(str)

    def __init__(self, theme: Theme, tools: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tools = theme, tools
        self._chart: Chart | None = None
        self._view = AS_IT_IS
        self._scene: Scene | None = None
        self._hovered: Spot | None = None
        self._current = -1
        self._drag: QPointF | None = None
        self._has_moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 150)
        theme.changed.connect(self.update)

    @property
    def chart(self) -> Chart | None:
        """What is shown."""
        return self._chart

    @property
    def view(self) -> View:
        """What the person changed of it."""
        return self._view

    @property
    def scene(self) -> Scene | None:
        """How it lies at the present size."""
        if self._scene is None and self._chart is not None:
            width = max(1.0, self.width() - 2 * _INSET)
            self._scene = lay_out(
                self._chart, width, max(1.0, self.height() - 8.0), self._view, tools=self._tools
            )
        return self._scene

    def set_chart(self, chart: Chart) -> None:
        """Show a chart; one of the same key keeps zoom and scales."""
        if self._chart is not None and self._chart.key != chart.key:
            self._view = AS_IT_IS
        self._chart, self._current, self._hovered = chart, -1, None
        self.setAccessibleName(f"{chart.title}: {chart.conclusion}")
        self._show_anew()

    def set_view(self, view: View) -> None:
        """Show other ranges, scales or series."""
        self._view = view
        self._show_anew()

    def reset_view(self) -> None:
        """Show all of it, in the scales that it came in."""
        self.set_view(replace(AS_IT_IS, hidden=self._view.hidden))

    def toggle_log(self, axis: str = "y") -> None:
        """Change an axis between even and logarithmic, where its values allow it."""
        if self._chart is not None:
            self.set_view(toggled_log(self._chart, self._view, axis))

    def export(self, path: Path) -> None:
        """Write it in the form of the name's ending: .svg, .csv, else PNG. Raises ExportError."""
        chart, scene = self._chart, self.scene
        if chart is None or scene is None:
            return
        if path.suffix.lower() not in (".svg", ".csv"):
            size = QSize(self.width(), self.height())
            write_picture(path, size, self._theme, chart.title, self._paint_all)
            return
        palette = self._theme.palette
        text = to_csv(chart) if path.suffix.lower() == ".csv" else to_svg(scene, palette.colour)
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ExportError(f"the chart could not be written to {path}: {error}") from error

    def spot_at(self, point: QPointF) -> Spot | None:
        """The mark or legend entry at a point of the widget."""
        scene = self.scene
        if scene is None:
            return None
        x, y = point.x() - _INSET, point.y() - _TOP
        places = (*scene.legend, *reversed(scene.spots))
        near = [spot for spot in places if spot.area.holds(x, y)]
        return next(iter(near), None)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(480, 280)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            self._paint_all(painter)
            painter.translate(_INSET, _TOP)
            self._paint_focus(painter)

    def _paint_all(self, painter: QPainter) -> None:
        scene = self.scene
        if scene is not None:
            painter.save()
            painter.translate(_INSET, _TOP)
            paint_scene(painter, scene, self._theme)
            painter.restore()

    def _paint_focus(self, painter: QPainter) -> None:
        """A frame around what the pointer or the keys are on."""
        scene = self.scene
        current = self._hovered
        if current is None and scene is not None and self.hasFocus():
            spots = scene.spots
            current = spots[self._current] if 0 <= self._current < len(spots) else None
        if current is not None and current.tip:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(to_qt(current.area).adjusted(-2, -2, 2, 2), 3, 3)
        elif self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 1))
            painter.drawRoundedRect(
                QRectF(-8, 1 - _TOP, self.width() - 16.0, self.height() - 2.0), 4, 4
            )

    def resizeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._scene = None

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.LeftButton:
            self._drag, self._has_moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if self._drag is not None:
            self._pan(event.position())
            return
        spot = self.spot_at(event.position())
        if spot is not self._hovered:
            self._hovered = spot
            self.run_hovered.emit(spot.key if spot is not None else "")
            self._tell(spot, event.globalPosition().toPoint())
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        was_click = self._drag is not None and not self._has_moved
        self._drag = None
        spot = self.spot_at(event.position()) if was_click else None
        if spot is not None and self.scene is not None and spot in self.scene.legend:
            self.set_view(replace(self._view, hidden=self._view.hidden ^ {spot.series}))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        spot = self.spot_at(event.position())
        if spot is not None and spot.key:
            self.run_activated.emit(spot.key)
        else:
            self.reset_view()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._hovered = None
        self.run_hovered.emit("")
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        self.zoom_at(event.position(), _STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what lies at a point of the widget stays there."""
        chart, scene = self._chart, self.scene
        if chart is not None and scene is not None and not chart.is_empty:
            self.set_view(
                zoomed(chart, scene, self._view, point.x() - _INSET, point.y() - _TOP, factor)
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._step(_STEPS[key])
        elif key in _ZOOMS:
            self.zoom_at(QPointF(self.width() / 2, self.height() / 2), _ZOOMS[key])
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.reset_view()
        elif key == Qt.Key.Key_L:
            is_x = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.toggle_log("x" if is_x else "y")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate()
        else:
            super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        spots = self.scene.spots if self.scene is not None else ()
        if not spots:
            return
        self._current = min(max(self._current + step, 0), len(spots) - 1)
        spot = spots[self._current]
        self._hovered = None
        self.setAccessibleDescription(spot.tip)
        corner = QPoint(round(spot.area.right + _INSET), round(spot.area.y + _TOP))
        self._tell(spot, self.mapToGlobal(corner))
        self.run_hovered.emit(spot.key)
        self.update()

    def _activate(self) -> None:
        spots = self.scene.spots if self.scene is not None else ()
        if 0 <= self._current < len(spots) and spots[self._current].key:
            self.run_activated.emit(spots[self._current].key)

    def _tell(self, spot: Spot | None, place: QPoint) -> None:
        """Say the values at once: whoever looks for them has the pointer there."""
        if spot is None or not spot.tip:
            QToolTip.hideText()
        elif self.isVisible():
            QToolTip.showText(place, spot.tip, self)

    def _pan(self, place: QPointF) -> None:
        assert self._drag is not None
        way = place - self._drag
        far = way.manhattanLength() >= QApplication.startDragDistance()
        chart, scene = self._chart, self.scene
        if chart is None or scene is None or not (self._has_moved or far):
            return
        self._has_moved, self._drag = True, place
        if self._view.is_zoomed:
            self.set_view(moved(chart, scene, self._view, way.x(), way.y()))

    def _show_anew(self) -> None:
        self._scene = None
        self.update()
