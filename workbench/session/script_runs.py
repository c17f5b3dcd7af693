"""Runs the script that a document is, finds its cases in that, and records the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.core.jobs import Failure, RunScriptRequest, RunScriptResult
from workbench.core.plain import from_plain
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument, ScriptRun
from workbench.session.recorded_cases import recorded_cases
from workbench.session.recording import record_script
from workbench.session.requests import source_of
from workbench.session.results import WORK, NothingToRunError, Place, Record
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

_GRACE_SECONDS = 120.0  # the script's process ends first and tells what it got done
_TEST_PREFIX, _TEST_SUFFIX = "test_", "_test.py"
_MOST_NAMED = 3


@dataclass(frozen=True)
class ScriptOffer:
    """What a document without a block is offered, or what became of that.

    `lead` is the strong part of the sentence. `can_run` and `can_write` say which of the two is
    offered; `is_running` that the person has to wait.
    """

    lead: str
    text: str
    can_run: bool = False
    can_write: bool = False
    is_running: bool = False


class ScriptController:
    """Runs documents as scripts in the simulator; `changed` tells of each begin and end."""

    def __init__(
        self,
        jobs: JobController,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
        record: Record,
    ) -> None:
        self.changed: Signal[[OpenDocument]] = Signal()
        self.finished: Signal[[OpenDocument]] = Signal()
        self._jobs = jobs
        self._table = table
        self._place = place
        self._limits = limits
        self._record = record

    def run(self, document: OpenDocument) -> None:
        """Run a document's script in the simulator. Raises NothingToRunError."""
        self._start(document, execute=True)

    def find_cases(self, document: OpenDocument) -> None:
        """Only note which kernels a script builds. Raises NothingToRunError."""
        self._start(document, execute=False)

    def _start(self, document: OpenDocument, execute: bool) -> None:
        if document.path is None:
            raise NothingToRunError("A script is run from its file: save it first.")
        if not self._place.trusts(document):
            raise NothingToRunError("The folder is not trusted yet, so nothing of it is run.")
        if document.script is not None and document.script.result is None:
            raise NothingToRunError("The script runs already.")
        request = self._request(document, execute)
        limits = self._limits()
        outer = replace(limits, seconds=limits.seconds + _GRACE_SECONDS)
        document.script = ScriptRun(document.revision, None)

        def on_end(ended: Ended) -> None:
            self._on_ended(document, request, ended)

        label = f"Run {document.title}" if execute else f"Find the cases of {document.title}"
        self._jobs.submit(request, on_end, label=label, lane=WORK, limits=outer)
        self.changed.emit(document)

    def _request(self, document: OpenDocument, execute: bool) -> RunScriptRequest:
        assert document.path is not None
        limits = self._limits()
        try:
            target = self._table.resolve(document.targets[0]).to_json()
        except TargetError as error:
            raise NothingToRunError(str(error)) from error
        return RunScriptRequest(
            source_of(document.parsed, self._place.workspace, True),
            target,
            cwd=str(document.path.absolute().parent),
            as_tests=is_test_file(document),
            execute=execute,
            seconds=limits.seconds,
            memory_bytes=limits.memory_bytes,
        )

    def _on_ended(self, document: OpenDocument, request: RunScriptRequest, ended: Ended) -> None:
        known, document.script = document.script, None
        if ended.outcome != "cancelled":
            is_fresh = known is None or not document.is_stale(known.revision)
            result = script_result(ended)
            document.take_recorded(recorded_cases(document.parsed, result))
            document.script = ScriptRun(document.revision if is_fresh else -1, result)
        if request.execute:
            self._record(*record_script(request, ended, self._place.workspace))
        self.changed.emit(document)
        self.finished.emit(document)


def script_result(ended: Ended) -> RunScriptResult:
    """What a job gave, or why it has nothing to give."""
    if ended.outcome == "done":
        return from_plain(RunScriptResult, ended.result)
    failure = ended.failure or Failure("environment", f"the job was {ended.outcome}")
    return RunScriptResult(failure, finished=False)


def is_test_file(document: OpenDocument) -> bool:
    """Whether a file is one of pytest's by its name."""
    name = document.path.name if document.path is not None else ""
    return name.startswith(_TEST_PREFIX) or name.endswith(_TEST_SUFFIX)


def script_offer(document: OpenDocument) -> ScriptOffer | None:
    """What to say about the script of a document; None where there is nothing to say."""
    if document.path is None or document.has_block or not document.parsed.kernels:
        return None
    if document.script is None:
        return _offer(document) if _does_something(document) else None
    result = document.script.result
    if result is None:
        return ScriptOffer("The script runs…", "Its kernels run in the simulator.", is_running=True)
    lead, text = _outcome(result), _cases_text(document)
    return ScriptOffer(lead, text, can_run=not document.recorded, can_write=bool(document.recorded))


def _does_something(document: OpenDocument) -> bool:
    """Whether running the file would run kernels: a main, code for it, or tests."""
    return document.parsed.has_main or "__main__" in document.text or is_test_file(document)


def _offer(document: OpenDocument) -> ScriptOffer:
    what = "tests run" if is_test_file(document) else "script runs"
    text = f"Its {what} without a GPU: the kernels it builds, with their arguments, become cases."
    return ScriptOffer("This file names no cases.", text, can_run=True)


def _outcome(result: RunScriptResult) -> str:
    launches = _count(result.launches, "launch", "launches")
    kernels = _count(len(result.kernels), "kernel", "kernels")
    if result.failure is not None:
        first = result.failure.message.strip().split("\n", 1)[0]
        what = "It failed" if result.finished else "It did not run to its end"
        return f"{what}: {first.rstrip('.')}."
    tests = (
        f"{sum(t.outcome == 'passed' for t in result.tests)} of {len(result.tests)} tests passed, "
    )
    return f"It ran to its end: {tests if result.tests else ''}{launches} of {kernels}."


def _cases_text(document: OpenDocument) -> str:
    cases = document.recorded
    if not cases:
        return "No kernel of this file was built with arguments that a case can hold."
    named = ", ".join(case.name for case in cases[:_MOST_NAMED])
    more = f" and {len(cases) - _MOST_NAMED} more" if len(cases) > _MOST_NAMED else ""
    found = "Its case can be chosen" if len(cases) == 1 else "Its cases can be chosen"
    return f"{found} above: {named}{more}. Nothing is written into the file unless you ask for it."


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
