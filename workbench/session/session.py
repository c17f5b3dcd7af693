"""The state behind the window: workspace, open documents, worker, results, history, trust."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.data_files import find_data
from workbench.core.documents.reading import read_document
from workbench.core.history import History, HistoryError
from workbench.core.jobs import ConfigurationsRequest
from workbench.core.json_files import JsonFileError
from workbench.core.runs import Run
from workbench.core.settings import Settings, SettingsFile
from workbench.core.targets.table import TargetTable, load_targets
from workbench.core.trust import TrustStore
from workbench.core.user_folders import user_config_folder
from workbench.core.workspace import WorkspaceError, workspace_data
from workbench.session.all_jobs import AllJobs
from workbench.session.hosts.pool import HostPool, hosts_file
from workbench.session.jobs import JobController, OnEnd, Post
from workbench.session.open_document import OpenDocument
from workbench.session.recording import open_copy, open_history
from workbench.session.results import Place, ResultsController, recorder
from workbench.session.script_runs import ScriptController
from workbench.session.signal import Signal
from workbench.session.tasks import Tasks
from workbench.session.timers import Timer, TimerFactory
from workbench.session.worker_client import WorkerCommand, local_worker
from workbench.wire.messages import Limits

if TYPE_CHECKING:
    from workbench.session.bug_bundle_jobs import BugBundleController
    from workbench.session.exporting_jobs import ExportController
    from workbench.session.patterns.controller import WizardController
    from workbench.session.portability import PortabilityController
    from workbench.session.profiling import ProfilingController
    from workbench.session.sweeps.desk import SweepDesk

#: How long the window waits for another process that writes to the history.
_PATIENCE_S = 0.25


@dataclass(frozen=True)
class Surroundings:
    """What a session gets from the event loop it lives in, and the worker it is to start."""

    post: Post
    make_timer: TimerFactory
    worker: WorkerCommand
    trusts_all: bool = False
    """The person named the document on the command line, which is their word that it may run."""
    keeps_traces: bool = True
    """Whether runs, recent files and the window's state are kept; a picture leaves none.

    Runs then go into a copy of the history, which lasts as long as the session.
    """


class Session:
    """One workspace with everything that a person has open in it."""

    def __init__(self, workspace: Path, surroundings: Surroundings) -> None:
        self.documents_changed: Signal[[]] = Signal()
        self.document_changed: Signal[[OpenDocument]] = Signal()
        self.trust_changed: Signal[[]] = Signal()
        self.runs_changed: Signal[[]] = Signal()
        self.reported: Signal[[str]] = Signal()
        self.workspace = workspace
        self.documents: list[OpenDocument] = []
        self.shipped = find_data("kernels")
        self.targets: TargetTable = load_targets()
        config = user_config_folder()
        self.settings_file = SettingsFile(config / "settings.json")
        self.settings: Settings = self.settings_file.load().settings
        self.trust = TrustStore(config / "trust.json", self.shipped)
        self.jobs = JobController(surroundings.worker, surroundings.post)
        self.hosts = HostPool(hosts_file(), self.jobs, surroundings.post)
        self.tasks = Tasks(surroundings.post)
        self.all_jobs = AllJobs(self.hosts, self.tasks)
        place = self._place = Place(workspace, self.trusts)
        self.keeps_traces = surroundings.keeps_traces
        record = self._record = recorder(self.history, self.reported.emit, self._file_later)
        self.results = ResultsController(self.hosts, self.targets, place, self.limits, record)
        self.results.finished.connect(lambda *_: self.runs_changed.emit())
        self.scripts = ScriptController(self.jobs, self.targets, place, self.limits, record)
        self.scripts.finished.connect(self._on_script_finished)
        self.post = surroundings.post
        self._make_timer = surroundings.make_timer
        self._trusts_all = surroundings.trusts_all
        self._timers: dict[int, Timer] = {}
        self._history: History | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._portability: PortabilityController | None = None
        self._bug_bundles: BugBundleController | None = None
        self._exports: ExportController | None = None
        self._profiling: ProfilingController | None = None
        self._wizard: WizardController | None = None
        self._sweeps: SweepDesk | None = None

    @property
    def profiling(self) -> ProfilingController:
        """What is measured on GPUs, here and on hosts; made when first asked for."""
        if self._profiling is None:
            from workbench.session.profiling import ProfilingController

            made = self._profiling = ProfilingController(
                self.hosts, self.targets, self.workspace, self.trusts, self.limits, self._record
            )
            made.finished.connect(lambda *_: self.runs_changed.emit())
            self.all_jobs.changed.connect(made.show_progress)
        return self._profiling

    @property
    def bug_bundles(self) -> BugBundleController:
        """Inquiries whether a compiler is at fault; made when first asked for."""
        if self._bug_bundles is None:
            from workbench.session.bug_bundle_jobs import BugBundleController

            self._bug_bundles = BugBundleController(
                self.jobs, self.targets, self._place, self.limits
            )
        return self._bug_bundles

    @property
    def exports(self) -> ExportController:
        """Exports of kernels into folders; made when first asked for."""
        if self._exports is None:
            from workbench.session.exporting_jobs import ExportController

            self._exports = ExportController(self.jobs, self.targets, self._place, self.limits)
        return self._exports

    @property
    def wizard(self) -> WizardController:
        """The kernel that is being made from a pattern; made when first asked for."""
        if self._wizard is None:
            from workbench.session.patterns.controller import WizardController
            from workbench.session.patterns.current import Workplace

            place = Workplace(
                self.jobs,
                self.targets,
                self.workspace,
                self.limits,
                self._make_timer,
                lambda: self.settings.live_delay_ms,
                lambda: self._known_targets(self.settings.default_targets),
            )
            self._wizard = WizardController(place)
        return self._wizard

    @property
    def sweeps(self) -> SweepDesk:
        """The sweeps of the workspace, one of which is looked at; made when first asked for."""
        if self._sweeps is None:
            from workbench.session.sweeps.desk import SweepDesk

            self._sweeps = SweepDesk(
                self.workspace,
                self.targets,
                self._make_timer,
                self.post,
                self._ask_for_configurations,
                self.trusts,
            )
        return self._sweeps

    def _ask_for_configurations(self, request: ConfigurationsRequest, on_end: OnEnd) -> None:
        label = f"Run {Path(request.source.path).name} to learn what its decorator tries"
        self.jobs.submit(request, on_end, label=label, lane="work", limits=self.limits())

    @property
    def portability(self) -> PortabilityController:
        """Surveys over all targets; made when first asked for, as it loads the rules."""
        if self._portability is None:
            from workbench.session.portability import PortabilityController

            made = self._portability = PortabilityController(
                self.jobs, self.targets, self._place, self.limits, self.history
            )
            self.results.finished.connect(lambda document, *_: made.note_runs(document))
            self.documents_changed.connect(lambda: made.forget(self.documents))
        return self._portability

    def open_file(self, path: Path) -> OpenDocument:
        """The open document of a file, opened if it is not yet. Raises DocumentError."""
        path = path.absolute()
        known = next((d for d in self.documents if d.path == path), None)
        if known is not None:
            return known
        text = read_document(path).text
        return self._add(OpenDocument.of(text, path, path.name))

    def open_copy(self, path: Path) -> OpenDocument:
        """A new, unsaved document with the text of a shipped kernel. Raises DocumentError."""
        return self.open_text(read_document(path).text, path.name)

    def open_text(self, text: str, title: str, foreign: bool = False) -> OpenDocument:
        """A new, unsaved document with a text; a `foreign` one is not run before it is saved."""
        document = OpenDocument.of(text, None, title)
        document.foreign = foreign
        return self._add(document)

    def rename(self, document: OpenDocument, path: Path) -> None:
        """Take another file for a document's."""
        document.path, document.title = path, path.name
        document.revision += 1
        self.document_changed.emit(document)
        self.refresh(document)

    def close_document(self, document: OpenDocument) -> None:
        """Forget a document; its jobs end as they will, unheard."""
        timer = self._timers.pop(id(document), None)
        if timer is not None:
            timer.stop()
        self.documents.remove(document)
        self.documents_changed.emit()

    def edit(self, document: OpenDocument, text: str) -> None:
        """Take a new text from the editor once typing has paused, and lower it."""
        revision = document.revision
        document.set_text(text)
        if document.revision != revision:
            self.document_changed.emit(document)
            self.refresh(document)

    def choose(self, document: OpenDocument, kernel: str | None, case: str | None) -> None:
        """Work on another kernel or case."""
        document.kernel, document.case, document.overrides = kernel, case, {}
        document.revision += 1
        document.choose_defaults()
        chosen = document.chosen_case
        if chosen is not None and chosen.targets:
            document.targets = self._known_targets(chosen.targets)
            document.drop_targets()
        self._touch(document)

    def set_argument(self, document: OpenDocument, name: str, value: object) -> None:
        """Try another value of an argument without changing the case."""
        if document.arguments().get(name) == value:
            return
        document.overrides[name] = value
        document.revision += 1
        self._touch(document)

    def reset_arguments(self, document: OpenDocument) -> None:
        """Go back to the case's arguments."""
        document.overrides = {}
        document.revision += 1
        self._touch(document)

    def set_targets(self, document: OpenDocument, targets: tuple[str, ...]) -> None:
        """Look at the document for these targets."""
        document.targets = targets
        document.drop_targets()
        self.document_changed.emit(document)
        self.refresh(document)

    def refresh(self, document: OpenDocument) -> None:
        """Lower again now, if live refresh is on and the document may run."""
        if self.settings.live_refresh and self.trusts(document):
            self.results.refresh(document)

    def trusts(self, document: OpenDocument) -> bool:
        """Whether a document may be executed; one that was never saved is the person's typing.

        One that came with a run of another machine is not, before it lies in a trusted folder.
        """
        if self._trusts_all:
            return True
        if document.path is None:
            return not document.foreign
        return self.trust.is_trusted(document.path)

    def grant_trust(self, folder: Path) -> None:
        """Trust a folder from now on, and refresh what is open in it."""
        self.trust.grant(folder)
        self.trust_changed.emit()
        for document in self.documents:
            self.document_changed.emit(document)
            self.refresh(document)

    def limits(self) -> Limits:
        """The limits of a job, from the settings."""
        settings = self.settings
        return Limits(float(settings.job_time_limit_s), settings.job_memory_limit_bytes)

    def update_settings(self, **changes: object) -> None:
        """Change settings, in the file too; the file's problems are reported."""
        if not self.keeps_traces:
            self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]
            return
        try:
            self.settings_file.update(**changes)
        except JsonFileError as error:
            self.reported.emit(str(error))
        self.settings = self.settings_file.load().settings

    def history(self) -> History:
        """The workspace's history, opened once. Raises HistoryError."""
        if self._history is None:
            try:
                self._history = self._open_history()
            except WorkspaceError as error:
                raise HistoryError(str(error)) from error
        return self._history

    def data_folder(self) -> Path:
        """The folder for the workspace's data. Raises WorkspaceError."""
        return workspace_data(self.workspace)

    def close(self) -> None:
        """End the workers and close the history."""
        for timer in self._timers.values():
            timer.stop()
        if self._wizard is not None:
            self._wizard.close()
        if self._sweeps is not None:
            self._sweeps.close()
        self.tasks.close()
        self.hosts.close()
        self.jobs.close()
        if self._history is not None:
            self._history.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _file_later(self, run: Run, blobs: list[bytes]) -> None:
        """Put a run into the history beside the window, as another process writes to it."""
        from workbench.session.history_work import HistoryWork  # what is seldom needed

        HistoryWork(self.history, self.tasks, self.reported.emit).do(
            "Filing a run", lambda own, _: own.add(run, blobs), lambda _: self.runs_changed.emit()
        )

    def _open_history(self) -> History:
        if self.keeps_traces:
            made = open_history(self.workspace, self.settings.history_quota_bytes)
            made.set_patience(_PATIENCE_S)
            return made
        self._scratch = tempfile.TemporaryDirectory(prefix="tilelang-workbench-")
        return open_copy(self.workspace, Path(self._scratch.name))

    def _on_script_finished(self, document: OpenDocument) -> None:
        self.runs_changed.emit()
        self.document_changed.emit(document)
        self.refresh(document)

    def _add(self, document: OpenDocument) -> OpenDocument:
        case = document.chosen_case
        wanted = (case.targets if case is not None else ()) or self.settings.default_targets
        document.targets = self._known_targets(wanted)
        self.documents.append(document)
        self.documents_changed.emit()
        self.refresh(document)
        return document

    def _known_targets(self, names: tuple[str, ...]) -> tuple[str, ...]:
        known = []
        for name in names:
            try:
                known.append(self.targets.resolve(name).name)
            except ValueError as error:
                self.reported.emit(str(error))
        return tuple(dict.fromkeys(known)) or ("h100",)

    def _touch(self, document: OpenDocument) -> None:
        """Tell of a change at once, and lower when changes have paused."""
        self.document_changed.emit(document)
        timer = self._timers.get(id(document))
        if timer is None:
            timer = self._make_timer(lambda: self.refresh(document))
            self._timers[id(document)] = timer
        timer.restart(self.settings.live_delay_ms)


def surroundings_of(
    post: Post, make_timer: TimerFactory, trusts_all: bool = False, keeps_traces: bool = True
) -> Surroundings:
    """The usual surroundings: this machine's worker."""
    return Surroundings(post, make_timer, local_worker(), trusts_all, keeps_traces)
