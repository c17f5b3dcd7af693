"""Sends the analyses of a document and files what they return."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure
from workbench.core.plain import from_plain
from workbench.core.runs import Run
from workbench.core.targets.labels import short_label
from workbench.session.analyzed import Analyzed, Made
from workbench.session.jobs import JobController, JobInfo
from workbench.session.open_document import OpenDocument
from workbench.session.recording import record_analysis
from workbench.session.requests import Item, analyze_request, source_of
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult

_LABEL = "Analyze"
LIVE_LEVEL, FULL_LEVEL = 1, 2
OnAnalyzed = Callable[[OpenDocument, Ended, bool], None]


class Analyzer:
    """Analyzes documents for targets: at once from the IR alone, or in full when asked to.

    `on_analyzed` hears of each that ended, and whether it was asked for; those are recorded.
    """

    def __init__(
        self,
        jobs: JobController,
        workspace: Path,
        limits: Callable[[], Limits],
        record: Callable[[Run, list[bytes]], None],
        on_analyzed: OnAnalyzed,
    ) -> None:
        self._jobs = jobs
        self._workspace = workspace
        self._limits = limits
        self._record = record
        self._on_analyzed = on_analyzed

    def send(
        self, document: OpenDocument, item: Item, lane: str, asked: bool, full: bool = False
    ) -> str | None:
        """Queue an analysis of one item, in full and loudly where it is `asked` for.

        With `full` it is made of the machine code too, though nobody asked.
        """
        level = FULL_LEVEL if asked or full else LIVE_LEVEL
        request = analyze_request(item, source_of(item.document, self._workspace, True), level)
        revision = document.revision
        chosen = item.selection
        made = Made(item.document.text, chosen.kernel.name, chosen.args)

        def on_end(ended: Ended) -> None:
            if ended.outcome == "cancelled":
                return
            found = Analyzed(revision, level, _result(ended), made)
            if item.target.name in document.targets:
                document.analyses.take(item.target.name, found)
            if asked:
                self._record(*record_analysis(item, ended, self._workspace))
            self._on_analyzed(document, ended, asked)

        label = f"{_LABEL} {short_label(item.target)}"
        return self._jobs.submit(
            request, on_end, label=label, lane=lane, limits=self._limits(), quiet=not asked
        )


def is_analysis(job: JobInfo) -> bool:
    """Whether an open job is an analysis, which makes no code that anybody looks at."""
    return job.label.startswith(f"{_LABEL} ")


def _result(ended: Ended) -> AnalyzeResult:
    from workbench.core.analysis.result import AnalyzeResult  # a window starts without it

    if ended.outcome == "done":
        return from_plain(AnalyzeResult, ended.result)
    failure = ended.failure or Failure("environment", f"the job was {ended.outcome}")
    # A worker that was lost is told by the window itself.
    notice = (_notice(failure),) if ended.outcome == "failed" else ()
    return AnalyzeResult(failure, diagnostics=notice)


def _notice(failure: Failure) -> Diagnostic:
    """An analysis that ended early is no fault of the kernel, which may well compile."""
    message = f"The analysis ended early: {failure.message}"
    code = f"analysis-{failure.kind}"
    return Diagnostic(code, Severity.WARNING, message, TextRange(1), stage="analysis")
