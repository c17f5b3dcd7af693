"""Sends the jobs of a document - compile, analyze, verify - and files what they return."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.documents.selection import Selection, SelectionError
from workbench.core.history import History, HistoryBusyError, HistoryError
from workbench.core.hosts import LOCAL, HostError
from workbench.core.jobs import (
    CompileResult,
    Failure,
    PassesRequest,
    PassesResult,
    VerifyResult,
)
from workbench.core.plain import from_plain
from workbench.core.runs import Run
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.analyzing import FULL_LEVEL, Analyzer
from workbench.session.device_targets import host_title, target_for
from workbench.session.hosts import places
from workbench.session.hosts.local_modules import CarryError, source_at
from workbench.session.hosts.pool import HostPool
from workbench.session.linking import Linker
from workbench.session.open_document import Compiled, OpenDocument, Traced, Verified
from workbench.session.recording import record_compile, record_verify
from workbench.session.requests import (
    Item,
    choice_of,
    compile_request,
    source_of,
    verify_request,
)
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

LIVE, WORK = "live", "work"
SIMULATED = places.Place()
Record = Callable[[Run, list[bytes]], None]


class NothingToRunError(Exception):
    """A document cannot be compiled or run as it is; the message says why."""


@dataclass(frozen=True)
class Place:
    """Where documents run: the workspace, and whether the person trusts a document's folder."""

    workspace: Path
    trusts: Callable[[OpenDocument], bool]


