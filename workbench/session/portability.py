"""Surveys documents over all targets in a lane of their own, and keeps what was found by text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from workbench.core.documents.selection import SelectionError
from workbench.core.history import History, HistoryError
from workbench.core.jobs import AnalyzeRequest, CompileRequest, Source
from workbench.core.portability.facts import Verification
from workbench.core.portability.model import PortabilityMatrix
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.portability_survey import (
    Found,
    Survey,
    SurveyTarget,
    is_lasting,
    survey_of,
    survey_targets,
    verified_runs,
    with_analysis,
    with_code,
)
from workbench.session.requests import analyze_request, compile_request, source_of
from workbench.session.results import NothingToRunError, Place
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

# An executor of its own: a survey of minutes makes no verification wait.
LANE = "portability"
_LEVEL = 1  # the lowered IR tells instructions and shared memory; nvcc's part is a compile job
_MOST_KEPT = 200  # architectures of texts


@dataclass(frozen=True)
class PortabilityView:
    """What the window shows of a document's survey; no `matrix` where there was none yet.

    `done` of `total` targets are known to the end. `stale` says that the document has changed since
    `revision`, which the matrix is about.
    """

    matrix: PortabilityMatrix | None = None
    running: bool = False
    done: int = 0
    total: int = 0
    stale: bool = False
    revision: int | None = None


@dataclass
class _Open:
    """A survey under way or ended; `jobs` are the open jobs by their architecture."""

    document: OpenDocument
    revision: int
    survey: Survey
    found: dict[str, Found] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)
    verified: tuple[Verification, ...] = ()

    @property
    def running(self) -> bool:
        return bool(self.jobs)


class PortabilityController:
    """Surveys one document or several; `changed` tells of each answer, so that rows come singly."""

    def __init__(
        self,
        jobs: JobController,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
        history: Callable[[], History],
    ) -> None:
        self.changed: Signal[[OpenDocument]] = Signal()
        self._jobs = jobs
        self._table = table
        self._place = place
        self._limits = limits
        self._history = history
        self._open: dict[int, _Open] = {}
        self._kept: OrderedDict[tuple[str, ...], Found] = OrderedDict()

    def check(self, document: OpenDocument, names: Sequence[str] = ()) -> None:
        """Survey a document for targets, without names for every architecture.

        What is known of the same text is not asked again. Raises NothingToRunError.
        """
        if not self._place.trusts(document):
            raise NothingToRunError("The folder is not trusted yet, so nothing of it is run.")
        try:
            targets = survey_targets(self._table, names)
            survey = survey_of(document.parsed, document.selection(), targets)
        except (SelectionError, TargetError) as error:
            raise NothingToRunError(str(error)) from error
        self.cancel(document)
        opened = self._open[id(document)] = _Open(document, document.revision, survey)
        opened.verified = self._verified(survey)
        for target in survey.works:
            self._begin(opened, target)
        self.changed.emit(document)

    def cancel(self, document: OpenDocument) -> None:
        """End what is under way; what is known by then stays."""
        opened = self._open.get(id(document))
        if opened is None or not opened.jobs:
            return
        jobs, opened.jobs = opened.jobs, {}
        for job in jobs.values():
            self._jobs.cancel(job)
        self.changed.emit(document)

    def forget(self, documents: Sequence[OpenDocument]) -> None:
        """Keep the surveys of these documents alone, as the others are closed."""
        kept = {id(document) for document in documents}
        for name in set(self._open) - kept:
            self.cancel(self._open[name].document)
            del self._open[name]

    def note_runs(self, document: OpenDocument) -> None:
        """Look for verifications anew: one has ended."""
        opened = self._open.get(id(document))
        if opened is not None:
            opened.verified = self._verified(opened.survey)
            self.changed.emit(document)

    def view(self, document: OpenDocument) -> PortabilityView:
        """What is known of a document."""
        opened = self._open.get(id(document))
        if opened is None:
            return PortabilityView()
        matrix = opened.survey.matrix(opened.found, opened.verified, opened.running)
        total = len(matrix.rows)
        done = total - matrix.pending
        stale = document.is_stale(opened.revision)
        return PortabilityView(matrix, opened.running, done, total, stale, opened.revision)

    def _begin(self, opened: _Open, target: SurveyTarget) -> None:
        name = target.work.name
        known = self._kept.get(opened.survey.key(target), Found())
        opened.found[name] = known
        if known.analysis is None:
            request = analyze_request(
                opened.survey.item(target), self._source(opened.survey), _LEVEL
            )
            self._submit(opened, target, request, with_analysis)
        elif not known.is_done(target, opened.survey.machine_code):
            self._make_code(opened, target)

    def _make_code(self, opened: _Open, target: SurveyTarget) -> None:
        survey = opened.survey
        request = compile_request(survey.item(target), self._source(survey), (), machine_code=True)
        self._submit(opened, target, request, with_code)

    def _source(self, survey: Survey) -> Source:
        return source_of(survey.document, self._place.workspace, True)

    def _submit(
        self,
        opened: _Open,
        target: SurveyTarget,
        request: AnalyzeRequest | CompileRequest,
        taking: Callable[[Found, Ended], Found],
    ) -> None:
        def on_end(ended: Ended) -> None:
            self._on_ended(opened, target, taking, ended)

        # The first word is an analysis': nobody waits for its code.
        label = f"Analyze {target.label} for portability"
        job = self._jobs.submit(
            request, on_end, label=label, lane=LANE, limits=self._limits(), quiet=True
        )
        opened.jobs[target.work.name] = job or ""

    def _on_ended(
        self,
        opened: _Open,
        target: SurveyTarget,
        taking: Callable[[Found, Ended], Found],
        ended: Ended,
    ) -> None:
        name, survey = target.work.name, opened.survey
        found = survey.offered(taking(opened.found.get(name, Found()), ended))
        opened.found[name] = found
        self._keep(survey.key(target), found)
        was_open = opened.jobs.pop(name, None) is not None
        # After a worker was lost there is none to ask further.
        wants_code = was_open and ended.outcome == "done"
        if wants_code and not found.is_done(target, survey.machine_code):
            self._make_code(opened, target)
        if self._open.get(id(opened.document)) is opened:
            self.changed.emit(opened.document)

    def _keep(self, key: tuple[str, ...], found: Found) -> None:
        if not is_lasting(found) or found.analysis is None:
            return
        self._kept[key] = found
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _verified(self, survey: Survey) -> tuple[Verification, ...]:
        """A history that cannot be read tells of no verification; others report it."""
        try:
            return verified_runs(self._history(), survey.identity)
        except HistoryError:
            return ()
