"""The pane of runs: a filtered list that loads page by page, and the details of the current run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.history import FileIdentity, FilterChoices, Listing, RunFilter
from workbench.core.runs import Run
from workbench.ui.panes.runs.columns import COLUMNS, TEXT, RunRow
from workbench.ui.panes.runs.detail import RunDetail
from workbench.ui.panes.runs.header import RunsHeader
from workbench.ui.panes.runs.loaded import LoadedRuns
from workbench.ui.panes.runs.run_actions import RunActions
from workbench.ui.panes.shares import read_shares
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.data_table import DataTable
from workbench.ui.widgets.empty_state import EmptyState

_NONE = "No runs yet. Every compile and verification of this workspace is kept and listed here."
_VERIFY = "Verify the open kernel"
_CLEAR = "Clear the filter"
_SHARES = (3000, 2000)
# The next page is asked for when so many rows are left below: some screens full.
_AHEAD = 150


class RunsPane(QWidget):
    """Shows what it is given of the history; it reads nothing itself."""

    #: The person double-clicked the run of that id, or pressed Enter on it.
    run_activated = Signal(str)
    #: The person wants the document as it was run.
    text_requested = Signal(str)
    #: The person wants to see an artifact: the run's id and the artifact's name.
    artifact_requested = Signal(str, str)
    #: The person wants the selected runs side by side: their ids, from the oldest.
    compare_requested = Signal(tuple)
    #: An action on runs is wanted: its key in `run_actions`, and their ids, from the oldest.
    action_wanted = Signal(str, tuple)
    #: All runs that agree with the filter are to be deleted.
    delete_all_wanted = Signal()
    #: Rows from that place on are wanted; answer with `append_listing`.
    more_requested = Signal(int)
    #: Runs that agree with another filter are wanted; answer with `set_listing`.
    filter_changed = Signal()
    #: The values that runs can be filtered by are wanted; answer with `set_choices`.
    choices_wanted = Signal()
    #: The person wants to make room in the history.
    clean_up_wanted = Signal()
    #: There are no runs yet, and the person wants the first.
    verify_requested = Signal()

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._loaded = LoadedRuns()
        self._asked = -1
        self._same_code: frozenset[str] = frozenset()
        self._is_other = True  # what comes next is not of the filter that is shown
        self._shares = _SHARES
        self._header = RunsHeader(icons)
        self._search, self._filter = self._header.search, self._header.filter
        self.of_file = self._header.of_file
        self._table: DataTable[RunRow] = DataTable(
            icons, "Runs", COLUMNS, row_key=lambda row: row.run.id
        )
        self._detail = RunDetail(icons)
        self._actions = RunActions(icons, self._table, self.selected_runs)
        self._compare = self._actions.by_key["compare"]
        self._empty = EmptyState(icons, "history", _NONE, _VERIFY)
        self._body, self._stack = QSplitter(Qt.Orientation.Horizontal), QStackedWidget()
        self._lay_out()
        self._connect()
        self.set_listing(Listing(()), 0)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs loaded, as they were given."""
        return tuple(self._loaded.runs)

    @property
    def wanted(self) -> RunFilter:
        """Which runs the person wants to see."""
        return self._header.wanted

    @property
    def is_filtered(self) -> bool:
        """Whether some runs are not wanted."""
        return self.wanted != RunFilter()

    @property
    def listed_file(self) -> FileIdentity | None:
        """The file whose runs are listed, or those that are offered to it."""
        return self._header.file

    @property
    def reach(self) -> int:
        """Up to which row the person has scrolled: so many are wanted anew; 0 at the top."""
        bar = self._table.verticalScrollBar()
        return 0 if self._is_other or not bar.value() else bar.value() + bar.pageStep() + 1

    def set_file(self, file: FileIdentity | None) -> None:
        """Take the file in front; None where that was never saved, or nothing is open."""
        before = self.listed_file
        self.of_file.set_file(file)
        self._actions.set_file(file)
        if before != self.listed_file:
            self.retell(())

    def set_same_code(self, texts: frozenset[str]) -> None:
        """Take the texts, by their hashes, that are the code of the listed file."""
        if texts != self._same_code:
            self._same_code = texts
            self.retell(())

    def set_choices(self, choices: FilterChoices) -> None:
        """Offer these values to filter by."""
        self._filter.set_choices(choices)

    def set_listing(self, listing: Listing, total: int | None = None) -> None:
        """Show the first rows of a history that has `total` rows; None: these are all."""
        self._show_loaded(LoadedRuns.first(listing, total))

    def set_uncounted(self, listing: Listing) -> None:
        """Show the first rows of more; `set_total` tells how many these are."""
        rows = len(listing.runs) + len(listing.problems)
        self._show_loaded(LoadedRuns.first(listing, rows + 1, is_counted=False))

    def set_total(self, total: int) -> None:
        """Say how many rows there are in all."""
        self._loaded.take_total(total)
        self._tell()
        self._ask_for_more()

    def append_listing(self, listing: Listing) -> None:
        """Show the rows that follow; without any, the history has no more."""
        self._loaded.take(listing)
        self._table.append_rows(self._rows(listing.runs))
        self._tell()
        self._ask_for_more()

    def retell(self, runs: Sequence[Run]) -> None:
        """Show more of some runs than was known; they stay where they are."""
        known = {run.id: run for run in runs}
        self._loaded.runs = [known.get(run.id, run) for run in self._loaded.runs]
        rows = self._rows(self._loaded.runs)
        self._keeping_place(lambda: self._table.set_rows(rows))
        if not self._detail.isHidden():
            self._detail.show_run(self.current_run())

    def show_failure(self, message: str) -> None:
        """Say why the history cannot be read, in place of the list."""
        self._header.hide()
        self._empty.set_content("error", message)
        self._stack.setCurrentWidget(self._empty)

    def current_run(self) -> Run | None:
        """The run under the cursor."""
        row = self._table.current_row()
        return row.run if row is not None else None

    def selected_runs(self) -> tuple[Run, ...]:
        """The runs that are selected, from the top."""
        return tuple(row.run for row in self._table.selected_rows())

    def select_run(self, run_id: str) -> bool:
        """Put the cursor on a run; False where it is not loaded or filtered away."""
        for at, row in enumerate(self._table.rows()):
            if row.run.id == run_id:
                self._table.selectRow(at)
                return True
        return False

    def set_details_shown(self, shown: bool) -> None:
        """Show or hide the details of the run under the cursor."""
        self._detail.setVisible(shown)
        self._header.details.setChecked(shown)
        if shown:
            self._body.setSizes(list(self._shares))
            self._detail.show_run(self.current_run())

    def state(self) -> dict[str, Any]:
        """Columns and details, as JSON can hold them."""
        return {
            "version": 1,
            "table": self._table.save_state(),
            "details": not self._detail.isHidden(),
            "shares": list(self._shares),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        table = state.get("table")
        if isinstance(table, dict):
            self._table.restore_state(table)
            self._table.set_column_shown(TEXT, self.of_file.is_on)
        self._shares = read_shares(state.get("shares"), _SHARES)
        self.set_details_shown(state.get("details") is not False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.matches(QKeySequence.StandardKey.Find):
            self._search.show()
            self._search.setFocus()
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self._ask_for_more()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        tall = self.height() > self.width() * 0.8
        self._body.setOrientation(Qt.Orientation.Vertical if tall else Qt.Orientation.Horizontal)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        left = QWidget()
        left_layout = QVBoxLayout(left)
        left_layout.setContentsMargins(8, 0, 8, 0)
        left_layout.addWidget(self._table)
        self._body.addWidget(left)
        self._body.addWidget(self._detail)
        self._body.setChildrenCollapsible(False)
        self._stack.addWidget(self._body)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(self.of_file.bar)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self._table)
        self.setTabOrder(self._table, self._search)
        self.set_details_shown(True)

    def _connect(self) -> None:
        self._table.current_changed.connect(self._on_current_changed)
        self._table.row_activated.connect(self._on_row_activated)
        self._table.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._table.verticalScrollBar().rangeChanged.connect(self._on_scrolled)
        self._header.filter_changed.connect(self._on_filter_changed)
        self._filter.choices_wanted.connect(self.choices_wanted)
        self._header.clean_up.clicked.connect(self.clean_up_wanted)
        self._actions.wanted.connect(self._on_action_wanted)
        self._actions.delete_all_wanted.connect(self.delete_all_wanted)
        self._header.details.toggled.connect(self.set_details_shown)
        self._detail.text_requested.connect(self.text_requested)
        self._detail.artifact_requested.connect(self.artifact_requested)
        self._body.splitterMoved.connect(self._on_splitter_moved)
        self._empty.action_triggered.connect(self._on_help_wanted)
        self._header.compare.clicked.connect(self._compare.trigger)
        self._table.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def _show_loaded(self, loaded: LoadedRuns) -> None:
        """Show other rows, and what follows from them."""
        self._loaded, self._asked = loaded, -1
        rows = self._rows(loaded.runs)
        self._keeping_place(lambda: self._table.set_rows(rows))
        self._tell()
        self._show_page()
        if not self._detail.isHidden():
            self._detail.show_run(self.current_run())
        self._on_selection_changed()
        self._ask_for_more()

    def _rows(self, runs: Sequence[Run]) -> list[RunRow]:
        today, file = date.today(), self.listed_file
        same = self._same_code
        return [RunRow(run, today, file, run.text_blob in same) for run in runs]

    def _keeping_place(self, change: Callable[[], None]) -> None:
        """Let the table take other rows; the one at its top stays there, unless it is the first.

        Rows of another filter are shown from their first on.
        """
        bar = self._table.verticalScrollBar()
        place = 0 if self._is_other else bar.value()
        top = self._table.rows()[place].run.id if 0 < place < self._table.row_count() else None
        self._is_other = False
        change()
        if not place:
            bar.setValue(0)
            return
        self._table.executeDelayedItemsLayout()  # until then the bar has the range of before
        rows = self._table.rows() if top is not None else ()
        bar.setValue(next((at for at, row in enumerate(rows) if row.run.id == top), place))

    def _show_page(self) -> None:
        """The table, or why there is nothing in it and what helps."""
        self._header.setVisible(self._loaded.count > 0 or self.is_filtered)
        is_empty = self._table.row_count() == 0
        if is_empty and self.is_filtered:
            clear = None if self._header.is_of_file_alone else _CLEAR
            self._empty.set_content("search", self._header.why_empty, clear)
        elif not self._loaded.count:
            self._empty.set_content("history", _NONE, _VERIFY)
        self._stack.setCurrentWidget(self._empty if is_empty else self._body)

    def _tell(self) -> None:
        """The conclusion of the list, and what of it cannot be read."""
        self._header.tell(self._loaded.summary, self._loaded.problems)
        self._actions.set_listed(self._loaded.total if self._loaded.is_counted else None)

    def _ask_for_more(self) -> None:
        """Ask for the next page where the end of what is shown is near, once a page."""
        count = self._loaded.count
        if not self.isVisible() or not self._loaded.has_more or self._asked >= count:
            return
        lowest = self._table.rowAt(self._table.viewport().height() - 1)
        if lowest < 0 or self._table.row_count() - lowest <= _AHEAD:
            self._asked = count
            self.more_requested.emit(count)

    def _on_filter_changed(self) -> None:
        self._is_other = True
        self._table.set_column_shown(TEXT, self.of_file.is_on)
        self.filter_changed.emit()

    def _on_current_changed(self, row: RunRow | None) -> None:
        if not self._detail.isHidden():
            self._detail.show_run(row.run if row is not None else None)

    def _on_row_activated(self, row: RunRow) -> None:
        self.run_activated.emit(row.run.id)

    def _on_action_wanted(self, key: str, run_ids: tuple[str, ...]) -> None:
        if key == "compare":
            self.compare_requested.emit(run_ids)
        elif key == "text":
            self.text_requested.emit(run_ids[0])
        else:
            self.action_wanted.emit(key, run_ids)

    def _on_selection_changed(self) -> None:
        count = len(self._table.selected_rows())
        self._actions.refresh()
        self._header.set_selected(count, self._compare.isEnabled())

    def _on_scrolled(self) -> None:
        self._ask_for_more()

    def _on_help_wanted(self) -> None:
        if self.is_filtered:
            self._header.clear()
        else:
            self.verify_requested.emit()

    def _on_splitter_moved(self) -> None:
        first, second = self._body.sizes()
        self._shares = (first, second)