class ResultsController:
    """Compiles, analyzes and verifies documents, drops stale replies, records runs."""

    def __init__(
        self,
        hosts: HostPool,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
        record: Record,
    ) -> None:
        self.changed: Signal[[OpenDocument]] = Signal()
        self.finished: Signal[[OpenDocument, str, Ended]] = Signal()
        jobs = self._jobs = hosts.jobs(LOCAL)
        self._hosts = hosts
        self._table = table
        self._place = place
        self._limits = limits
        self._record = record
        self._live_jobs: dict[int, list[str]] = {}
        self._analyzer = Analyzer(jobs, place.workspace, limits, record, self._on_analyzed)
        self._linker = Linker(jobs, place.workspace, limits, self.changed.emit)

    def refresh(self, document: OpenDocument) -> None:
        """Lower for every target of the document in the warm executor; quiet about what lacks."""
        for job in self._live_jobs.pop(id(document), []):
            self._jobs.withdraw(job)
        with contextlib.suppress(NothingToRunError, SelectionError, TargetError):
            sent = [self._send_compile(document, i, (), LIVE, False) for i in self._items(document)]
            self._live_jobs[id(document)] = [job for job in sent if job is not None]

    def compile(self, document: OpenDocument) -> None:
        """Compile to machine code for every target. Raises NothingToRunError."""
        for item in self._checked_items(document):
            self._send_compile(document, item, ("source",), WORK, True)

    def analyze(self, document: OpenDocument) -> None:
        """Analyze for every target, with machine code where it can be had.

        Raises NothingToRunError.
        """
        for item in self._checked_items(document):
            self._analyzer.send(document, item, WORK, asked=True)

    def predict(self, document: OpenDocument, target: str) -> None:
        """Analyze for one target from the machine code, unless that is known of the text.

        It is what a profile is held against, and asks nobody. Raises NothingToRunError.
        """
        known = document.analyses.good.get(target)
        if (
            known is not None
            and known.level == FULL_LEVEL
            and not document.is_stale(known.revision)
        ):
            return
        for item in self._checked_items(document):
            if item.target.name == target:
                self._analyzer.send(document, item, WORK, asked=False, full=True)

    def emit(self, document: OpenDocument, target: str, stages: Sequence[str]) -> None:
        """Have the texts of some stages for one target. Raises NothingToRunError."""
        for item in self._checked_items(document):
            if item.target.name == target:
                self._send_compile(document, item, tuple(stages), WORK, False)

    def link(self, document: OpenDocument, target: str) -> None:
        """Have the texts of one target made with the lines behind their rows.

        Raises NothingToRunError.
        """
        for item in self._checked_items(document):
            if item.target.name == target:
                self._linker.send(document, item)

    def verify(
        self,
        document: OpenDocument,
        place: places.Place = SIMULATED,
        seeds: int = 1,
        sample: int | None = None,
        checks: bool = True,
    ) -> None:
        """Run the document's kernel in a place and compare with its reference.

        Raises NothingToRunError.

        With `sample` only so many blocks are run; without `checks` outputs are compared and what
        the kernel does on the way is not looked at, which is up to 2.5 times as fast.
        """
        item = self._item_for(document, place)
        first = item.selection.case.seed
        try:
            jobs = self._hosts.jobs(place.host)
            source = source_at(place.host, source_of(item.document, self._place.workspace, True))
        except (HostError, CarryError) as error:
            raise NothingToRunError(str(error)) from error
        request = verify_request(
            item,
            source,
            place.engine,
            range(first, first + seeds),
            details=True,
            sample=sample,
            checks=checks,
            three_way=place.is_device,
        )
        revision = document.revision

        def on_end(ended: Ended) -> None:
            self._on_verify_ended(document, item, revision, place, ended)

        what = "" if sample is None else f"{sample} blocks of "
        label = f"Verify {what}{item.selection.kernel.name}"
        jobs.submit(request, on_end, label=label, lane=WORK, limits=self._limits())

    def record_passes(self, document: OpenDocument, target: str) -> None:
        """Lower for one target with every compiler pass recorded. Raises NothingToRunError."""
        item = next(i for i in self._checked_items(document) if i.target.name == target)
        source = source_of(item.document, self._place.workspace, True)
        request = PassesRequest(source, choice_of(item.selection), item.target.to_json())
        revision = document.revision

        def on_end(ended: Ended) -> None:
            done = ended.outcome == "done"
            result = (
                from_plain(PassesResult, ended.result) if done else PassesResult(_failure(ended))
            )
            document.passes[target] = Traced(revision, result, ended.blobs)
            self.changed.emit(document)

        label = f"Record passes for {short_label(item.target)}"
        self._jobs.submit(request, on_end, label=label, lane=WORK, limits=self._limits())

    def _item_for(self, document: OpenDocument, place: places.Place) -> Item:
        """What is to run in a place: on a GPU for the target of that GPU."""
        item = self._checked_items(document)[0]
        if not place.is_device:
            return item
        try:
            target = target_for(document.targets, place, self._hosts, self._table)
        except TargetError as error:
            raise NothingToRunError(str(error)) from error
        return replace(item, target=target)

    def _checked_items(self, document: OpenDocument) -> list[Item]:
        try:
            return self._items(document)
        except (SelectionError, TargetError) as error:
            raise NothingToRunError(str(error)) from error

    def _items(self, document: OpenDocument) -> list[Item]:
        if not self._place.trusts(document):
            raise NothingToRunError(document.why_untrusted)
        selection: Selection = document.selection()
        targets: list[Target] = [self._table.resolve(name) for name in document.targets]
        return [Item(document.parsed, selection, target) for target in targets]

    def _send_compile(
        self, document: OpenDocument, item: Item, emit: tuple[str, ...], lane: str, explicit: bool
    ) -> str | None:
        source = source_of(item.document, self._place.workspace, True)
        wanted = tuple(dict.fromkeys((*self._emitted(document, item), *emit)))
        request = compile_request(item, source, wanted, machine_code=explicit)
        revision = document.revision

        def on_end(ended: Ended) -> None:
            self._on_compile_ended(document, item, revision, explicit, ended)

        name = short_label(item.target)
        label = f"Compile {name}" if explicit else f"Lower {name}"
        return self._jobs.submit(
            request, on_end, label=label, lane=lane, limits=self._limits(), quiet=lane == LIVE
        )

    def _emitted(self, document: OpenDocument, item: Item) -> tuple[str, ...]:
        """The IR stages that are in view already and must not vanish at a refresh."""
        known = document.compiled.get(item.target.name)
        names = known.result.emitted if known is not None else {}
        return tuple(name for name in names if name not in ("ptx", "sass", "cubin"))

    def _on_compile_ended(
        self, document: OpenDocument, item: Item, revision: int, explicit: bool, ended: Ended
    ) -> None:
        if ended.outcome == "cancelled":
            return
        result = _compile_result(ended)
        known = document.compiled.get(item.target.name)
        if known is not None and known.revision == revision:
            result = _with_known(result, known.result)
        document.take(item.target.name, Compiled(revision, result))
        if result.failure is None and not document.is_stale(revision):
            self._analyze_live(document, item)
        if explicit:
            self._keep(*record_compile(item, ended, self._place.workspace))
        self.changed.emit(document)
        self.finished.emit(document, "compile" if explicit else "refresh", ended)

    def _analyze_live(self, document: OpenDocument, item: Item) -> None:
        """Analyze what was just lowered, in the executor that has it built, if it is not known."""
        if document.analyses.knows(item.target.name, document.revision):
            return
        job = self._analyzer.send(document, item, LIVE, asked=False)
        if job is not None:
            self._live_jobs.setdefault(id(document), []).append(job)

    def _on_analyzed(self, document: OpenDocument, ended: Ended, asked: bool) -> None:
        self.changed.emit(document)
        if asked:
            self.finished.emit(document, "analyze", ended)

    def _on_verify_ended(
        self,
        document: OpenDocument,
        item: Item,
        revision: int,
        place: places.Place,
        ended: Ended,
    ) -> None:
        if ended.outcome == "cancelled":
            return
        document.verified = Verified(revision, _verify_result(ended), ended.blobs, place.text)
        host = host_title(place)
        self._keep(*record_verify(item, ended, self._place.workspace, place.engine, host))
        self.changed.emit(document)
        self.finished.emit(document, "verify", ended)

    def _keep(self, run: Run, blobs: list[bytes]) -> None:
        self._record(run, blobs)


