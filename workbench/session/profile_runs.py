"""Reads a profile out of a run of the history, and brings it to an open document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from workbench.core.counters.metrics import COUNTERS
from workbench.core.history import History
from workbench.core.hosts import LOCAL
from workbench.core.plain import PlainError, from_plain
from workbench.core.profiles import CounterReport, DeviceInfo, ProfileResult
from workbench.core.runs import LOCAL_HOST, Run
from workbench.core.targets.table import TargetError
from workbench.session.analyzed import Analyzed, Made
from workbench.session.hosts.places import DEVICE, Place
from workbench.session.open_document import OpenDocument
from workbench.session.profiled import Profiled
from workbench.session.recording.profiles import ANALYSIS, PROFILE, profile_of

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.session.session import Session

_FULL_LEVEL = 2
Stored = TypeVar("Stored")


@dataclass(frozen=True)
class RunProfile:
    """What a run holds: its profile, what was predicted of it, and the text that was measured."""

    run: Run
    result: ProfileResult
    analysis: AnalyzeResult | None = None
    text: str | None = None

    @property
    def place(self) -> Place:
        """Where it was measured."""
        host = self.run.host
        return Place(LOCAL if host in (None, LOCAL_HOST) else str(host), DEVICE)


def has_profile(run: Run) -> bool:
    """Whether a run stores what the pane of profiles shows."""
    return any(artifact.name in (PROFILE, COUNTERS) for artifact in run.artifacts)


def read_run_profile(history: History, run: Run) -> RunProfile:
    """The profile of a run. Raises HistoryError, and PlainError where it has none."""
    result = _result(history, run)
    text = history.blob(run.text_blob).decode("utf-8", "replace") if run.text_blob else None
    return RunProfile(run, result, _analysis(history, run), text)


def stored_content(history: History, run: Run) -> tuple[ProfileResult | None, AnalyzeResult | None]:
    """The profile and the analysis of a run, None where it stores none.

    Raises HistoryError and PlainError.
    """
    profile = _result(history, run) if has_profile(run) else None
    return profile, _analysis(history, run)


def document_of(
    found: RunProfile, session: Session, front: OpenDocument | None = None
) -> OpenDocument | None:
    """The open document of the text that was measured, that in front first; None without any."""
    documents = session.documents if front is None else (front, *session.documents)
    return next((each for each in documents if each.text == found.text), None)


def open_document_of(found: RunProfile, session: Session) -> OpenDocument:
    """A new document with the text that was measured; one from elsewhere is not run unasked."""
    assert found.text is not None
    run = found.run
    stem = PurePosixPath(run.document or run.kernel or "kernel").name.removesuffix(".py")
    title = f"{stem} as of {run.created.astimezone():%H.%M.%S}.py"
    return session.open_text(found.text, title, foreign=run.origin is not None)


def bring(found: RunProfile, document: OpenDocument, session: Session) -> str:
    """Choose in a document what was measured of it, and take the profile for its newest.

    Returns the target that it stands for.
    """
    _choose(found.run, document)
    target = _target(found, document, session)
    made = Made(document.text, document.kernel or "", dict(document.arguments()))
    if found.analysis is not None:
        analyzed = Analyzed(document.revision, _FULL_LEVEL, found.analysis, made)
        document.analyses.take(target, analyzed)
    document.profiles.take(
        Profiled(
            document.revision,
            target,
            found.place,
            found.result,
            found.run.created,
            document.kernel or "",
            document.case or "",
            dict(found.run.args),
            run=found.run.id,
            origin=found.run.origin or "",
        )
    )
    if target not in document.targets:
        session.set_targets(document, (target, *document.targets))
    else:
        session.document_changed.emit(document)
    return target


def _choose(run: Run, document: OpenDocument) -> None:
    """The kernel, case and arguments of the run; what the document does not have stays as it is."""
    before = (document.kernel, document.case, dict(document.arguments()))
    if run.kernel is not None and document.readable.kernel(run.kernel) is not None:
        document.kernel = run.kernel
    document.overrides = {}
    if run.case in [case.name for case in document.cases]:
        document.case = run.case
    kernel, own = document.chosen_kernel, document.arguments()
    document.overrides = {
        name: value
        for name, value in run.args.items()
        if kernel is not None and kernel.parameter(name) is not None and own.get(name) != value
    }
    if (document.kernel, document.case, dict(document.arguments())) != before:
        document.revision += 1


def _target(found: RunProfile, document: OpenDocument, session: Session) -> str:
    try:
        return session.targets.resolve(found.run.target or "").name
    except TargetError:
        return document.targets[0]


def _result(history: History, run: Run) -> ProfileResult:
    contents = {a.name: a.blob for a in run.artifacts if a.name in (PROFILE, COUNTERS)}
    if PROFILE in contents:
        return profile_of(history.blob(contents[PROFILE]))
    if COUNTERS not in contents:
        raise PlainError("This run stores no profile.")
    report = _read(CounterReport, history.blob(contents[COUNTERS]), COUNTERS)
    kernel = next(iter(report.kernels), None)
    device = kernel.device if kernel is not None else None
    return ProfileResult(
        None,
        device=DeviceInfo(device, kernel.arch if kernel is not None else None) if device else None,
        counters=report,
        missing={"latency": "the report holds counters alone"},
    )


def _analysis(history: History, run: Run) -> AnalyzeResult | None:
    from workbench.core.analysis.result import AnalyzeResult

    blob = next((a.blob for a in run.artifacts if a.name == ANALYSIS), None)
    return _read(AnalyzeResult, history.blob(blob), ANALYSIS) if blob is not None else None


def _read(kind: type[Stored], content: bytes, name: str) -> Stored:
    try:
        return from_plain(kind, json.loads(content))
    except (ValueError, RecursionError) as error:
        raise PlainError(f"the stored {name} cannot be read: {error}") from error
