"""What a draft costs: at once from the source, exactly from a worker once choices rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.model import Document
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import Selection, SelectionError, select
from workbench.core.jobs import Failure, Resources
from workbench.core.patterns.generating import Generated
from workbench.core.plain import from_plain
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.jobs import JobController
from workbench.session.lenses.quick.followed import quick_kernel
from workbench.session.lenses.quick.forms import UntoldError
from workbench.session.lenses.quick.source import SourceLaunch, source_launch
from workbench.session.patterns.cells import Figures
from workbench.session.requests import Item, analyze_request, source_of
from workbench.session.timers import TimerFactory
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

LANE = "wizard"
_LEVEL = 1
_MOST_KEPT = 64


@dataclass(frozen=True)
class Subject:
    """A generated document, read, with the case of the sizes that were asked for."""

    generated: Generated
    document: Document
    selection: Selection

    @property
    def text(self) -> str:
        """The document's text."""
        return self.generated.text

    @property
    def targets(self) -> tuple[Target, ...]:
        """What it is generated for."""
        return self.generated.setting.targets


def subject_of(generated: Generated | None) -> Subject | None:
    """A generated document as workers and lenses take it; None where it cannot be built."""
    if generated is None:
        return None
    document = parse_document(generated.text)
    try:
        (selection,) = select(document, None, generated.real_case)
    except SelectionError:
        return None  # a sketch of illegal values
    return Subject(generated, document, selection)


@dataclass(frozen=True)
class _Made:
    """The analysis of a call's longest kernel, what it was made of, and what the others take."""

    text: str
    kernel: str
    arguments: Mapping[str, Any]
    analysis: KernelAnalysis
    rest_us: float | None


