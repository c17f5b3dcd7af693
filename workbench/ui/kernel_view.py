"""Keeps the window's views of the current document true: tool bar, problems, panes, signs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from workbench.core.diagnostics import Severity
from workbench.core.targets.model import Target
from workbench.session.analysis_problems import analysis_problems
from workbench.session.limit_problems import limit_problems
from workbench.session.line_costs import LineCost, line_costs
from workbench.session.lint_problems import lint_problems
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem, merge_problems
from workbench.session.session import Session
from workbench.session.vital_signs import vital_signs
from workbench.ui.editor.line_data import Cost
from workbench.ui.editor_area import EditorTab
from workbench.ui.main_window import MainWindow
from workbench.ui.panels import Panels
from workbench.ui.target_menu import target_choices
from workbench.ui.toolbar import ToolbarView
from workbench.ui.widgets.severity import GOOD, SEVERITY_LOOKS, SeverityLook


class KernelView(QObject):
    """Shows the session's document that is in front, and again whenever it changes."""

    def __init__(self, window: MainWindow, session: Session, panels: Panels) -> None:
        super().__init__(window)
        self._window, self._session, self._panels = window, session, panels
        self._choices = target_choices(session.targets)
        window.editors.current_changed.connect(self.show_current)
        window.editors.titles_changed.connect(self._show_name)
        window.editors.cursor_moved.connect(window.status.set_cursor)
        session.document_changed.connect(self._on_session_document_changed)
        session.results.changed.connect(self._on_session_document_changed)
        session.trust_changed.connect(self.show_current)
        self.show_current()

    @property
    def tab(self) -> EditorTab | None:
        """The tab in front."""
        return self._window.editors.current

    def show_current(self) -> None:
        """Show the document in front, or that there is none."""
        tab = self.tab
        self._window.actions_table.set_document_open(tab is not None)
        self._window.docks.set_quiet(tab is None)
        self._show_name()
        if tab is None:
            self._show_nothing()
            return
        self._window.status.set_cursor(*tab.current.cursor_place)
        self._show(tab)

    def _show_name(self) -> None:
        tab = self.tab
        name = self._window.editors.title_of(tab) if tab is not None else None
        self._window.set_document_name(name)

    def _show_nothing(self) -> None:
        self._window.toolbar.set_view(ToolbarView())
        self._window.status.set_cursor(0, 0)
        self._window.status.set_signs(None)
        self._panels.show_nothing()

    def _show(self, tab: EditorTab) -> None:
        document = tab.document
        self._window.toolbar.set_view(self._toolbar_view(document))
        targets = [self._session.targets.resolve(name) for name in document.targets]
        later = [
            *document.problems(),
            *limit_problems(document, targets),
            *analysis_problems(document),
        ]
        problems = merge_problems([*later, *lint_problems(document, targets, later)])
        for editor in tab.editors:
            editor.set_diagnostics([p.diagnostic for p in problems if not p.stale])
        self._show_costs(tab, targets[0])
        self._window.status.set_signs(vital_signs(document, targets[0]))
        self._panels.show_document(document, problems, self._session)
        mark = _status_mark(document, problems)
        if document.path is not None:
            self._panels.navigator.set_status(document.path, mark)

    def _show_costs(self, tab: EditorTab, target: Target) -> None:
        """What lines cost; what is of an earlier text stays where the editor has moved it."""
        found = line_costs(tab.document, target)
        costs = {line: _cost(cost) for line, cost in found.lines.items()}
        for editor in tab.editors:
            if found.stale:
                editor.fade_costs()
            else:
                editor.set_costs(costs, found.header)

    def _toolbar_view(self, document: OpenDocument) -> ToolbarView:
        return ToolbarView(
            document.kernel,
            tuple(k.name for k in document.readable.kernels),
            document.case,
            tuple(case.name for case in document.cases),
            bool(document.overrides),
            self._choices,
            document.targets,
        )

    def _on_session_document_changed(self, document: OpenDocument) -> None:
        tab = self.tab
        if tab is not None and tab.document is document:
            self._show(tab)


def _cost(cost: LineCost) -> Cost:
    parts = tuple((part.hue, part.share) for part in cost.parts)
    return Cost(cost.value, cost.text, True, parts, cost.is_unknown)


def _status_mark(document: OpenDocument, problems: Sequence[Problem]) -> SeverityLook | None:
    """The worst that is known of a document: an error, a warning, verified, or nothing.

    A sample of blocks verifies nothing as a whole.
    """
    severities = {p.diagnostic.severity for p in problems if not p.stale}
    verified = document.verified
    is_fresh = verified is not None and not document.is_stale(verified.revision)
    seeds = verified.result.seeds if verified is not None and is_fresh else ()
    if Severity.ERROR in severities or not all(seed.passed for seed in seeds):
        return SEVERITY_LOOKS[Severity.ERROR]
    if seeds and verified is not None and verified.result.sample is None:
        return GOOD
    return SEVERITY_LOOKS[Severity.WARNING] if Severity.WARNING in severities else None
