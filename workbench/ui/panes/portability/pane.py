"""The pane of portability: conclusion, matrix, and the details of the cell under the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.portability.export import as_markdown, as_tsv
from workbench.core.portability.model import Cell, PortabilityMatrix, Row
from workbench.ui.panes.portability.detail import CellDetail
from workbench.ui.panes.portability.matrix_view import MatrixView
from workbench.ui.panes.shares import read_shares
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.progress_chip import ProgressChip, ProgressView

if TYPE_CHECKING:
    from workbench.session.portability import PortabilityView

_EMPTY = "Lower this kernel for every architecture, and see on which it can run and why not."
_NO_DOCUMENT = "Open a kernel to see on which targets it can run."
_CHECK = "Check all targets"
_STALE = "of an earlier text"
_SHARES = (3400, 1600)
_LOW, _SLIM = 260, 800  # px below which the conclusion has the size of other text
# Below this width the details stand under the matrix, where that leaves it some rows.
_BESIDE, _STACKED = 1080, 330
_TICK_MS = 200


class PortabilityPane(QWidget):
    """Shows what it is given of a survey; it lowers nothing itself."""

    #: The person wants the kernel checked on all targets.
    check_requested = Signal()
    #: The person wants the check that runs to end.
    cancel_requested = Signal()
    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: The person wants a fix made: the diagnostic that offers it, and the fix.
    fix_requested = Signal(object, object)
    #: The person suspects the compiler: the name of the target.
    bundle_requested = Signal(str)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrix: PortabilityMatrix | None = None
        self._stale = False
        self._shares = _SHARES
        self._subject: tuple[str, str] | None = None
        self._progress_view = ProgressView("", 0, None, 0.0)
        self._conclusion = ConclusionLabel(theme)
        self._chip = Chip(theme, _STALE, "warn")
        self._progress = ProgressChip(icons, self._progress_view)
        self._again = push_button(icons, "Check again", "link")
        self._copy = FlatToolButton(icons, "Copy the matrix as Markdown (Ctrl+C)")
        self._copy.set_icon("copy", "fg3")
        self._view, self._detail = MatrixView(icons), CellDetail(icons)
        self._empty = EmptyState(icons, "target", _NO_DOCUMENT)
        self._body, self._stack, self._page = QSplitter(), QStackedWidget(), QWidget()
        self._clock, self._tick = QElapsedTimer(), QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._lay_out()
        self._connect()
        self._add_copying()
        self.show_nothing()

    @property
    def conclusion(self) -> str:
        """The sentence shown, empty where there is no matrix."""
        return self._conclusion.conclusion if self._matrix is not None else ""

    @property
    def view(self) -> MatrixView:
        """The table."""
        return self._view

    def show_survey(self, survey: PortabilityView) -> None:
        """Show how far a survey has come, or that there was none yet."""
        if survey.matrix is None:
            self._show_empty(_EMPTY, _CHECK)
            return
        matrix = self._matrix = survey.matrix
        self._stale = survey.stale
        self._conclusion.set_conclusion(matrix.conclusion)
        self._view.set_stale(survey.stale)
        self._view.set_matrix(matrix)
        self._chip.setVisible(survey.stale)
        self._again.setVisible(not survey.running)
        self._show_progress(survey)
        self._stack.setCurrentWidget(self._page)
        self._keep_cursor(matrix, survey.running)

    def show_nothing(self) -> None:
        """Show that no document is open."""
        self._show_empty(_NO_DOCUMENT, None)

    def state(self) -> dict[str, Any]:
        """The cell under the cursor and how the pane is divided, as JSON can hold them."""
        place = self._view.place()
        return {"version": 1, "shares": list(self._shares), "place": list(place or ())}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        self._shares = read_shares(state.get("shares"), _SHARES)
        self._body.setSizes(list(self._shares))
        place = state.get("place")
        if isinstance(place, list) and len(place) == 2:
            self._view.go_to(str(place[0]), str(place[1]))

    def copy_markdown(self) -> None:
        """Put the matrix on the clipboard as a table of Markdown."""
        if self._matrix is not None:
            QGuiApplication.clipboard().setText(as_markdown(self._matrix))

    def copy_tsv(self) -> None:
        """Put the matrix on the clipboard with tabs between the columns."""
        if self._matrix is not None:
            QGuiApplication.clipboard().setText(as_tsv(self._matrix))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        tall = self.height() > _STACKED and self.width() < _BESIDE
        wanted = Qt.Orientation.Vertical if tall else Qt.Orientation.Horizontal
        if self._body.orientation() is not wanted:
            self._body.setOrientation(wanted)
            self._body.setSizes(list(self._shares))
        self._conclusion.set_compact(self.height() < _LOW or self.width() < _SLIM)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        head = QHBoxLayout()
        head.setContentsMargins(16, 6, 12, 2)
        head.setSpacing(10)
        head.addWidget(self._conclusion, 1)
        for part in (self._chip, self._progress, self._again, self._copy):
            head.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        table = QWidget()
        inner = QVBoxLayout(table)
        inner.setContentsMargins(12, 0, 4, 0)
        inner.addWidget(self._view)
        self._body.addWidget(table)
        self._body.addWidget(self._detail)
        self._body.setChildrenCollapsible(False)
        self._body.setSizes(list(_SHARES))
        page = QVBoxLayout(self._page)
        page.setContentsMargins(0, 0, 0, 4)
        page.setSpacing(4)
        page.addLayout(head)
        page.addWidget(self._body, 1)
        self._stack.addWidget(self._page)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self._view)

    def _connect(self) -> None:
        self._view.current_changed.connect(self._on_current_changed)
        self._view.cell_activated.connect(self._on_cell_activated)
        self._detail.line_requested.connect(self.line_requested)
        self._detail.fix_requested.connect(self.fix_requested)
        self._detail.bundle_requested.connect(self.bundle_requested)
        self._progress.cancel_requested.connect(self.cancel_requested)
        self._again.clicked.connect(self.check_requested)
        self._empty.action_triggered.connect(self.check_requested)
        self._body.splitterMoved.connect(self._on_splitter_moved)
        self._copy.clicked.connect(self.copy_markdown)
        self._tick.timeout.connect(self._on_tick)

    def _add_copying(self) -> None:
        menu = QMenu(self)
        for title, call, keys in (
            ("Copy as Markdown", self.copy_markdown, QKeySequence(QKeySequence.StandardKey.Copy)),
            ("Copy as TSV", self.copy_tsv, QKeySequence()),
        ):
            action = QAction(title, self._view)
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, call=call: call())
            self._view.addAction(action)
            menu.addAction(action)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._copy.setMenu(menu)
        self._copy.setPopupMode(FlatToolButton.ToolButtonPopupMode.DelayedPopup)

    def _show_empty(self, sentence: str, action: str | None) -> None:
        self._matrix, self._subject = None, None
        self._tick.stop()
        self._view.set_matrix(None)
        self._empty.set_content("target", sentence, action)
        self._stack.setCurrentWidget(self._empty)

    def _show_progress(self, survey: PortabilityView) -> None:
        self._progress.setVisible(survey.running)
        if not survey.running:
            self._tick.stop()
            return
        if not self._tick.isActive():
            self._clock.start()
            self._tick.start()
        self._progress_view = ProgressView("Checking", survey.done, survey.total, 0.0)
        self._on_tick()

    def _keep_cursor(self, matrix: PortabilityMatrix, running: bool) -> None:
        """Go to what is in the way once a survey has ended, unless somebody chose a cell."""
        subject = (matrix.kernel, matrix.case)
        if subject != self._subject:
            self._subject = subject
            self._view.clearSelection()
        if not running and not self._view.currentIndex().isValid():
            self._view.go_to_obstacle(matrix)

    def _on_tick(self) -> None:
        view, seconds = self._progress_view, self._clock.elapsed() / 1000
        self._progress.set_view(ProgressView(view.title, view.done, view.total, seconds))

    def _on_current_changed(self, row: Row | None, cell: Cell | None) -> None:
        self._detail.show_cell(row, cell, self._stale)

    def _on_cell_activated(self, cell: Cell) -> None:
        if cell.line is not None:
            self.line_requested.emit(cell.line)

    def _on_splitter_moved(self) -> None:
        first, second = self._body.sizes()
        self._shares = (first, second)