def recorder(
    history: Callable[[], History], on_error: Callable[[str], None], when_busy: Record | None = None
) -> Record:
    """Adds runs to a history; one that cannot be written costs the record, not the result.

    While another process writes, the run is given to `when_busy`.
    """

    def record(run: Run, blobs: list[bytes]) -> None:
        try:
            history().add(run, blobs)
        except HistoryBusyError as error:
            if when_busy is None:
                on_error(str(error))
            else:
                when_busy(run, blobs)
        except HistoryError as error:
            on_error(str(error))

    return record


def _compile_result(ended: Ended) -> CompileResult:
    if ended.outcome == "done":
        return from_plain(CompileResult, ended.result)
    return CompileResult(_failure(ended), diagnostics=_death_notice(ended))


def _verify_result(ended: Ended) -> VerifyResult:
    if ended.outcome == "done":
        return from_plain(VerifyResult, ended.result)
    return VerifyResult(_failure(ended), diagnostics=_death_notice(ended))


def _failure(ended: Ended) -> Failure:
    return ended.failure or Failure("environment", f"the job was {ended.outcome}")


def _death_notice(ended: Ended) -> tuple[Diagnostic, ...]:
    failure = _failure(ended)
    code = f"job-{failure.kind}"
    return (Diagnostic(code, Severity.ERROR, failure.message, TextRange(1), stage="lower"),)


def _with_known(result: CompileResult, known: CompileResult) -> CompileResult:
    """A result with what an earlier one of the same revision knew more."""
    emitted = {**known.emitted, **result.emitted}
    resources = result.resources
    if known.resources is not None and (resources is None or resources.registers is None):
        resources = known.resources
    missing = {**known.missing, **result.missing}
    missing = {name: why for name, why in missing.items() if name not in emitted}
    return replace(result, emitted=emitted, resources=resources, missing=missing)
