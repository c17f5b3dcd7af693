"""The pane of problems: its head, the list, the details, and what stands there without problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.problems import Problem
from workbench.ui.panes.problems.detail import ProblemDetail
from workbench.ui.panes.problems.header import ProblemHeader
from workbench.ui.panes.problems.list_view import ProblemList
from workbench.ui.panes.problems.rows import ProblemFilter, rows_of
from workbench.ui.panes.shares import read_shares
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState

_NONE = "No problems. What Python, TileLang and the compilers say of a kernel stands here, by line."
_SHOW_ALL = "Show all"
# List and details; only their ratio counts.
_SHARES = (3000, 2000)


class ProblemsPane(QWidget):
    """Shows the problems given to it; it changes nothing itself."""

    #: The person wants to go there: path, line, column (both 1 where the problem names none).
    problem_activated = Signal(str, int, int)
    #: The person wants a fix applied: the Problem and the Fix.
    fix_requested = Signal(object, object)
    #: The person wants the raw text of the Problem in a view of its own.
    raw_requested = Signal(object)
    #: The person wants the best fixes of all problems of a code.
    all_fixes_requested = Signal(str)
    #: The person wants the page about a code.
    help_requested = Signal(str)
    #: The person does not want to be told the hints of a code any more.
    hint_declined = Signal(str)
    #: So many problems there are, wanted by the filter or not.
    count_changed = Signal(int)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problems: tuple[Problem, ...] = ()
        self._targets: tuple[str, ...] = ()
        self._header = ProblemHeader(icons)
        self._list = ProblemList(icons)
        self._detail = ProblemDetail(icons)
        self._empty = EmptyState(icons, "good", _NONE)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._shares = _SHARES
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._refresh()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was given, wanted by the filter or not."""
        return self._problems

    @property
    def current_problem(self) -> Problem | None:
        """The problem under the cursor."""
        return self._list.current_problem()

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Show other problems, in their order; the cursor stays where it can."""
        count_before = len(self._problems)
        self._problems = tuple(problems)
        self._header.set_problems(self._problems)
        self._refresh()
        if len(self._problems) != count_before:
            self.count_changed.emit(len(self._problems))

    def set_targets(self, targets: Sequence[str]) -> None:
        """Name the chosen targets in their order, which decides their marks."""
        self._targets = tuple(targets)
        self._header.set_targets(self._targets)
        self._refresh()

    def next_problem(self) -> None:
        """Go to the next problem of the list, after the last to the first."""
        self._activate(self._list.step(1))

    def previous_problem(self) -> None:
        """Go to the problem before."""
        self._activate(self._list.step(-1))

    def set_details_shown(self, shown: bool) -> None:
        """Show or hide the details of the problem under the cursor."""
        self._detail.setVisible(shown)
        self._header.set_details_shown(shown)
        if shown:
            self._splitter.setSizes(list(self._shares))
            self._show_detail(self._list.current_problem())

    def reveal(self, problem: Problem) -> None:
        """Put the cursor on a problem and show its details; a filter that hides it goes."""
        if not self._list.reveal(problem):
            self._on_show_all_requested()
            self._list.reveal(problem)
        self.set_details_shown(True)
        self._list.setFocus()

    def state(self) -> dict[str, Any]:
        """Filter and details, as JSON can hold them."""
        return {
            "version": 1,
            "filter": self._header.filter.to_json(),
            "details": not self._detail.isHidden(),
            "shares": list(self._shares),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        saved = state.get("filter")
        self._header.set_filter(ProblemFilter.from_json(saved if isinstance(saved, dict) else {}))
        self._shares = read_shares(state.get("shares"), _SHARES)
        self.set_details_shown(state.get("details") is True)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.matches(QKeySequence.StandardKey.Find):
            self._header.focus_search()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        tall = self.height() > self.width() * 0.8
        self._splitter.setOrientation(
            Qt.Orientation.Vertical if tall else Qt.Orientation.Horizontal
        )

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self._splitter.addWidget(self._list)
        self._splitter.addWidget(self._detail)
        self._splitter.setChildrenCollapsible(False)
        self._detail.hide()
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self._list)
        self.setTabOrder(self._list, self._header)

    def _connect(self) -> None:
        self._header.filter_changed.connect(self._on_filter_changed)
        self._header.next_requested.connect(self.next_problem)
        self._header.previous_requested.connect(self.previous_problem)
        self._header.details_toggled.connect(self.set_details_shown)
        self._list.current_changed.connect(self._on_current_changed)
        self._list.problem_chosen.connect(self._activate)
        self._list.fix_chosen.connect(self._on_fix_chosen)
        self._list.details_toggled.connect(self._on_details_toggled)
        self._list.menu_requested.connect(self._on_menu_requested)
        self._detail.all_fixes_chosen.connect(self.all_fixes_requested)
        self._detail.help_requested.connect(self.help_requested)
        self._detail.place_chosen.connect(self.problem_activated)
        self._detail.fix_chosen.connect(self.fix_requested)
        self._detail.raw_requested.connect(self.raw_requested)
        self._splitter.splitterMoved.connect(self._on_splitter_moved)
        self._empty.action_triggered.connect(self._on_show_all_requested)

    def _refresh(self) -> None:
        rows = rows_of(self._problems, self._header.filter, self._targets)
        self._list.set_rows(rows)
        hidden = len(self._problems) - len(rows)
        if not rows and hidden:
            which = "1 problem is" if hidden == 1 else f"{hidden} problems are"
            self._empty.set_content("filter", f"{which} hidden by the filter.", _SHOW_ALL)
        elif not rows:
            self._empty.set_content("good", _NONE)
        self._header.setVisible(bool(self._problems))
        self._stack.setCurrentWidget(self._splitter if rows else self._empty)

    def _on_splitter_moved(self) -> None:
        first, second = self._splitter.sizes()
        self._shares = (first, second)

    def _on_filter_changed(self) -> None:
        self._refresh()

    def _on_show_all_requested(self) -> None:
        self._header.set_filter(ProblemFilter())
        self._refresh()

    def _on_current_changed(self, problem: Problem | None) -> None:
        if not self._detail.isHidden():
            self._show_detail(problem)

    def _show_detail(self, problem: Problem | None) -> None:
        self._detail.show_problem(problem, self._wider_fix(problem) if problem is not None else "")

    def _wider_fix(self, problem: Problem) -> str:
        """The title of the fix of all problems of a problem's kind, "" where there is none."""
        if problem.stale or not problem.diagnostic.fixes:
            return ""
        from workbench.session.fixes import (
            all_of_kind,
        )  # it brings rules that a start does not need

        offered = all_of_kind(self._problems, problem.diagnostic.code)
        return offered.title if offered is not None else ""

    def _on_menu_requested(self, problem: Problem, where: QPoint) -> None:
        code, menu = problem.diagnostic.code, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for fix in problem.diagnostic.fixes if not problem.stale else ():
            action = menu.addAction(fix.title)
            action.triggered.connect(lambda _=False, fix=fix: self.fix_requested.emit(problem, fix))
        wider = self._wider_fix(problem)
        if wider:
            menu.addAction(wider).triggered.connect(lambda: self.all_fixes_requested.emit(code))
        menu.addSeparator()
        menu.addAction(f"Explain {code}").triggered.connect(lambda: self.help_requested.emit(code))
        menu.addAction("Copy the Message").triggered.connect(
            lambda: QGuiApplication.clipboard().setText(problem.diagnostic.message)
        )
        self._add_decline(menu, code)
        menu.popup(where)

    def _add_decline(self, menu: QMenu, code: str) -> None:
        """The way to be rid of a hint, which a mistake does not have."""
        from workbench.session.guidelines import can_be_declined  # the rules, as above

        if can_be_declined(code):
            menu.addSeparator()
            action = menu.addAction(f"Do Not Show {code} Again")
            action.triggered.connect(lambda: self.hint_declined.emit(code))

    def _on_details_toggled(self) -> None:
        self.set_details_shown(self._detail.isHidden())

    def _on_fix_chosen(self, problem: Problem) -> None:
        self.fix_requested.emit(problem, problem.diagnostic.fixes[0])

    def _activate(self, problem: Problem | None) -> None:
        if problem is None:
            return
        where = problem.diagnostic.range
        line, column = (where.line, where.column) if where is not None else (1, 1)
        self.problem_activated.emit(problem.path, line, column)
