"""A chart with its tools: enlarge it, change its scales, write it to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from workbench.session.charts.model import Chart
from workbench.session.charts.table import to_csv, to_markdown
from workbench.ui.charts.view import ChartView
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.picture_files import ExportError

_TOOL, _TOOLS = 24, 50
_FORMATS = (("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"))


class ChartCard(QWidget):
    """A `ChartView` with two buttons at its corner."""

    #: It is wanted large, or small again: its key.
    enlarge_requested = Signal(str)
    #: Another chart is wanted in its place: that one's key.
    instead_chosen = Signal(str)
    run_activated = Signal(str)
    run_hovered = Signal(str)
    #: What happened to a file, in a sentence.
    told = Signal(str)

    def __init__(self, icons: Icons, can_enlarge: bool = True, parent: QWidget | None = None):
        super().__init__(parent)
        self.view = ChartView(icons.theme, _TOOLS)
        self._others: tuple[tuple[str, str], ...] = ()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.addWidget(self.view)
        self._enlarge = _tool(icons, "Enlarge this chart", "zoom-fit", self)
        self._enlarge.setVisible(can_enlarge)
        self._more = _tool(icons, "Scales, and export", "more", self)
        self._enlarge.clicked.connect(self._on_enlarge_clicked)
        self._more.clicked.connect(self._on_more_clicked)
        self.view.run_activated.connect(self.run_activated)
        self.view.run_hovered.connect(self.run_hovered)

    @property
    def chart(self) -> Chart | None:
        """What is shown."""
        return self.view.chart

    def set_chart(self, chart: Chart) -> None:
        """Show a chart."""
        self.view.set_chart(chart)
        self._more.setEnabled(not chart.is_empty)
        self.setToolTip("")

    def set_others(self, others: Sequence[tuple[str, str]]) -> None:
        """Offer other charts in its place, by key and title."""
        self._others = tuple(others)

    def menu(self) -> QMenu:
        """What can be done with the chart."""
        menu, chart = QMenu(self), self.view.chart
        if chart is None:
            return menu
        if self._others:
            instead = menu.addMenu("Show Instead")
            for key, title in self._others:
                chosen = _action(instead, title)
                chosen.setEnabled(key != chart.key)
                chosen.triggered.connect(lambda _=False, key=key: self.instead_chosen.emit(key))
        for axis, named in (("y", chart.y), ("x", chart.x)):
            if named.may_log and not chart.stacked:
                name = named.title or "values"
                action = _action(menu, f"Logarithmic scale: {name}")
                action.setCheckable(True)
                action.setChecked(self.view.view.is_log(chart, axis))
                action.triggered.connect(lambda _=False, axis=axis: self.view.toggle_log(axis))
        reset = _action(menu, "Reset zoom")
        reset.setEnabled(self.view.view.is_zoomed)
        reset.triggered.connect(self.view.reset_view)
        self._add_series(menu, chart)
        menu.addSeparator()
        for suffix, title in _FORMATS:
            action = _action(menu, f"Export as {title}…")
            action.triggered.connect(lambda _=False, suffix=suffix: self.choose_file(suffix))
        for title, write in (("Copy as Markdown", to_markdown), ("Copy as CSV", to_csv)):
            copy = _action(menu, title)
            copy.triggered.connect(lambda _=False, write=write: self._copy(write(chart)))
        return menu

    def _add_series(self, menu: QMenu, chart: Chart) -> None:
        """Offer to hide series, as a click on the legend does."""
        if not chart.has_legend:
            return
        series = menu.addMenu("Series")
        for each in chart.series:
            action = _action(series, each.label)
            action.setCheckable(True)
            action.setChecked(each.key not in self.view.view.hidden)
            action.triggered.connect(lambda _=False, key=each.key: self.view.toggle_series(key))

    def choose_file(self, suffix: str) -> None:
        """Ask for a name and write the chart under it."""
        chart = self.view.chart
        if chart is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self, f"Export {chart.title}", f"{chart.key}.{suffix}", f"*.{suffix}"
        )
        if not name:
            return
        try:
            self.view.export(Path(name))
        except ExportError as error:
            self.told.emit(str(error))
        else:
            self.told.emit(f"The chart was written to {name}.")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        right = self.width() - 10
        for tool in (self._more, self._enlarge):
            tool.move(right - _TOOL, 3)
            if not tool.isHidden():
                right -= _TOOL + 2

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        self._pop_up(event.globalPos())

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.told.emit("The chart's numbers were copied.")

    def _pop_up(self, place: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _on_enlarge_clicked(self) -> None:
        if self.view.chart is not None:
            self.enlarge_requested.emit(self.view.chart.key)

    def _on_more_clicked(self) -> None:
        self._pop_up(self._more.mapToGlobal(QPoint(0, self._more.height())))


def _action(menu: QMenu, title: str) -> QAction:
    action = QAction(title, menu)
    menu.addAction(action)
    return action


def _tool(icons: Icons, tip: str, icon: str, parent: QWidget) -> FlatToolButton:
    button = FlatToolButton(icons, tip, parent=parent)
    button.set_icon(icon, "fg3", 14)
    button.setFixedSize(_TOOL, _TOOL)
    return button
