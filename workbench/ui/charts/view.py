"""Shows a chart: its heading, its plot, hover, keys; and writes it as SVG, PNG or CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from workbench.session.charts.frame import View
from workbench.session.charts.layout import AS_IT_IS, lay_out
from workbench.session.charts.model import Chart
from workbench.session.charts.scene import Spot
from workbench.session.charts.svg import to_svg
from workbench.session.charts.table import to_csv
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.picture_files import ExportError, write_widget

if TYPE_CHECKING:
    from workbench.ui.charts.plot import ChartPlot

_STEP = 1.2
_INSET, _TOP = 16, 4
_STEPS = {
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Down: (1, -1),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Up: (-1, 1),
}
_ZOOMS = {Qt.Key.Key_Plus: _STEP, Qt.Key.Key_Equal: _STEP, Qt.Key.Key_Minus: 1 / _STEP}


class ChartView(QWidget):
    """One chart. Ctrl+wheel and plus or minus zoom, dragging moves, 0 or a double click shows all.

    Dragging with Shift zooms into what is drawn around. Arrows go from mark to mark, with Shift
    they move the plot; Enter opens the run of a mark; L changes the scale. The plot is made, and
    pyqtgraph loaded, when the chart is first seen.
    """

    #: The run of that id was wanted: its mark was clicked twice, or Enter pressed on it.
    run_activated = Signal(str)
    #: The mark under the pointer or the keys is of that run; "" for none.
    run_hovered = Signal(str)

    def __init__(self, theme: Theme, tools: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chart: Chart | None = None
        self._view = AS_IT_IS
        self._plot: ChartPlot | None = None
        self._is_stale = False
        self._spot: Spot | None = None
        self._at = -1
        self._is_written = False
        self._title = text_label(theme, "", TextRole.HEADING, "fg")
        self._note = ElidedLabel(theme, "", TextRole.NOTE, "fg3")
        self._missing = ElidedLabel(theme, "", TextRole.NOTE, "fg3")
        self._empty = text_label(theme, "", TextRole.LABEL, "fg2")
        self._lay_out(tools)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 150)

    @property
    def chart(self) -> Chart | None:
        """What is shown."""
        return self._chart

    @property
    def view(self) -> View:
        """What the person changed of it."""
        return self._view

    @property
    def plot(self) -> ChartPlot:
        """The plot, which is made now unless it was."""
        if self._plot is None:
            from workbench.ui.charts.plot import ChartPlot  # pyqtgraph takes half a second

            self._plot = ChartPlot(self._theme)
            self._plot.setAccessibleName("Plot")
            self._plot.setFocusProxy(self)
            self._plot.view_changed.connect(self._on_plot_view_changed)
            self._plot.spot_hovered.connect(self._on_plot_spot_hovered)
            self._plot.double_clicked.connect(self._on_plot_double_clicked)
            self._column.insertWidget(1, self._plot, 1)
        if self._is_stale and self._chart is not None:
            self._is_stale = False
            self._plot.setVisible(not self._chart.is_empty)
            self._plot.set_chart(self._chart, self._view)
        return self._plot

    def set_chart(self, chart: Chart) -> None:
        """Show a chart; one of the same key keeps zoom and scales."""
        if self._chart is not None and self._chart.key != chart.key:
            self._view = AS_IT_IS
        self._chart, self._at, self._spot, self._is_stale = chart, -1, None, True
        self.setAccessibleName(f"{chart.title}: {chart.conclusion}")
        self.setAccessibleDescription("")
        self._title.setText(chart.title)
        self._note.set_text(chart.note)
        self._missing.set_text(" ".join(chart.missing))
        self._missing.setVisible(bool(chart.missing))
        self._empty.setText(chart.empty)
        self._empty.setVisible(chart.is_empty)
        if self.isVisible():
            _ = self.plot

    def set_view(self, view: View) -> None:
        """Show other ranges, scales or series."""
        self._view = view
        if self._plot is not None and not self._is_stale:
            self._plot.set_view(view)

    def reset_view(self) -> None:
        """Show all of it, in the scales that it came in."""
        self.set_view(replace(AS_IT_IS, hidden=self._view.hidden))

    def toggle_log(self, axis: str = "y") -> None:
        """Change an axis between even and logarithmic, where its values allow it."""
        if self._chart is not None:
            self.set_view(self._view.toggled_log(self._chart, axis))

    def toggle_series(self, key: str) -> None:
        """Hide a series, or show it again."""
        self.set_view(replace(self._view, hidden=self._view.hidden ^ {key}))

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what lies at a point of this widget stays there."""
        if self._chart is not None and not self._chart.is_empty:
            self.plot.zoom(factor, QPointF(self.plot.mapFrom(self, point.toPoint())))

    def export(self, path: Path) -> None:
        """Write it in the form of the name's ending: .svg, .csv, else PNG. Raises ExportError."""
        chart = self._chart
        if chart is None:
            return
        if path.suffix.lower() not in (".svg", ".csv"):
            self._write_picture(path, chart.title)
            return
        text = to_csv(chart) if path.suffix.lower() == ".csv" else self._svg(chart)
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ExportError(f"the chart could not be written to {path}: {error}") from error

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(480, 280)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        if self._chart is not None:
            _ = self.plot

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Frame all of it while it has the focus and none of its marks is framed."""
        if self.hasFocus() and self._spot is None and not self._is_written:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(self._theme.colour("accent"), 1))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(8.5, 1.5, -8.5, -1.5), 4, 4)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        if self._plot is not None:
            self._plot.show_current(None)
        self._go_to(None, QPoint())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        has_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in _STEPS and has_shift:
            across, up = _STEPS[key]
            self.plot.pan(0 if up else across, up)
        elif key in _STEPS:
            self._step(_STEPS[key][0])
        elif key in _ZOOMS:
            self.plot.zoom(_ZOOMS[key])
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.reset_view()
        elif key == Qt.Key.Key_L:
            self.toggle_log("x" if has_shift else "y")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate(self._spot)
        else:
            super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        """Go to the mark that follows, or goes before."""
        spots = self.plot.spots()
        if not spots:
            return
        self._at = min(max(self._at + step, 0), len(spots) - 1)
        spot = spots[self._at]
        self.plot.show_current(spot)
        self.setAccessibleDescription(spot.tip)
        corner = self.plot.area_of(spot).topRight().toPoint()
        self._go_to(spot, self.plot.mapToGlobal(corner))

    def _activate(self, spot: Spot | None) -> None:
        if spot is not None and spot.key:
            self.run_activated.emit(spot.key)

    def _go_to(self, spot: Spot | None, place: QPoint) -> None:
        """Say the values of a mark at once: whoever looks for them has the pointer there."""
        self._spot = spot
        self.run_hovered.emit(spot.key if spot is not None else "")
        if spot is None or not spot.tip:
            QToolTip.hideText()
        elif self.isVisible():
            QToolTip.showText(place, spot.tip, self)
        self.update()

    def _on_plot_view_changed(self, view: View) -> None:
        self._view = view

    def _on_plot_spot_hovered(self, spot: Spot | None, place: QPoint) -> None:
        self._go_to(spot, place)

    def _on_plot_double_clicked(self, spot: Spot | None) -> None:
        if spot is not None and spot.key:
            self._activate(spot)
        else:
            self.reset_view()

    def _svg(self, chart: Chart) -> str:
        """The chart in the ranges and scales that it is shown in."""
        width = max(1.0, self.width() - 2.0 * _INSET)
        scene = lay_out(chart, width, max(1.0, self.height() - 2.0 * _TOP), self._view)
        return to_svg(scene, self._theme.palette.colour)

    def _write_picture(self, path: Path, title: str) -> None:
        self.plot.show_current(None)
        self._is_written = True
        self.plot.smooth(True)
        try:
            write_widget(path, self, self._theme, title)
        finally:
            self._is_written = False
            self.plot.smooth(False)

    def _lay_out(self, tools: int) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, tools, 0)
        head.setSpacing(12)
        head.addWidget(self._title)
        head.addWidget(self._note, 1)
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.hide()
        self._missing.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(_INSET, _TOP, _INSET, _TOP)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(self._empty, 1)
        self._column.addWidget(self._missing)
