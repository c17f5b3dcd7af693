"""Builds the panes that stand in docks, and gives each what it shows of the current document."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from workbench.core.targets.labels import short_label
from workbench.session.analyzing import is_analysis
from workbench.session.code_inputs import CodeInputs, target_code
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.session import Session
from workbench.ui.case_form import CaseForm
from workbench.ui.deferred import Deferred
from workbench.ui.docks import DOCK_TITLES
from workbench.ui.lens_views import LensViews
from workbench.ui.navigator import LibraryEntry, Navigator
from workbench.ui.panes.log import LogPane
from workbench.ui.panes.problems import ProblemsPane
from workbench.ui.theme.icons import Icons

if TYPE_CHECKING:
    from workbench.session.verification_view import Subject
    from workbench.ui.controller import Controller
    from workbench.ui.panes.code import CodePane
    from workbench.ui.panes.portability import PortabilityPane
    from workbench.ui.panes.profile import ProfilePane
    from workbench.ui.panes.reference import ReferencePane
    from workbench.ui.panes.runs import RunsPane
    from workbench.ui.panes.verification import VerificationPane
    from workbench.ui.reference_view import ReferenceView

_DEFERRED = ("code", "verification", "profile", "portability", "runs", "reference")


class Panels:
    """The panes by their dock's key; those that take long to build wait until they are wanted."""

    def __init__(self, icons: Icons) -> None:
        theme = icons.theme
        self._icons = icons
        self.navigator = Navigator(theme, icons)
        self.case_form = CaseForm(theme, icons)
        self.problems = ProblemsPane(theme, icons)
        self.log = LogPane(theme, icons)
        self.deferred_runs = Deferred(self._build_runs)
        self.deferred_portability = Deferred(self._build_portability)
        self.deferred_profile = Deferred(self._build_profile)
        self._code = Deferred(self._build_code)
        self._verification = Deferred(self._build_verification)
        self._reference = Deferred(self._build_reference)
        self._reference_view: ReferenceView | None = None
        self.lenses = LensViews(icons)
        self._controller: Controller | None = None
        self._shown: tuple[OpenDocument, Session] | None = None
        self._kept: dict[str, Any] = {}
        self._traced: dict[str, object] = {}
        self._traced_document: OpenDocument | None = None

    @property
    def code(self) -> CodePane:
        """The pane of the document's code in every stage."""
        return self._code.wake()

    @property
    def verification(self) -> VerificationPane:
        """The pane of the comparison with the reference."""
        return self._verification.wake()

    @property
    def runs(self) -> RunsPane:
        """The pane of the history."""
        return self.deferred_runs.wake()

    @property
    def reference(self) -> ReferenceView:
        """What connects the pane of the reference, which is built now unless it was."""
        self._reference.wake()
        assert self._reference_view is not None
        return self._reference_view

    @property
    def widgets(self) -> Mapping[str, QWidget]:
        """What goes into the docks."""
        return {
            "navigator": self.navigator,
            "arguments": self.case_form,
            "code": self._code.place,
            "reference": self._reference.place,
            "problems": self.problems,
            "verification": self._verification.place,
            "profile": self.deferred_profile.place,
            "portability": self.deferred_portability.place,
            "runs": self.deferred_runs.place,
            "log": self.log,
            **self.lenses.places,
        }

    def connect_window(self, controller: Controller) -> None:
        """Connect what the panes ask for with those that do it."""
        self._controller = controller
        session, files = controller.session, controller.files
        self.navigator.file_activated.connect(lambda path: files.open(Path(path)))
        self.navigator.library_activated.connect(lambda path: files.open_copy(Path(path)))
        self.navigator.open_folder_requested.connect(controller.actions["open-folder"].trigger)
        self.navigator.set_workspace(session.workspace)
        self.navigator.set_library(library(session.shipped))
        self.navigator.reveal_requested.connect(_reveal)
        self.problems.problem_activated.connect(controller.show_problem)
        self.problems.raw_requested.connect(lambda problem: self._show_raw(controller, problem))
        self.problems.count_changed.connect(lambda count: _title(controller, "problems", count))
        self.case_form.value_changed.connect(controller.set_argument)
        self.case_form.save_requested.connect(controller.save_case)
        self.case_form.reset_requested.connect(controller.reset_arguments)
        for key, pane in self._deferred().items():
            controller.window.docks.when_seen(key, pane.wake)
        self._connect_lenses(controller)

    def show_document(
        self, document: OpenDocument, problems: Sequence[Problem], session: Session
    ) -> None:
        """Show what is known of a document."""
        self.problems.set_targets(document.targets)
        self.problems.set_problems(tuple(problems))
        self._shown = (document, session)
        self._show_deferred()
        self.lenses.show_document(document, session)
        self.show_case(document)
        self.navigator.set_current_file(document.path)

    def show_nothing(self) -> None:
        """Show that no document is open."""
        self.problems.set_problems(())
        self._shown = None
        self._show_deferred()
        self.lenses.show_nothing()
        self.case_form.show_arguments(None, None, {})
        self.navigator.set_current_file(None)

    def log_line(self, lane: str, text: str) -> None:
        """Keep a line that a job printed."""
        self.log.append(lane, text)

    def log_text(self) -> str:
        """The log as text."""
        return self.log.text

    def state(self) -> dict[str, Any]:
        """The panes' own states; of one that was not looked at, the state it would have had."""
        panes = {key: pane.state() for key, pane in self._stateful().items()}
        where = (
            {} if self._controller is None else {"where": self._controller.profiling.where.state()}
        )
        wizard = {} if self._controller is None else {"wizard": self._controller.wizards.state()}
        compare = (
            {} if self._controller is None else {"compare": self._controller.comparing.state()}
        )
        sweep = {} if self._controller is None else {"sweep": self._controller.sweeping.state()}
        return self._kept | panes | self.lenses.state() | where | wizard | compare | sweep

    def restore(self, states: Mapping[str, Any]) -> None:
        """Take the panes' own states; a pane without one stays as it is."""
        self._kept = {key: states[key] for key in _DEFERRED if isinstance(states.get(key), dict)}
        self.lenses.restore(states)
        where = states.get("where")
        if isinstance(where, dict) and self._controller is not None:
            self._controller.profiling.where.restore(where)
        wizard = states.get("wizard")
        if isinstance(wizard, dict) and self._controller is not None:
            self._controller.wizards.restore(wizard)
        compare = states.get("compare")
        if isinstance(compare, dict) and self._controller is not None:
            self._controller.comparing.restore(compare)
        sweep = states.get("sweep")
        if isinstance(sweep, dict) and self._controller is not None:
            self._controller.sweeping.restore(sweep)
        for key, pane in self._stateful().items():
            state = states.get(key)
            if isinstance(state, dict):
                pane.restore(state)

    def _connect_lenses(self, controller: Controller) -> None:
        lenses, window = self.lenses, controller.window
        lenses.line_requested.connect(controller.reveal_line)
        lenses.fix_requested.connect(lambda *made: controller.fixing.make_lens_fix(*made))
        lenses.argument_requested.connect(controller.set_argument)
        lenses.analysis_requested.connect(controller.actions["analyze"].trigger)
        lenses.code_requested.connect(controller.link_code)
        lenses.told.connect(controller.tell)
        lenses.twin_opened.connect(
            lambda key, widget: window.docks.add_twin(key, widget, self._icons)
        )
        lenses.trail_changed.connect(controller.show_trail)
        window.editors.cursor_moved.connect(lambda line, _: lenses.follow_cursor(line))
        for key in lenses.places:
            window.docks.when_seen(key, partial(lenses.see, key))

    def _deferred(self) -> dict[str, Deferred[Any]]:
        return {
            "code": self._code,
            "reference": self._reference,
            "verification": self._verification,
            "profile": self.deferred_profile,
            "portability": self.deferred_portability,
            "runs": self.deferred_runs,
        }

    def _build_runs(self) -> RunsPane:
        from workbench.ui.panes.runs import RunsPane  # what `Deferred` puts off

        pane = RunsPane(self._icons.theme, self._icons)
        pane.set_details_shown(False)  # they have no room until somebody asks for them
        pane.restore(self._kept.get("runs", {}))
        if self._controller is not None:
            pane.verify_requested.connect(self._controller.actions["verify"].trigger)
            self._controller.runs.connect_pane(pane)
        return pane

    def _build_portability(self) -> PortabilityPane:
        from workbench.ui.panes.portability import PortabilityPane  # what `Deferred` puts off

        pane = PortabilityPane(self._icons.theme, self._icons)
        pane.restore(self._kept.get("portability", {}))
        if self._controller is not None:
            self._controller.surveys.connect_pane(pane)
        return pane

    def _build_profile(self) -> ProfilePane:
        from workbench.ui.panes.profile import ProfilePane  # what `Deferred` puts off

        pane = ProfilePane(self._icons.theme, self._icons)
        pane.restore(self._kept.get("profile", {}))
        if self._controller is not None:
            self._controller.profiling.connect_pane(pane)
        return pane

    def _build_code(self) -> CodePane:
        from workbench.ui.panes.code import CodePane  # what `Deferred` puts off

        pane = CodePane(self._icons.theme, self._icons)
        if self._controller is not None:
            pane.emit_requested.connect(self._controller.emit_stage)
            pane.passes_requested.connect(self._controller.record_passes)
        pane.restore(self._kept.get("code", {}))
        self._show_code(pane)
        return pane

    def _build_reference(self) -> ReferencePane:
        from workbench.ui.panes.reference import ReferencePane  # what `Deferred` puts off
        from workbench.ui.reference_view import ReferenceView

        assert self._controller is not None
        pane = ReferencePane(self._icons.theme, self._icons)
        pane.restore(self._kept.get("reference", {}))
        self._reference_view = ReferenceView(self._controller, pane)
        self._show_reference(self._reference_view)
        return pane

    def _build_verification(self) -> VerificationPane:
        from workbench.ui.panes.verification import VerificationPane  # what `Deferred` puts off

        pane = VerificationPane(self._icons.theme, self._icons)
        if self._controller is not None:
            pane.verify_requested.connect(self._controller.actions["verify"].trigger)
            pane.export_failed.connect(self._controller.files.tell)
            pane.line_requested.connect(self._controller.go_to)
        pane.restore(self._kept.get("verification", {}))
        self._show_verification(pane)
        return pane

    def _show_deferred(self) -> None:
        if self._code.built is not None:
            self._show_code(self._code.built)
        if self._verification.built is not None:
            self._show_verification(self._verification.built)
        if self._reference_view is not None:
            self._show_reference(self._reference_view)
        if self._controller is not None:
            self._controller.surveys.show_current()
            self._controller.profiling.show_current()

    def _show_reference(self, view: ReferenceView) -> None:
        document = self._shown[0] if self._shown is not None else None
        view.show_document(document, self.problems.problems)

    def _show_code(self, pane: CodePane) -> None:
        if self._shown is None:
            pane.set_results(CodeInputs())
            return
        document, session = self._shown
        pane.set_results(_code_inputs(document, session))
        self._show_passes(pane, document)

    def _show_verification(self, pane: VerificationPane) -> None:
        pane.show_subject(_subject(self._shown))

    def _show_raw(self, controller: Controller, problem: Problem) -> None:
        self.log.append("problem", problem.raw or problem.diagnostic.message, "note")
        controller.window.docks.show("log")

    def _stateful(self) -> dict[str, Any]:
        built = {key: pane.built for key, pane in self._deferred().items()}
        panes = {**self.widgets, **built}
        return {key: pane for key, pane in panes.items() if hasattr(pane, "restore")}

    def _show_passes(self, pane: CodePane, document: OpenDocument) -> None:
        if self._traced_document is not document:  # the pane forgets passes with their document
            self._traced_document, self._traced = document, {}
        for target, traced in document.passes.items():
            stale = document.is_stale(traced.revision)
            if self._traced.get(target) != (traced, stale):
                self._traced[target] = (traced, stale)
                pane.set_passes(target, traced.result, traced.blobs, stale)

    def show_case(self, document: OpenDocument) -> None:
        """Show the arguments of a document's case."""
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
        text = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    except (OSError, SyntaxError, ValueError):  # ValueError: a NUL, an unknown encoding
        return ""  # opening it says what is wrong with the file
    return text.split("\n\n")[0].replace("\n", " ").strip()


def _subject(shown: tuple[OpenDocument, Session] | None) -> Subject:
    from workbench.session.verification_view import Subject  # it loads numpy

    if shown is None:
        return Subject()
    document, session = shown
    trusted, verified = session.trusts(document), document.verified
    if verified is None:
        return Subject(trusted=trusted)
    stale = document.is_stale(verified.revision)
    return Subject(verified.result, verified.blobs, verified.on, trusted, stale)


def _code_inputs(document: OpenDocument, session: Session) -> CodeInputs:
    targets = []
    stale = False
    labels = [job.label for job in session.jobs.jobs if not is_analysis(job)]
    for mark, name in enumerate(document.targets):
        target = session.targets.resolve(name)
        compiled = document.good.get(name) or document.compiled.get(name)
        stale = stale or (compiled is not None and document.is_stale(compiled.revision))
        running = any(short_label(target) in label for label in labels)
        result = compiled.result if compiled is not None else None
        targets.append(target_code(target, mark, result, running))
    name = str(document.path) if document.path is not None else document.title
    return CodeInputs(name, tuple(targets), stale)
