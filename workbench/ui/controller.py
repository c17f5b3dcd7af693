"""Builds the window's parts, connects them with the session, and answers its actions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QFileDialog

from workbench import __version__
from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.core.settings import Theme as ThemeSetting
from workbench.session.analyzing import is_analysis
from workbench.session.cases import with_saved_case
from workbench.session.jobs import WorkerState, WorkerStatus
from workbench.session.lenses.links import Selection
from workbench.session.open_document import OpenDocument, needed_text
from workbench.session.results import LIVE, WORK, NothingToRunError
from workbench.session.session import Session
from workbench.ui.actions import Actions
from workbench.ui.compare_view import Comparing
from workbench.ui.editor.buffer import EncodeError
from workbench.ui.editor.completion import Definition
from workbench.ui.editor.jedi_provider import JediProvider
from workbench.ui.editor_area import EditorTab
from workbench.ui.exports import Exports
from workbench.ui.files import FileController
from workbench.ui.fixing import Fixing
from workbench.ui.hints import Hints
from workbench.ui.hosts_view import HostsView
from workbench.ui.hovering import Hovering
from workbench.ui.kernel_view import KernelView
from workbench.ui.main_window import MainWindow, Parts
from workbench.ui.memory import Memory
from workbench.ui.pages import Pages
from workbench.ui.panels import Panels
from workbench.ui.profiling_view import ProfilingView
from workbench.ui.report_dialog import ErrorReport
from workbench.ui.run_changes import RunChanges
from workbench.ui.run_imports import RunImports, is_run_file
from workbench.ui.runs_view import RunsView
from workbench.ui.scripts import Scripts
from workbench.ui.starting import Starting
from workbench.ui.surveys import Surveys
from workbench.ui.suspicions import Suspicions
from workbench.ui.sweep_view import Sweeping
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.where import PROFILE, VERIFY
from workbench.ui.wizards import Wizards
from workbench.wire.events import Ended

SAMPLE_BLOCKS = 64
_REFUSAL = "refusal"  # the topic of why nothing was run
_ANALYSIS = "analysis"  # the topic of what was computed


class Controller(QObject):
    """Everything that happens in the window, from one place."""

    def __init__(self, session: Session, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self.session, self.theme, self.icons = session, theme, icons
        self._is_restored = False
        self.panels = Panels(icons)
        self.pages = Pages(icons, session)
        self.provider = JediProvider(self)
        parts = Parts(self.pages.welcome, self.pages.bars, self.panels.widgets, self.provider)
        self.window = MainWindow(icons, parts, self._handlers())
        self.files = FileController(self.window, session, theme)
        self.view = KernelView(self.window, session, self.panels)
        self.scripts = Scripts(self.window, session, self.files, self.pages.script_bar)
        self.runs = RunsView(
            self.window, session, self.files, self.panels.deferred_runs, self.panels.navigator
        )
        self.memory = Memory(self.window, session, self.files, self.panels)
        self.starting = Starting(session.post, self.files, self.view)
        self.starting.loaded.connect(self.runs.refresh)
        self.starting.loaded.connect(self.provider.start)
        self.starting.loaded.connect(self.panels.lenses.begin)
        self.files.files_changed.connect(self._on_files_changed)
        self.pages.connect_window(self)
        self.panels.connect_window(self)
        self.fixing = Fixing(self)
        self.hints = Hints(self)
        self.surveys = Surveys(self)
        self.profiling = ProfilingView(self)
        self.runs.profile_opened.connect(self.profiling.show_run)
        self.hosts = HostsView(self)
        self.imports = RunImports(self)
        self.suspicions = Suspicions(self)
        self.exports = Exports(self)
        self.wizards = Wizards(self)
        self.comparing = Comparing(self)
        self.sweeping = Sweeping(self)
        self.changes = RunChanges(self)
        self.runs.action_wanted.connect(self.changes.do)
        self.runs.delete_all_wanted.connect(self.changes.delete_matching)
        self.runs.clean_up_wanted.connect(self.changes.clean_up)
        self.runs.attach_all_wanted.connect(self.changes.attaching.attach_offered)
        self.runs.compare_requested.connect(self.comparing.open)
        self.hovering = Hovering(self, self.fixing)
        self._connect_session()
        self._connect_window()
        self._show_choices()
        self.show_trail()

    @property
    def actions(self) -> Actions:
        """The actions of the window."""
        return self.window.actions_table

    @property
    def tab(self) -> EditorTab | None:
        """The tab in front."""
        return self.window.editors.current

    def restore(self) -> None:
        """Bring back what was open when the window was last closed."""
        self.memory.restore()
        self.wizards.bring_back()
        self.comparing.bring_back()
        self.sweeping.bring_back()
        self._is_restored = True

    def warm_up(self) -> None:
        """Start what takes long before the person needs it."""
        self.session.jobs.warm(LIVE, WORK)
        self.starting.begin()
        self.pages.look_around()

    def close(self) -> None:
        """Remember everything and close the window."""
        self.memory.save()
        self.comparing.close()
        self.sweeping.close()
        self.profiling.close()
        self.runs.close()
        self.pages.close()
        self.starting.close()
        self.provider.close()
        self.window.close()
        self.window.deleteLater()

    def tell(self, text: str, severity: Severity = Severity.INFO, topic: str = "") -> None:
        """Say something in a toast, in place of what was said of the topic before."""
        self.window.toasts.show_toast(text, severity, topic=topic)

    def show_report(self, message: str, details: str) -> None:
        """Show an error of ours, or what the person wants to tell of."""
        versions = {"workbench": __version__, **self.session.jobs.state.versions}
        created = datetime.now(timezone.utc)
        log = self.panels.log_text()
        self.pages.show_report(self.window, ErrorReport(message, details, log, versions, created))

    def run_document(self, what: Callable[[OpenDocument], None]) -> None:
        """Do something with the document in front, as it is typed now."""
        tab = self.tab
        if tab is None:
            return
        self.files.flush(tab)
        self.window.toasts.dismiss(_REFUSAL)
        if self._takes_arguments(tab.document):
            self._attempt(what, tab.document)

    def run_file(self, what: Callable[[OpenDocument], None]) -> None:
        """Do something with the file in front as it is, whatever its kernels' arguments are."""
        tab = self.tab
        if tab is not None:
            self.files.flush(tab)
            self.window.toasts.dismiss(_REFUSAL)
            self._attempt(what, tab.document)

    def _attempt(self, what: Callable[[OpenDocument], None], document: OpenDocument) -> None:
        try:
            what(document)
        except NothingToRunError as error:
            self.tell(str(error), Severity.WARNING, _REFUSAL)

    def _takes_arguments(self, document: OpenDocument) -> bool:
        """Take what is typed in the form; what lacks or is wrong is shown, and nothing is run."""
        form = self.panels.case_form
        form.commit()
        missing = document.missing()
        if form.refused:
            row = form.refused[0]
            name, text = row.spec.name, f"{row.spec.name}: {row.refusal}"
        elif missing and document.kernel is not None:
            name, text = missing[0], needed_text(document.kernel, missing)
        else:
            return True
        self.window.docks.show("arguments")
        form.focus_field(name)
        self.tell(f"Nothing was run. {text}", Severity.WARNING, _REFUSAL)
        return False

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor of the document in front somewhere."""
        tab = self.tab
        if tab is not None:
            tab.current.go_to(line, column)
            tab.current.setFocus()

    def reveal_line(self, line: int) -> None:
        """Put the cursor at a line that a lens tells, and leave the keys where they are."""
        tab = self.tab
        if tab is not None and tab.current.cursor_place[0] != line:
            tab.current.go_to(line)

    def show_trail(self) -> None:
        """Offer the way back and forward through what was selected, where there is one."""
        trail = self.panels.lenses.trail
        self.actions["back"].setEnabled(trail.can_go_back)
        self.actions["forward"].setEnabled(trail.can_go_forward)

    def show_problem(self, path: str, line: int, column: int) -> None:
        """Put the cursor at a problem of the document in front, or of a file."""
        tab = self.tab
        if tab is not None and path not in (str(tab.document.path), tab.document.title):
            self.files.open(Path(path))
        self.go_to(line, column)

    def emit_stage(self, target: str, stage: str) -> None:
        """Have a text of the code pane that is not there yet."""
        self.run_document(lambda d: self.session.results.emit(d, target, [stage]))

    def record_passes(self, target: str) -> None:
        """Have the compiler passes of a target recorded."""
        self.run_document(lambda d: self.session.results.record_passes(d, target))

    def link_code(self, target: str) -> None:
        """Have the texts of a target made with the lines behind their rows, unasked."""
        tab = self.tab
        if tab is not None and not tab.document.missing():
            self._attempt(lambda d: self.session.results.link(d, target), tab.document)

    def show_linked(self, tab: EditorTab) -> None:
        """Show what the line at the cursor became in every text."""
        self.window.docks.show("linked")
        lenses = self.panels.lenses
        lenses.lens("linked")
        lenses.see("linked")
        lenses.trail.select(Selection(line=tab.current.cursor_place[0]))

    def set_argument(self, name: str, value: object) -> None:
        """Try another value of an argument."""
        self._with_tab(lambda tab: self.session.set_argument(tab.document, name, value))

    def reset_arguments(self) -> None:
        """Go back to the arguments of the case."""
        self._with_tab(lambda tab: self.session.reset_arguments(tab.document))

    def save_case(self) -> None:
        """Write the arguments in force into the document's block."""
        self._with_tab(self._save_case)

    def _save_case(self, tab: EditorTab) -> None:
        self.files.flush(tab)
        try:
            content = with_saved_case(tab.buffer.content(), tab.document)
        except (DocumentError, EncodeError) as error:
            self.tell(str(error), Severity.ERROR)
            return
        self.files.write_block(tab, content)
        self.session.reset_arguments(tab.document)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        editor = {name: self._editor_handler(name) for name in _EDITOR_METHODS}
        return {
            **editor,
            "new-kernel": lambda: self.wizards.open(),
            "change-pattern": lambda: self._with_tab(self.wizards.reopen),
            "port-pattern": lambda: self._with_tab(self.wizards.choose_port),
            "open": lambda: self.files.choose_and_open(),
            "open-folder": self._on_open_folder,
            "quick-open": lambda: self.pages.open_file_palette(self),
            "import-runs": lambda: self.imports.choose(),
            "save": lambda: self._with_tab(self.files.save),
            "save-as": lambda: self._with_tab(self.files.save_as),
            "close": lambda: self._with_tab(self._close),
            "quit": lambda: self.window.close(),
            "split": lambda: self._with_tab(self.window.editors.split),
            "design": lambda: self.window.switch_to("design"),
            "debug": lambda: self.window.switch_to("debug"),
            "profile": lambda: self.window.switch_to("profile"),
            "reset-layout": lambda: self.window.arrange(
                self.window.title_row.switch.current or "design"
            ),
            "theme-system": lambda: self._on_theme_chosen(ThemeSetting.SYSTEM),
            "theme-light": lambda: self._on_theme_chosen(ThemeSetting.LIGHT),
            "theme-dark": lambda: self._on_theme_chosen(ThemeSetting.DARK),
            "back": lambda: self.panels.lenses.trail.back(),
            "forward": lambda: self.panels.lenses.trail.forward(),
            "definition": lambda: self._with_tab(self._ask_definition),
            "linked-code": lambda: self._with_tab(self.show_linked),
            "compile": self._on_compile,
            "verify": self._on_verify,
            "analyze": self._on_analyze,
            "measure": lambda: self.profiling.measure(),
            "measure-cases": lambda: self.profiling.measure_cases(),
            "verify-where": lambda: self.profiling.choose_place(VERIFY),
            "profile-where": lambda: self.profiling.choose_place(PROFILE),
            "compare": lambda: self.comparing.open(self.runs.selected()),
            "charts": lambda: self.comparing.open_charts(self.runs.selected()),
            "sweep": lambda: self.sweeping.open(),
            "hosts": lambda: self.hosts.open(),
            "portability": lambda: self.surveys.check(),
            "bug-bundle": lambda: self.suspicions.ask(),
            "export-kernel": lambda: self.exports.choose_and_export(),
            "verify-sample": self._on_verify_sample,
            "run-script": lambda: self.run_file(self.session.scripts.run),
            "find-cases": lambda: self.run_file(self.session.scripts.find_cases),
            "write-cases": lambda: self._with_tab(self.scripts.write_cases),
            "cancel": lambda: self.session.all_jobs.cancel_all(),
            "show-hover": lambda: self.hovering.show_at_cursor(),
            "live": self._on_live_toggled,
            "inlay-hints": self._on_inlay_hints_toggled,
            "hints": lambda: self.hints.open(),
            "trust": lambda: self.pages.ask_for_trust(),
            "reference": lambda: self.panels.reference.help_here(),
            "reference-search": lambda: self.panels.reference.search(),
            "welcome": lambda: self.window.editors.show_welcome(),
            "palette": lambda: self.pages.open_action_palette(self),
            "keys": lambda: self.pages.show_keys(self),
            "report": lambda: self.show_report("A problem that I saw", ""),
            "about": lambda: self.pages.show_about(self.window, self.session),
        }

    def _editor_handler(self, name: str) -> Callable[[], object]:
        return lambda: self._with_tab(_EDITOR_METHODS[name])

    def _with_tab(self, what: Callable[[EditorTab], object]) -> None:
        tab = self.tab
        if tab is not None:
            what(tab)

    def _close(self, tab: EditorTab) -> None:
        if not self.window.editors.close_view(tab):
            self.files.close_tab(tab)

    def _connect_session(self) -> None:
        session, status = self.session, self.window.status
        session.jobs.worker_changed.connect(self._on_worker_changed)
        session.all_jobs.changed.connect(self._on_jobs_changed)
        session.all_jobs.logged.connect(self.panels.log_line)
        session.all_jobs.lost.connect(self._on_host_lost)
        session.results.finished.connect(self._on_results_finished)
        session.trust_changed.connect(lambda: self.window.toasts.dismiss(_REFUSAL))
        session.reported.connect(lambda text: self.tell(text, Severity.WARNING))
        status.set_worker(session.jobs.state)
        self._on_jobs_changed()

    def _connect_window(self) -> None:
        window, session = self.window, self.session
        window.toolbar.kernel_chosen.connect(self._on_kernel_chosen)
        window.toolbar.case_chosen.connect(self._on_case_chosen)
        window.toolbar.targets_chosen.connect(self._on_targets_chosen)
        window.toolbar.case_edit_requested.connect(lambda: window.docks.show("arguments"))
        window.title_row.switch.chosen.connect(window.switch_to)
        window.status.cancel_requested.connect(session.all_jobs.cancel_all)
        window.closing.connect(self.memory.save)
        window.files_dropped.connect(self._on_files_dropped)
        self.provider.definitions_found.connect(self._on_provider_definitions_found)
        self.fixing.help_requested.connect(lambda code: self.panels.reference.open_code(code))

    def _on_files_dropped(self, paths: list[str]) -> None:
        self.imports.import_files([Path(path) for path in paths if is_run_file(path)])

    def _on_files_changed(self) -> None:
        if self._is_restored:
            self.memory.note()

    def _on_worker_changed(self, state: WorkerState) -> None:
        self.window.status.set_worker(state)
        if state.status is WorkerStatus.LOST:
            self.tell(f"The worker is gone: {state.message}", Severity.ERROR)

    def _on_host_lost(self, title: str, message: str) -> None:
        self.tell(f"{title}: {message}", Severity.ERROR, f"host {title}")

    def _on_jobs_changed(self) -> None:
        jobs = self.session.all_jobs.jobs
        self.window.status.set_jobs(jobs)
        self.actions["cancel"].setEnabled(bool(jobs))

    def _on_results_finished(self, document: OpenDocument, what: str, ended: Ended) -> None:
        if what == "verify" and ended.outcome != "cancelled":
            self.window.docks.show("verification")
        elif what == "analyze":
            self._tell_analysis(document, ended)
        elif what == "compile" and any(document.problems()):
            self.window.docks.show("problems")

    def _tell_analysis(self, document: OpenDocument, ended: Ended) -> None:
        """Say what an analysis that was asked for has come to, once it is there for all targets."""
        if any(is_analysis(job) and not job.quiet for job in self.session.jobs.jobs):
            return
        from workbench.session.vital_signs import vital_signs  # a window starts without

        signs = vital_signs(document, self.session.targets.resolve(document.targets[0]))
        found = document.analyses.newest.get(document.targets[0])
        failure = ended.failure or (found.result.failure if found is not None else None)
        if failure is not None:
            self.tell(f"The analysis: {failure.message}", Severity.WARNING, _ANALYSIS)
        elif signs is not None:
            figures = ", ".join(sign.text for sign in signs.signs)
            self.tell(f"{signs.target}, predicted: {figures}.", topic=_ANALYSIS)

    def _ask_definition(self, tab: EditorTab) -> None:
        line, column = tab.current.cursor_place
        self.provider.find_definitions(tab.buffer.text(), line, column - 1, tab.document.path)

    def _on_provider_definitions_found(
        self, number: int, definitions: tuple[Definition, ...]
    ) -> None:
        if not definitions:
            self.tell("No definition was found for the name at the cursor.")
            return
        tab = self.tab
        found = definitions[0]
        here = tab is not None and found.path in (str(tab.document.path), "None")
        if not here and self.files.open(Path(found.path)) is None:
            return
        self.go_to(found.line)

    def _on_compile(self) -> None:
        self.run_document(self.session.results.compile)

    def _on_verify(self) -> None:
        self.run_document(self.profiling.verify)

    def _on_analyze(self) -> None:
        self.run_document(self.session.results.analyze)

    def _on_verify_sample(self) -> None:
        self.run_document(lambda d: self.profiling.verify(d, SAMPLE_BLOCKS))

    def _on_kernel_chosen(self, name: str) -> None:
        self._with_tab(lambda tab: self.session.choose(tab.document, name, None))

    def _on_case_chosen(self, name: str) -> None:
        self._with_tab(lambda t: self.session.choose(t.document, t.document.kernel, name))

    def _on_targets_chosen(self, names: tuple[str, ...]) -> None:
        if self.comparing.is_in_front:
            self.comparing.predict_for(names)
        elif self.sweeping.is_in_front:
            self.sweeping.set_targets(names)
        elif self.window.editors.page is not None:
            self.wizards.set_targets(names)
        self._with_tab(lambda tab: self.session.set_targets(tab.document, names))

    def _on_open_folder(self) -> None:
        start = str(self.session.workspace)
        name = QFileDialog.getExistingDirectory(self.window, "Open a folder", start)
        if name:  # a workspace has its own history, trust and worker: it gets a window of its own
            QProcess.startDetached(sys.executable, ["-m", "workbench.app", name])

    def _on_theme_chosen(self, choice: ThemeSetting) -> None:
        self.session.update_settings(theme=choice)
        self.theme.set_choice(choice.value)
        self._show_choices()

    def _on_live_toggled(self) -> None:
        self.session.update_settings(live_refresh=not self.session.settings.live_refresh)
        self._show_choices()
        self._with_tab(lambda tab: self.session.refresh(tab.document))

    def _on_inlay_hints_toggled(self) -> None:
        self.session.update_settings(inlay_hints=not self.session.settings.inlay_hints)
        self._show_choices()
        self.view.show_current()

    def _show_choices(self) -> None:
        settings = self.session.settings
        self.actions["inlay-hints"].setChecked(settings.inlay_hints)
        self.actions["live"].setChecked(settings.live_refresh)
        for choice in ThemeSetting:
            self.actions[f"theme-{choice.value}"].setChecked(settings.theme is choice)


_EDITOR_METHODS: dict[str, Callable[[EditorTab], object]] = {
    "undo": lambda tab: tab.buffer.document.undo(),
    "redo": lambda tab: tab.buffer.document.redo(),
    "find": lambda tab: tab.current.open_find(),
    "replace": lambda tab: tab.current.open_find(with_replace=True),
    "go-to-line": lambda tab: tab.current.open_go_to_line(),
    "comment": lambda tab: tab.current.run("toggle-comment"),
    "duplicate": lambda tab: tab.current.run("duplicate"),
    "move-up": lambda tab: tab.current.run("move-up"),
    "move-down": lambda tab: tab.current.run("move-down"),
    "fold": lambda tab: tab.current.fold(),
    "unfold": lambda tab: tab.current.unfold(),
    "zoom-in": lambda tab: tab.current.view.zoom(1),
    "zoom-out": lambda tab: tab.current.view.zoom(-1),
    "zoom-reset": lambda tab: tab.current.view.reset_zoom(),
    "next-problem": lambda tab: tab.current.next_problem(),
    "previous-problem": lambda tab: tab.current.previous_problem(),
    "quick-fix": lambda tab: tab.current.request_fixes(),
}
