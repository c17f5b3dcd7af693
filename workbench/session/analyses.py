"""Sends the analyses of a document, and keeps the newest of each target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.documents.selection import SelectionError
from workbench.core.jobs import AnalyzeResult, Failure
from workbench.core.plain import from_plain
from workbench.core.targets.labels import short_label
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.recording import record_analysis
from workbench.session.requests import Item, analyze_request, source_of
from workbench.session.results import WORK, NothingToRunError, Place, Record
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits


@dataclass(frozen=True)
class Analyzed:
    """The analysis of one target, and the revision of the document that it is about."""

    revision: int
    result: AnalyzeResult


class AnalysisController:
    """Analyzes documents for their targets and records each analysis as a prediction.

    An analysis of an earlier revision never replaces a later one.
    """

    def __init__(
        self,
        jobs: JobController,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
        record: Record,
    ) -> None:
        self.changed: Signal[[OpenDocument]] = Signal()
        self._jobs = jobs
        self._table = table
        self._place = place
        self._limits = limits
        self._record = record
        self._known: dict[int, dict[str, Analyzed]] = {}

    def of(self, document: OpenDocument, target: str) -> Analyzed | None:
        """The newest analysis for a target; None where there is none yet."""
        return self._known.get(id(document), {}).get(target)

    def analyze(
        self, document: OpenDocument, level: int = 2, carveout_bytes: int | None = None
    ) -> None:
        """Analyze a document for each of its targets. Raises NothingToRunError."""
        for item in self._items(document):
            self._send(document, item, level, carveout_bytes)

    def forget(self, document: OpenDocument) -> None:
        """Drop what is known of a document that is closed."""
        self._known.pop(id(document), None)

    def _items(self, document: OpenDocument) -> list[Item]:
        if not self._place.trusts(document):
            raise NothingToRunError("The folder is not trusted yet, so nothing of it is run.")
        try:
            selection = document.selection()
            targets = [self._table.resolve(name) for name in document.targets]
        except (SelectionError, TargetError) as error:
            raise NothingToRunError(str(error)) from error
        return [Item(document.parsed, selection, target) for target in targets]

    def _send(
        self, document: OpenDocument, item: Item, level: int, carveout_bytes: int | None
    ) -> None:
        source = source_of(item.document, self._place.workspace, True)
        request = analyze_request(item, source, level, carveout_bytes)
        revision = document.revision

        def on_end(ended: Ended) -> None:
            self._on_ended(document, item, revision, ended)

        label = f"Analyze for {short_label(item.target)}"
        self._jobs.submit(request, on_end, label=label, lane=WORK, limits=self._limits())

    def _on_ended(self, document: OpenDocument, item: Item, revision: int, ended: Ended) -> None:
        if ended.outcome == "cancelled":
            return
        known = self._known.setdefault(id(document), {})
        before = known.get(item.target.name)
        if before is None or before.revision <= revision:
            known[item.target.name] = Analyzed(revision, _result(ended))
        self._record(*record_analysis(item, ended, self._place.workspace))
        self.changed.emit(document)


def _result(ended: Ended) -> AnalyzeResult:
    if ended.outcome == "done":
        return from_plain(AnalyzeResult, ended.result)
    failure = ended.failure or Failure("environment", f"the job was {ended.outcome}")
    return AnalyzeResult(failure)
