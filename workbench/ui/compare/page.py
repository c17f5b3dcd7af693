"""The page of a comparison: its name and conclusion above, and its four views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.comparison_desk import Loaded
from workbench.session.comparison_view.view import filtered
from workbench.ui.charts.panel import ChartsPanel
from workbench.ui.compare.code_panel import CodePanel, Contents
from workbench.ui.compare.lens_panel import LensPanel, Subjects
from workbench.ui.compare.overview import Overview
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton, push_button
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import hairline
from workbench.ui.widgets.search_field import SearchField
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

_VIEWS = (
    Segment("overview", "Overview", "Metrics in columns, what differs, and two charts"),
    Segment("code", "Code", "The texts of two runs side by side, in every stage"),
    Segment("charts", "Charts", "All charts of these runs and of their targets"),
    Segment("lenses", "Lenses", "One lens on two runs, linked"),
)
_UNNAMED = "Comparison"
_SEARCH_WIDTH = 180
_NOTHING = "Choose two to eight runs in the list of runs to see them side by side."


class ComparePage(QWidget):
    """Shows what was loaded of a comparison; it reads and decides nothing itself."""

    left = Signal()
    save_requested = Signal()
    saved_chosen = Signal(str)
    forget_requested = Signal(str)
    follow_toggled = Signal(bool)
    runs_requested = Signal()
    export_requested = Signal()
    predict_requested = Signal(QWidget)
    run_activated = Signal(str)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, theme = icons, icons.theme
        self._loaded: Loaded | None = None
        self._makes_reports = False
        self._name = ElidedLabel(theme, _UNNAMED, TextRole.HEADING, "fg")
        self._switch = SegmentedSwitch(icons, "View of the comparison", _VIEWS)
        self._saved = PickerButton(icons, "Saved comparisons", "Saved")
        self._more = FlatToolButton(icons, "Show every metric", "All metrics")
        self._search = SearchField(icons, "Filter metrics")
        self._search.setFixedWidth(_SEARCH_WIDTH)
        self._conclusion = ConclusionLabel(theme, "")
        self._predict = push_button(icons, "Predict for…", icon="target")
        self._export = push_button(icons, "Export report")
        self._save = push_button(icons, "Save view")
        self._close = FlatToolButton(icons, "Back to the documents (Esc)")
        self.overview = Overview(icons)
        self.code = CodePanel(icons)
        self.charts = ChartsPanel(icons)
        self.lenses = LensPanel(icons)
        self._empty = EmptyState(icons, "compare", _NOTHING, "Show the runs")
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._show_state()

    @property
    def loaded(self) -> Loaded | None:
        """What is shown."""
        return self._loaded

    @property
    def view(self) -> str:
        """The key of the view in front."""
        return self._switch.current or "overview"

    def set_loaded(self, loaded: Loaded, contents: Contents, subjects: Subjects) -> None:
        """Show a comparison; `contents` and `subjects` give what its other views need."""
        self._loaded = loaded
        self._show_view()
        heads = loaded.short.heads
        self.code.set_columns(heads, contents)
        self.charts.set_charts(loaded.charts)
        self.lenses.set_columns(heads, subjects)
        self._show_state()

    def show_nothing(self, why: str = "") -> None:
        """Say why there is nothing: nothing was chosen, it is being loaded, or it cannot be."""
        self._loaded = None
        self._empty.set_content("compare", why or _NOTHING, None if why else "Show the runs")
        self._show_state()

    def set_name(self, name: str, follows: bool, saved: Sequence[str]) -> None:
        """Name the comparison, and offer the saved ones."""
        self._name.set_text(name or _UNNAMED)
        self._save.setText("Save view" if not name else "Save as…")
        menu = self._saved.menu() or QMenu(self._saved)
        menu.clear()
        for each in saved:
            action = menu.addAction(each)
            action.setCheckable(True)
            action.setChecked(each == name)
            action.triggered.connect(lambda _=False, each=each: self.saved_chosen.emit(each))
        if not saved:
            menu.addAction("No comparison was saved yet.").setEnabled(False)
        if name:
            menu.addSeparator()
            follow = menu.addAction("Columns Follow Newer Runs")
            follow.setCheckable(True)
            follow.setChecked(follows)
            follow.toggled.connect(self.follow_toggled)
            menu.addAction(f"Forget “{name}”").triggered.connect(
                lambda: self.forget_requested.emit(name)
            )
        self._saved.setMenu(menu)

    def show_view(self, key: str) -> None:
        """Bring a view to the front."""
        self._switch.set_current(key)
        self._show_state()

    def set_complete(self, is_complete: bool) -> None:
        """Show every metric, or those that tell most."""
        self._more.setChecked(is_complete)

    def set_export_offered(self, is_offered: bool) -> None:
        """Offer to export a report, where somebody makes one."""
        self._makes_reports = is_offered
        self._show_state()

    def state(self) -> dict[str, Any]:
        """What is remembered of the page."""
        return {
            "version": 1,
            "view": self.view,
            "complete": self._more.isChecked(),
            "overview": self.overview.state(),
            "charts": self.charts.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring it back; another version's is left alone."""
        if state.get("version") != 1:
            return
        if state.get("view") in [segment.key for segment in _VIEWS]:
            self.show_view(str(state["view"]))
        self.set_complete(state.get("complete") is True)
        for key, part in (("overview", self.overview), ("charts", self.charts)):
            own = state.get(key)
            if isinstance(own, dict):
                part.restore(own)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _show_view(self) -> None:
        loaded = self._loaded
        if loaded is None:
            return
        is_complete = self._more.isChecked()
        view = loaded.complete if is_complete else loaded.short
        self._conclusion.set_conclusion(view.conclusion)
        self._more.setText("Fewer metrics" if is_complete else f"{view.hidden} more metrics")
        self._more.updateGeometry()
        shown = filtered(view, self._search.text()) if is_complete else view
        self.overview.set_view(shown, loaded.charts)

    def _show_state(self) -> None:
        """The view in front, or why there is none."""
        has = self._loaded is not None
        for part in (self._conclusion, self._save, self._predict, self._more):
            part.setVisible(has)
        self._export.setVisible(has and self._makes_reports)
        self._more.setVisible(has and self.view == "overview")
        self._search.setVisible(self._more.isVisibleTo(self) and self._more.isChecked())
        self._switch.setEnabled(has)
        pages: dict[str, QWidget] = {
            "overview": self.overview,
            "code": self.code,
            "charts": self.charts,
            "lenses": self.lenses,
        }
        self._stack.setCurrentWidget(pages[self.view] if has else self._empty)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self.setAccessibleName("Runs side by side")
        self._more.setCheckable(True)
        self._more.set_icon("list", "fg3")
        self._close.set_icon("close", "fg3")
        self._switch.set_current("overview")
        top = QHBoxLayout()
        top.setContentsMargins(16, 6, 10, 6)
        top.setSpacing(10)
        top.addWidget(self._name, 1)
        top.addWidget(self._switch)
        top.addStretch(1)
        top.addWidget(self._search)
        top.addWidget(self._more)
        top.addWidget(self._saved)
        top.addWidget(self._close)
        said = QHBoxLayout()
        said.setContentsMargins(16, 8, 16, 8)
        said.setSpacing(8)
        said.addWidget(self._conclusion, 1)
        for button in (self._predict, self._export, self._save):
            said.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        for page in (self.overview, self.code, self.charts, self.lenses, self._empty):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(hairline(strong=True))
        column.addLayout(said)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.overview.table)

    def _connect(self) -> None:
        self._switch.chosen.connect(lambda _: self._show_state())
        self._more.toggled.connect(self._on_more_toggled)
        self._search.textChanged.connect(lambda _: self._show_view())
        self._close.clicked.connect(self.left)
        self._save.clicked.connect(self.save_requested)
        self._export.clicked.connect(self.export_requested)
        self._predict.clicked.connect(lambda: self.predict_requested.emit(self._predict))
        self._empty.action_triggered.connect(self.runs_requested)
        for part in (self.overview, self.charts):
            part.run_activated.connect(self.run_activated)
            part.told.connect(self.told)
        self.lenses.told.connect(self.told)
        self.overview.table.run_activated.connect(self.run_activated)
        self.overview.table.difference_requested.connect(self._on_difference_requested)

    def _on_more_toggled(self, _: bool) -> None:
        self._show_view()
        self._show_state()

    def _on_difference_requested(self, run_id: str) -> None:
        self.code.show_run(run_id)
        self.show_view("code")
