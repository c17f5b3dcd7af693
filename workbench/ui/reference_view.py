"""Connects the pane of the reference with the session: which page, and what it says of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from workbench.core.reference.model import PageKind
from workbench.core.reference.words import name_at
from workbench.core.user_folders import user_cache_folder
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.reference import ApiStatus, ReferenceController
from workbench.session.reference_symptoms import applied_symptom
from workbench.ui.panes.reference import ReferencePane
from workbench.ui.panes.reference.findings import (
    Findings,
    findings_of_code,
    findings_of_symptom,
)

if TYPE_CHECKING:
    from workbench.ui.controller import Controller
    from workbench.ui.editor_area import EditorTab

DOCK = "reference"
_TOPIC = "reference"


class ReferenceView(QObject):
    """Lives as long as its pane; what is open in the editor is told to it."""

    def __init__(self, controller: Controller, pane: ReferencePane) -> None:
        super().__init__(pane)
        self._controller, self._pane = controller, pane
        self._document: OpenDocument | None = None
        self._problems: tuple[Problem, ...] = ()
        session = controller.session
        self.reference = ReferenceController(
            session.jobs, session.targets, session.limits, user_cache_folder()
        )
        self._connect()
        self.reference.load()
        pane.set_library(self.reference.library)

    def show_document(self, document: OpenDocument | None, problems: Sequence[Problem]) -> None:
        """Take the document in front with its problems."""
        self._document, self._problems = document, tuple(problems)
        self._show_findings()

    def help_here(self) -> None:
        """The page of the problem or of the name at the cursor, else the first page."""
        self._controller.window.docks.show(DOCK)
        problem = self._chosen_problem()
        if problem is not None:
            self.open_code(problem.diagnostic.code)
        elif not self._open_name():
            self._pane.focus_search()

    def open_code(self, code: str) -> None:
        """The page about the problems of a code."""
        self._controller.window.docks.show(DOCK)
        if not self._pane.open_page(code):
            self._pane.search(code.replace("-", " "))

    def search(self) -> None:
        """Put the cursor into the search."""
        self._controller.window.docks.show(DOCK)
        self._pane.focus_search()

    def _connect(self) -> None:
        pane, files = self._pane, self._controller.files
        pane.page_shown.connect(self._show_findings)
        pane.example_requested.connect(lambda path: files.open_copy(Path(path)))
        pane.source_requested.connect(self._on_source_requested)
        pane.line_requested.connect(self._controller.go_to)
        pane.panel_requested.connect(self._controller.window.docks.show)
        pane.fix_requested.connect(self._controller.fixing.make_fix)
        pane.code_copied.connect(lambda: self._controller.tell("Copied.", topic=_TOPIC))
        pane.retry_requested.connect(self.reference.load)
        self.reference.changed.connect(self._on_reference_changed)

    def _chosen_problem(self) -> Problem | None:
        """The problem under the cursor of the problem list, where that has the focus."""
        problems, focused = self._controller.panels.problems, QApplication.focusWidget()
        has_focus = focused is not None and problems.isAncestorOf(focused)
        return problems.current_problem if has_focus else None

    def _open_name(self) -> bool:
        """The page of the name at the cursor; else that of a problem there, else a search."""
        tab = self._controller.tab
        if tab is None:
            return False
        name = _name_at_cursor(tab)
        if name and self._pane.open_page(name):
            return True
        code = _code_at_cursor(tab)
        if code is not None:
            self.open_code(code)
        elif name:
            self._pane.search(name.rpartition(".")[2])
        return bool(name) or code is not None

    def _on_reference_changed(self) -> None:
        state = self.reference.state
        self._pane.set_names_state(
            state.text, state.status is ApiStatus.READING, state.status is ApiStatus.FAILED
        )
        if state.status is ApiStatus.READY:
            self._pane.set_library(self.reference.library)

    def _on_source_requested(self, file: str, line: int) -> None:
        if self._controller.files.open(Path(file)) is not None:
            self._controller.go_to(line)

    def _show_findings(self) -> None:
        slug = self._pane.slug
        if slug is not None:
            self._pane.set_findings(slug, self._findings(slug))

    def _findings(self, slug: str) -> Findings | None:
        if self._document is None:
            return None
        applied = applied_symptom(slug, self._document, self._problems)
        if applied is not None:
            return findings_of_symptom(applied, self._problems)
        kind, _, code = slug.partition("/")
        return findings_of_code(code, self._problems) if kind == PageKind.RULE.value else None


def _name_at_cursor(tab: EditorTab) -> str:
    cursor = tab.current.view.textCursor()
    return name_at(cursor.block().text(), cursor.positionInBlock())


def _code_at_cursor(tab: EditorTab) -> str | None:
    """The code of the first problem at the cursor."""
    view = tab.current.view
    found = view.problems.at(view.textCursor().position())
    return next((problem.diagnostic.code for problem in found), None)