class Measurer:
    """Keeps the newest figures of each target; `on_change` hears of new ones."""

    def __init__(
        self,
        jobs: JobController,
        workspace: Path,
        limits: Callable[[], Limits],
        make_timer: TimerFactory,
        on_change: Callable[[], None],
    ) -> None:
        self._jobs, self._workspace, self._limits = jobs, workspace, limits
        self._timer = make_timer(self._send)
        self._on_change = on_change
        self._subject: Subject | None = None
        self._known: dict[tuple[str, str], AnalyzeResult] = {}
        self._registers: dict[tuple[str, str], Resources] = {}
        self._last: dict[str, _Made] = {}
        self._open: dict[tuple[str, str], str] = {}
        self._launches: dict[str, SourceLaunch | None] = {}

    @property
    def is_busy(self) -> bool:
        """Whether exact figures of what is shown are on their way."""
        return bool(self._open)

    @property
    def seconds(self) -> float | None:
        """How long what is shown took a worker, for the slowest target; None while it is asked."""
        subject = self._subject
        targets = subject.targets if subject is not None else ()
        text = subject.text if subject is not None else ""
        found = [self._known.get((text, target.name)) for target in targets]
        taken = [sum(each.seconds.values()) for each in found if each is not None]
        return max(taken) if taken and len(taken) == len(found) else None

    def show(self, subject: Subject | None, delay_ms: int) -> None:
        """Take another draft; its figures are asked for once it has rested that long."""
        if subject is not None and self._subject is not None and subject.text == self._subject.text:
            return
        if _pattern(subject) != _pattern(self._subject):
            self._last.clear()  # figures of another kind of kernel say nothing of this one
        self._subject = subject
        self._timer.restart(delay_ms)

    def note_registers(self, text: str, target: str, found: Resources) -> None:
        """Take what a compile of a text has counted."""
        self._registers[(text, target)] = found

    def stop(self) -> None:
        """Ask for nothing more."""
        self._timer.stop()
        for job in list(self._open.values()):
            self._jobs.withdraw(job)

    def figures(self) -> tuple[Figures, ...]:
        """What is known of the draft, for each target."""
        subject = self._subject
        if subject is None:
            return ()
        return tuple(self._figures(subject, target) for target in subject.targets)

    def _figures(self, subject: Subject, target: Target) -> Figures:
        key = (subject.text, target.name)
        registers = self._registers.get(key)
        found = self._known.get(key)
        if found is not None and found.kernels:
            kernel = _longest(found.kernels)
            rest = _rest_us(found.kernels, kernel)
            return Figures(target, kernel, registers, missing=found.missing, rest_us=rest)
        if found is not None and found.failure is not None:
            is_refused = found.failure.kind == "kernel"  # not, say, a worker that went away
            return Figures(target, why=_short(found.failure), is_refused=is_refused)
        last = self._last.get(target.name)
        if last is None:
            return Figures(target)
        quick = self._quick(last, subject, target)
        if quick is not None:
            earlier, rest = last.analysis, last.rest_us
            return Figures(target, quick, registers, is_quick=True, last=earlier, rest_us=rest)
        return Figures(target, last.analysis, is_stale=True, rest_us=last.rest_us)

    def _quick(self, last: _Made, subject: Subject, target: Target) -> KernelAnalysis | None:
        """What the source tells of a draft, with what lowering added to the last one."""
        chosen = subject.selection
        was = self._launch(last.text, last.kernel, last.arguments)
        now = self._launch(subject.text, chosen.kernel.name, chosen.args)
        if was is None or now is None or was.shared.keys() != now.shared.keys():
            return None  # what a further buffer shares its place with, lowering alone knows
        try:
            return quick_kernel(last.analysis, was, now, target.arch)[0]
        except UntoldError:
            return None

    def _launch(self, text: str, kernel: str, arguments: Mapping[str, Any]) -> SourceLaunch | None:
        """The launch of a text by its source, kept once read; None where it does not tell."""
        if text not in self._launches:
            while len(self._launches) >= _MOST_KEPT:
                del self._launches[next(iter(self._launches))]
            try:
                self._launches[text] = source_launch(text, kernel, arguments)
            except UntoldError:
                self._launches[text] = None
        return self._launches[text]

    def _send(self) -> None:
        """Withdraw what is not wanted any more, and ask for what is not known."""
        subject = self._subject
        wanted = set() if subject is None else {(subject.text, t.name) for t in subject.targets}
        for key in [key for key in self._open if key not in wanted]:
            self._jobs.withdraw(self._open[key])
        for target in subject.targets if subject is not None else ():
            assert subject is not None
            key = (subject.text, target.name)
            if key not in self._known and key not in self._open:
                self._submit(subject, target, key)
        self._on_change()

    def _submit(self, subject: Subject, target: Target, key: tuple[str, str]) -> None:
        item = Item(subject.document, subject.selection, target)
        request = analyze_request(item, source_of(subject.document, self._workspace, True), _LEVEL)
        made = (subject.text, subject.selection.kernel.name, dict(subject.selection.args))

        def on_end(ended: Ended) -> None:
            self._open.pop(key, None)
            if ended.outcome != "cancelled":
                # Where another kind of kernel is shown by now, this is no earlier state of it.
                is_last = _pattern(subject) == _pattern(self._subject)
                self._take(key, made if is_last else None, _result(ended))
            self._on_change()

        label = f"Analyze {short_label(target)} for the wizard"
        job = self._jobs.submit(
            request, on_end, label=label, lane=LANE, limits=self._limits(), quiet=True
        )
        if job is not None:
            self._open[key] = job

    def _take(
        self,
        key: tuple[str, str],
        made: tuple[str, str, Mapping[str, Any]] | None,
        result: AnalyzeResult,
    ) -> None:
        while len(self._known) >= _MOST_KEPT:
            del self._known[next(iter(self._known))]
        self._known[key] = result
        if result.kernels and made is not None:
            longest = _longest(result.kernels)
            self._last[key[1]] = _Made(*made, longest, _rest_us(result.kernels, longest))


def _pattern(subject: Subject | None) -> str | None:
    return subject.generated.pattern.id if subject is not None else None


def _longest(kernels: Sequence[KernelAnalysis]) -> KernelAnalysis:
    """Of the kernels of one call that which takes the longest, as far as that is known."""
    return max(kernels, key=lambda each: each.estimate.time_us if each.estimate else 0.0)


def _rest_us(kernels: Sequence[KernelAnalysis], longest: KernelAnalysis) -> float | None:
    """What the other kernels of the call take; None where that of one is not known."""
    others = [each.estimate for each in kernels if each is not longest]
    known = [each.time_us for each in others if each is not None]
    return sum(known) if len(known) == len(others) else None


def _result(ended: Ended) -> AnalyzeResult:
    if ended.outcome == "done":
        return from_plain(AnalyzeResult, ended.result)
    return AnalyzeResult(ended.failure or Failure("environment", f"the job was {ended.outcome}"))


def _short(failure: Failure) -> str:
    return failure.message.split("\n")[0]
