"""The page of sweeps: which one, how it stands, and its views; or the form of a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.sweeps.findings import Fate
from workbench.session.sweeps.listing import Listed
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.views.curves import (
    COSTS,
    accuracy_chart,
    best_so_far_chart,
    trade_off_chart,
)
from workbench.session.sweeps.views.parallel import parallel_chart
from workbench.session.sweeps.views.summary import Summary, summary
from workbench.ui.charts.card import ChartCard
from workbench.ui.charts.panel import ChartsPanel
from workbench.ui.sweep.form_panel import FormPanel
from workbench.ui.sweep.map_panel import MapPanel
from workbench.ui.sweep.points_panel import PointsPanel
from workbench.ui.sweep.reasons_panel import ReasonsPanel
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton, push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import hairline
from workbench.ui.widgets.search_field import SearchField
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

FORM = "form"
_VIEWS = (
    Segment(FORM, "New sweep", "What is varied, for which targets, and who measures"),
    Segment("points", "Points", "Every configuration, and the best so far"),
    Segment("map", "Map", "The best time over two arguments"),
    Segment("lines", "Lines", "The fastest points as lines across all arguments"),
    Segment("charts", "Charts", "Time against its costs, and predicted against measured"),
    Segment("reasons", "Reasons", "Why configurations fell out"),
)
_NOTHING = "No sweep was made in this workspace yet."
_TONES = {"fg3": "neutral"}
_SEARCH_WIDTH = 170


class SweepPage(QWidget):
    """Shows a sweep as it stands; it runs and decides nothing itself."""

    left = Signal()
    sweep_chosen = Signal(str)
    cancel_requested = Signal()
    resume_requested = Signal()
    #: The number of a point, or None for the best.
    apply_requested = Signal(object)
    point_activated = Signal(int)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, theme = icons, icons.theme
        self._shown: Shown | None = None
        self._stale: set[str] = set()
        self._title = ElidedLabel(theme, "Sweep", TextRole.HEADING, "fg")
        self._state = Chip(theme, "")
        self._switch = SegmentedSwitch(icons, "View of the sweep", _VIEWS)
        self._search = SearchField(icons, "Filter points")
        self._search.setFixedWidth(_SEARCH_WIDTH)
        self._picker = PickerButton(icons, "Sweeps of the workspace", "Sweeps")
        self._close = FlatToolButton(icons, "Back to the documents (Esc)")
        self._conclusion = ConclusionLabel(theme, "")
        self._notes = ElidedLabel(theme, "", TextRole.NOTE, "fg3")
        self._all = push_button(icons, "All points")
        self._open = push_button(icons, "Open point", icon="open")
        self._apply = push_button(icons, "Apply best", icon="check")
        self._cancel = push_button(icons, "Cancel", icon="stop")
        self._resume = push_button(icons, "Go on", "primary", "play")
        self.form = FormPanel(icons)
        self.points = PointsPanel(icons)
        self.map = MapPanel(icons)
        self.lines = ChartCard(icons, can_enlarge=False)
        self.charts = ChartsPanel(icons)
        self.reasons = ReasonsPanel(icons)
        self._empty = EmptyState(icons, "refresh", _NOTHING, "Make one")
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self.show_view(FORM)

    @property
    def view(self) -> str:
        """The key of the view in front."""
        return self._switch.current or FORM

    def show_view(self, key: str) -> None:
        """Bring a view to the front."""
        self._switch.set_current(key)
        self._show_state()

    def set_sweeps(self, listed: Sequence[Listed]) -> None:
        """Offer the sweeps of the workspace."""
        menu = self._picker.menu() or QMenu(self._picker)
        menu.clear()
        for each in listed:
            action = menu.addAction(f"{each.title}   {each.state.value}, {each.note}")
            action.triggered.connect(lambda _=False, each=each: self.sweep_chosen.emit(each.id))
        if not listed:
            menu.addAction(_NOTHING).setEnabled(False)
        self._picker.setMenu(menu)

    def set_shown(self, shown: Shown | None) -> None:
        """Show a sweep as it stands now; only the view in front is made anew."""
        self._shown = shown
        self._stale = {segment.key for segment in _VIEWS} - {FORM}
        self._show_state()

    def state(self) -> dict[str, Any]:
        """What is remembered of the page."""
        return {
            "version": 1,
            "view": self.view,
            "points": self.points.state(),
            "map": self.map.state(),
            "charts": self.charts.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring it back; another version's is left alone."""
        if state.get("version") != 1:
            return
        parts = (("points", self.points), ("map", self.map), ("charts", self.charts))
        for key, part in parts:
            own = state.get(key)
            if isinstance(own, dict):
                part.restore(own)
        if state.get("view") in [segment.key for segment in _VIEWS]:
            self.show_view(str(state["view"]))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _show_state(self) -> None:
        """The head, and the view in front."""
        shown, view = self._shown, self.view
        told = summary(shown) if shown is not None and view != FORM else None
        self._show_head(told)
        if view != FORM and shown is not None and view in self._stale:
            self._stale.discard(view)
            self._fill(view, shown)
        pages: dict[str, QWidget] = {
            FORM: self.form,
            "points": self.points,
            "map": self.map,
            "lines": self.lines,
            "charts": self.charts,
            "reasons": self.reasons,
        }
        has = shown is not None or view == FORM
        self._stack.setCurrentWidget(pages[view] if has else self._empty)
        self._show_buttons(told)

    def _show_head(self, told: Summary | None) -> None:
        for part in (self._conclusion, self._notes, self._state):
            part.setVisible(told is not None)
        self._title.set_text("Sweep" if told is None else f"Sweep of {told.title}")
        if told is not None:
            self._conclusion.set_conclusion(told.conclusion)
            self._notes.set_text(told.notes)
            self._state.setText(told.state)
            self._state.set_tone(_TONES.get(told.tone, told.tone))

    def _show_buttons(self, told: Summary | None) -> None:
        is_points = told is not None and self.view == "points"
        self._search.setVisible(is_points)
        self._all.setVisible(is_points and self.points.is_narrowed)
        self._open.setVisible(is_points)
        chosen = self.points.chosen if is_points else None
        self._open.setEnabled(chosen is not None)
        self._apply.setText("Apply best" if chosen is None else f"Apply point {chosen}")
        self._apply.setVisible(told is not None and told.can_apply)
        self._cancel.setVisible(told is not None and told.can_cancel)
        self._resume.setVisible(told is not None and told.can_resume)

    def _fill(self, view: str, shown: Shown) -> None:
        if view == "points":
            self.points.set_shown(shown)
        elif view == "map":
            self.map.set_shown(shown)
        elif view == "lines":
            self.lines.set_chart(parallel_chart(shown))
        elif view == "charts":
            charts = (trade_off_chart(shown, cost) for cost in COSTS)
            self.charts.set_charts((best_so_far_chart(shown), accuracy_chart(shown), *charts))
        else:
            self.reasons.set_shown(shown)

    def _connect(self) -> None:
        self._switch.chosen.connect(lambda _: self._show_state())
        self._close.clicked.connect(self.left)
        self._cancel.clicked.connect(self.cancel_requested)
        self._resume.clicked.connect(self.resume_requested)
        self._apply.clicked.connect(lambda: self.apply_requested.emit(self._chosen()))
        self._open.clicked.connect(self._on_open_clicked)
        self._all.clicked.connect(lambda: self._on_fate_activated(None))
        self._search.textChanged.connect(self.points.set_filter)
        self._empty.action_triggered.connect(lambda: self.show_view(FORM))
        self.points.point_chosen.connect(lambda _: self._show_state())
        self.reasons.fate_activated.connect(self._on_fate_activated)
        for chart in (self.charts, self.lines):
            chart.run_activated.connect(lambda key: self.point_activated.emit(int(key)))
            chart.told.connect(self.told)
        for part in (self.points, self.map):
            part.point_activated.connect(self.point_activated)
            part.told.connect(self.told)

    def _chosen(self) -> int | None:
        return self.points.chosen if self.view == "points" else None

    def _on_open_clicked(self) -> None:
        number = self.points.chosen
        if number is not None:
            self.point_activated.emit(number)

    def _on_fate_activated(self, fate: Fate | None) -> None:
        self.points.show_only(fate)
        self.show_view("points")

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self.setAccessibleName("Sweeps")
        self._close.set_icon("close", "fg3")
        self._picker.set_icon("history", "fg3")
        top = QHBoxLayout()
        top.setContentsMargins(16, 6, 10, 6)
        top.setSpacing(10)
        top.addWidget(self._title)
        top.addWidget(self._state)
        top.addStretch(1)
        top.addWidget(self._switch)
        top.addStretch(1)
        top.addWidget(self._search)
        top.addWidget(self._picker)
        top.addWidget(self._close)
        said = QHBoxLayout()
        said.setContentsMargins(16, 12, 16, 6)
        said.setSpacing(8)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._conclusion)
        texts.addWidget(self._notes)
        said.addLayout(texts, 1)
        for button in (self._all, self._open, self._apply, self._cancel, self._resume):
            said.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        pages = (
            self.form, self.points, self.map, self.lines, self.charts, self.reasons, self._empty,
        )  # fmt: skip
        for page in pages:
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(hairline(strong=True))
        column.addLayout(said)
        column.addWidget(self._stack, 1)
