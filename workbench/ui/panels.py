"""Builds the panes that stand in docks, and gives each what it shows of the current document."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from workbench.core.documents.model import DocumentError
from workbench.core.documents.reading import read_document
from workbench.core.targets.labels import short_label
from workbench.session.code_inputs import CodeInputs, target_code
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.session import Session
from workbench.session.verification_view import Subject
from workbench.ui.case_form import CaseForm
from workbench.ui.docks import DOCK_TITLES
from workbench.ui.navigator import LibraryEntry, Navigator
from workbench.ui.panes.code import CodePane
from workbench.ui.panes.log import LogPane
from workbench.ui.panes.problems import ProblemsPane
from workbench.ui.panes.runs import RunsPane
from workbench.ui.panes.verification import VerificationPane
from workbench.ui.theme.icons import Icons

if TYPE_CHECKING:
    from workbench.ui.controller import Controller


class Panels:
    """The panes by their dock's key."""

    def __init__(self, icons: Icons) -> None:
        theme = icons.theme
        self.navigator = Navigator(theme, icons)
        self.case_form = CaseForm(theme, icons)
        self.code = CodePane(theme, icons)
        self.problems = ProblemsPane(theme, icons)
        self.verification = VerificationPane(theme, icons)
        self.runs = RunsPane(theme, icons)
        self.log = LogPane(theme, icons)
        self._traced: dict[str, object] = {}
        self._traced_document: OpenDocument | None = None
        self.runs.set_details_shown(False)  # they have no room until somebody asks for them

    @property
    def widgets(self) -> Mapping[str, QWidget]:
        """What goes into the docks."""
        return {
            "navigator": self.navigator,
            "arguments": self.case_form,
            "code": self.code,
            "problems": self.problems,
            "verification": self.verification,
            "runs": self.runs,
            "log": self.log,
        }

    def connect_window(self, controller: Controller) -> None:
        """Connect what the panes ask for with those that do it."""
        session, files = controller.session, controller.files
        self.navigator.file_activated.connect(lambda path: files.open(Path(path)))
        self.navigator.library_activated.connect(lambda path: files.open_copy(Path(path)))
        self.navigator.open_folder_requested.connect(controller.actions["open-folder"].trigger)
        self.navigator.set_workspace(session.workspace)
        self.navigator.set_library(library(session.shipped))
        self.navigator.reveal_requested.connect(_reveal)
        self.problems.problem_activated.connect(controller.show_problem)
        self.problems.fix_requested.connect(lambda problem, fix: controller.apply_fix(fix))
        self.problems.raw_requested.connect(lambda problem: self._show_raw(controller, problem))
        self.problems.count_changed.connect(lambda count: _title(controller, "problems", count))
        self.runs.verify_requested.connect(controller.actions["verify"].trigger)
        self.verification.verify_requested.connect(controller.actions["verify"].trigger)
        self.verification.export_failed.connect(files.tell)
        self.verification.line_requested.connect(controller.go_to)
        self.code.emit_requested.connect(controller.emit_stage)
        self.code.passes_requested.connect(controller.record_passes)
        self.case_form.value_changed.connect(controller.set_argument)
        self.case_form.save_requested.connect(controller.save_case)
        self.case_form.reset_requested.connect(controller.reset_arguments)

    def show_document(
        self, document: OpenDocument, problems: Sequence[Problem], session: Session
    ) -> None:
        """Show what is known of a document."""
        self.problems.set_targets(document.targets)
        self.problems.set_problems(tuple(problems))
        self.verification.show_subject(_subject(document, session.trusts(document)))
        self.code.set_results(_code_inputs(document, session))
        self._show_passes(document)
        self._show_case(document)
        self.navigator.set_current_file(document.path)

    def show_nothing(self) -> None:
        """Show that no document is open."""
        self.problems.set_problems(())
        self.verification.show_subject(Subject())
        self.code.set_results(CodeInputs())
        self.case_form.show_arguments(None, None, {})
        self.navigator.set_current_file(None)

    def log_line(self, lane: str, text: str) -> None:
        """Keep a line that a job printed."""
        self.log.append(lane, text)

    def log_text(self) -> str:
        """The log as text."""
        return self.log.text

    def state(self) -> dict[str, Any]:
        """The panes' own states."""
        return {key: pane.state() for key, pane in self._stateful().items()}

    def restore(self, states: Mapping[str, Any]) -> None:
        """Take the panes' own states; a pane without one stays as it is."""
        for key, pane in self._stateful().items():
            state = states.get(key)
            if isinstance(state, dict):
                pane.restore(state)

    def _show_raw(self, controller: Controller, problem: Problem) -> None:
        self.log.append("problem", problem.raw or problem.diagnostic.message, "note")
        controller.window.docks.show("log")

    def _stateful(self) -> dict[str, Any]:
        return {key: pane for key, pane in self.widgets.items() if hasattr(pane, "restore")}

    def _show_passes(self, document: OpenDocument) -> None:
        if self._traced_document is not document:  # the pane forgets passes with their document
            self._traced_document, self._traced = document, {}
        for target, traced in document.passes.items():
            stale = document.is_stale(traced.revision)
            if self._traced.get(target) != (traced, stale):
                self._traced[target] = (traced, stale)
                self.code.set_passes(target, traced.result, traced.blobs, stale)

    def _show_case(self, document: OpenDocument) -> None:
        kernel, case = document.chosen_kernel, document.chosen_case
        self.case_form.show_arguments(kernel, case, document.arguments())


def _title(controller: Controller, key: str, count: int) -> None:
    dock = controller.window.docks[key]
    dock.setWindowTitle(f"{DOCK_TITLES[key]} {count}" if count else DOCK_TITLES[key])


def _reveal(path: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).parent)))


def library(folder: Path) -> list[LibraryEntry]:
    """The shipped kernels, each with the first sentence of its file."""
    entries = []
    for path in sorted(folder.glob("*.py")):
        title = path.stem.replace("_", " ")
        entries.append(LibraryEntry(title, path, first_sentence(path)))
    return entries


def first_sentence(path: Path) -> str:
    """What a shipped kernel computes, by its module docstring; empty where it has none."""
    try:
        text = ast.get_docstring(ast.parse(read_document(path).text)) or ""
    except (DocumentError, SyntaxError):
        return ""
    return text.split("\n\n")[0].replace("\n", " ").strip()


def _subject(document: OpenDocument, trusted: bool) -> Subject:
    verified = document.verified
    if verified is None:
        return Subject(trusted=trusted)
    stale = document.is_stale(verified.revision)
    return Subject(verified.result, verified.blobs, verified.on, trusted, stale)


def _code_inputs(document: OpenDocument, session: Session) -> CodeInputs:
    targets = []
    stale = False
    for mark, name in enumerate(document.targets):
        target = session.targets.resolve(name)
        compiled = document.good.get(name) or document.compiled.get(name)
        stale = stale or (compiled is not None and document.is_stale(compiled.revision))
        running = any(short_label(target) in job.label for job in session.jobs.jobs)
        result = compiled.result if compiled is not None else None
        targets.append(target_code(target, mark, result, running))
    name = str(document.path) if document.path is not None else document.title
    return CodeInputs(name, tuple(targets), stale)
