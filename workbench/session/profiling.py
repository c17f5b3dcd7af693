"""Measures documents on GPUs, here or on hosts, and files what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.documents.selection import Selection, SelectionError
from workbench.core.hosts import HostError
from workbench.core.jobs import Failure
from workbench.core.plain import from_plain
from workbench.core.profiles import Ceilings, ProfileResult
from workbench.core.runs import new_run_id
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.ceilings import CeilingStore, keep_quietly
from workbench.session.device_targets import host_title, own_target, target_for
from workbench.session.hosts.local_modules import CarryError, source_at
from workbench.session.hosts.places import Place
from workbench.session.hosts.pool import HostPool
from workbench.session.open_document import OpenDocument
from workbench.session.profiled import Profiled
from workbench.session.recording import record_profile
from workbench.session.requests import Item, profile_request, source_of
from workbench.session.results import NothingToRunError, Record
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

if TYPE_CHECKING:
    from workbench.session.jobs import JobController, JobInfo

# An executor of its own: a process that has touched a GPU keeps memory of it.
LANE = "device"


@dataclass(frozen=True)
class Options:
    """What is measured besides the time."""

    counters: bool = False
    full: bool = False
    lines: bool = False
    cache: str = "cold"


@dataclass
class _Open:
    """A measurement under way."""

    document: OpenDocument
    place: Place
    jobs: JobController
    group: str | None = None
    id: str = ""


class ProfilingController:
    """One measurement a document at a time, or one for each of its cases.

    `changed` tells of a document whose profiles, or whose progress, are others now.
    """

    def __init__(
        self,
        hosts: HostPool,
        table: TargetTable,
        workspace: Path,
        trusts: Callable[[OpenDocument], bool],
        limits: Callable[[], Limits],
        record: Record,
    ) -> None:
        self.changed: Signal[[OpenDocument]] = Signal()
        #: What was measured is filed now, and for which target it stands.
        self.finished: Signal[[OpenDocument, Profiled]] = Signal()
        self._hosts = hosts
        self._table = table
        self._workspace = workspace
        self._trusts = trusts
        self._limits = limits
        self._record = record
        self._open: list[_Open] = []
        self._ceilings = CeilingStore()

    def profile(self, document: OpenDocument, place: Place, options: Options | None = None) -> None:
        """Measure what is chosen of a document. Raises NothingToRunError."""
        self._submit(document, place, self._selection(document), options or Options(), None)

    def profile_cases(
        self, document: OpenDocument, place: Place, options: Options | None = None
    ) -> None:
        """Measure every case of the chosen kernel, one after the other.

        Raises NothingToRunError.
        """
        first = self._selection(document)
        cases = [case.name for case in document.cases] or [first.case.name]
        group = new_run_id(datetime.now(timezone.utc))
        for name in cases:
            (selection,) = self._named(document, name)
            self._submit(document, place, selection, options or Options(), group)

    def cancel(self, document: OpenDocument) -> None:
        """End what is under way for a document."""
        for each in [one for one in self._open if one.document is document]:
            each.jobs.cancel(each.id)

    def running(self, document: OpenDocument) -> JobInfo | None:
        """The job under way for a document; None where there is none."""
        for each in self._open:
            if each.document is document:
                return next((job for job in each.jobs.jobs if job.id == each.id), None)
        return None

    def running_place(self, document: OpenDocument) -> Place | None:
        """Where a document is being measured; None where it is not."""
        return next((each.place for each in self._open if each.document is document), None)

    def show_progress(self) -> None:
        """Jobs have moved: tell of the documents that are being measured."""
        for document in {id(each.document): each.document for each in self._open}.values():
            self.changed.emit(document)

    def _selection(self, document: OpenDocument) -> Selection:
        if not self._trusts(document):
            raise NothingToRunError(document.why_untrusted)
        try:
            return document.selection()
        except SelectionError as error:
            raise NothingToRunError(str(error)) from error

    def _named(self, document: OpenDocument, case: str) -> Sequence[Selection]:
        from workbench.core.documents.selection import select

        try:
            return select(document.parsed, document.kernel, case)
        except SelectionError as error:
            raise NothingToRunError(str(error)) from error

    def _submit(
        self,
        document: OpenDocument,
        place: Place,
        selection: Selection,
        options: Options,
        group: str | None,
    ) -> None:
        target = self._target(document, place)
        item = Item(document.parsed, selection, target)
        try:
            jobs = self._hosts.jobs(place.host)
            source = source_at(place.host, source_of(item.document, self._workspace, True))
        except (HostError, CarryError) as error:
            raise NothingToRunError(str(error)) from error
        request = profile_request(
            item,
            source,
            counters=options.counters,
            full=options.full,
            lines=options.lines,
            cache=options.cache,
            ceilings=self._known_ceilings(place),
        )
        opened = _Open(document, place, jobs, group)
        revision = document.revision

        def on_end(ended: Ended) -> None:
            self._on_ended(opened, item, revision, ended)

        self._open.append(opened)
        label = f"Profile {selection.kernel.name}{self._told_case(document, selection)}"
        opened.id = (
            jobs.submit(request, on_end, label=label, lane=LANE, limits=self._limits()) or ""
        )
        self.changed.emit(document)

    def _told_case(self, document: OpenDocument, selection: Selection) -> str:
        return f" · {selection.case.name}" if len(document.cases) > 1 else ""

    def _on_ended(self, opened: _Open, item: Item, revision: int, ended: Ended) -> None:
        self._open.remove(opened)
        document = opened.document
        if ended.outcome == "cancelled":
            self.changed.emit(document)
            return
        result = _result(ended)
        keep_quietly(self._ceilings, result.ceilings)
        run = self._keep(opened, item, revision, ended)
        found = Profiled(
            revision,
            own_target(item.target, result.device, self._table).name,
            opened.place,
            result,
            datetime.now(timezone.utc),
            item.selection.kernel.name,
            item.selection.case.name,
            dict(item.selection.args),
            ended.outcome == "lost",
            run,
        )
        document.profiles.take(found)
        self.finished.emit(document, found)
        self.changed.emit(document)

    def _known_ceilings(self, place: Place) -> Ceilings | None:
        """What a place's GPU was measured to reach before; None has it measured."""
        report = self._hosts.reports.get(place.host)
        devices = report.probe.devices if report is not None and report.probe is not None else ()
        return self._ceilings.of(devices[0]) if devices else None

    def _keep(self, opened: _Open, item: Item, revision: int, ended: Ended) -> str:
        """Write the run into the history, with what was predicted of the same text; its id."""
        known = opened.document.analyses.good.get(item.target.name)
        is_same = known is not None and known.revision == revision
        analysis = known.result if known is not None and is_same else None
        host = host_title(opened.place)
        run, blobs = record_profile(item, ended, self._workspace, host, analysis, opened.group)
        self._record(run, blobs)
        return run.id

    def _target(self, document: OpenDocument, place: Place) -> Target:
        try:
            return target_for(document.targets, place, self._hosts, self._table)
        except TargetError as error:
            raise NothingToRunError(str(error)) from error


def _result(ended: Ended) -> ProfileResult:
    if ended.outcome == "done":
        return from_plain(ProfileResult, ended.result)
    failure = ended.failure or Failure("environment", f"the job was {ended.outcome}")
    if ended.log_tail and failure.raw is None:
        failure = replace(failure, raw="\n".join(ended.log_tail))
    return ProfileResult(failure)
