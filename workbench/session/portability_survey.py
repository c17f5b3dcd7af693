"""What a survey of a kernel over targets asks of a worker, and the matrix of what came back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic
from workbench.core.doctor.findings import listed
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.lint import Subject, lint
from workbench.core.documents.model import Document
from workbench.core.documents.selection import Selection
from workbench.core.history import History, RunFilter
from workbench.core.jobs import CompileResult, Failure
from workbench.core.plain import from_plain
from workbench.core.portability.asks import KernelAsks, asks_of
from workbench.core.portability.facts import (
    Identity,
    TargetFacts,
    Verification,
    concerning,
    verifications,
)
from workbench.core.portability.matrix import portability_matrix
from workbench.core.portability.model import PortabilityMatrix
from workbench.core.runs import RunKind
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor
from workbench.core.targets.table import TargetTable
from workbench.session.requests import Item
from workbench.wire.events import Ended

_MOST_NAMED = 2
_RUNS_READ = 60  # the newest verifications of a kernel that are looked through


@dataclass(frozen=True)
class SurveyTarget:
    """A row's target, and the architecture that is lowered for in its place.

    `label` is what the row is called, `detail` what stands beside it; `recorded_as` are the names
    under which runs on this architecture are in the history.
    """

    target: Target
    work: Target
    label: str
    detail: str
    recorded_as: tuple[str, ...]

    @property
    def has_compiler(self) -> bool:
        """Whether machine code is to be made: nvcc is the only compiler that is used here."""
        return self.work.arch.vendor is Vendor.NVIDIA


@dataclass(frozen=True)
class Found:
    """What a worker has told of one architecture; None is not told yet."""

    analysis: AnalyzeResult | None = None
    code: CompileResult | None = None

    def is_done(self, target: SurveyTarget, machine_code: bool) -> bool:
        """Whether nothing is left to ask."""
        if self.analysis is None:
            return False
        wants = machine_code and target.has_compiler and bool(self.analysis.kernels)
        return self.code is not None or not wants


@dataclass(frozen=True)
class Survey:
    """One kernel over some targets: what its source shows of them before anything is lowered."""

    document: Document
    selection: Selection
    targets: tuple[SurveyTarget, ...]
    asks: KernelAsks
    lint: tuple[Diagnostic, ...]
    machine_code: bool = True

    @property
    def works(self) -> tuple[SurveyTarget, ...]:
        """One target for each architecture that has to be lowered for."""
        return tuple({each.work.name: each for each in self.targets}.values())

    @property
    def identity(self) -> Identity:
        """What makes a run one of this kernel as it is."""
        kernel = self.selection.kernel.name
        return Identity(self.document.text, kernel, self.selection.args)

    def key(self, target: SurveyTarget) -> tuple[str, ...]:
        """What the answer of one architecture depends on."""
        args = json.dumps(self.selection.args, sort_keys=True, default=repr)
        path = str(self.document.path)
        return (path, self.document.text, self.selection.kernel.name, args, target.work.name)

    def item(self, target: SurveyTarget) -> Item:
        """The work of one architecture."""
        return Item(self.document, self.selection, target.work)

    def offered(self, found: Found) -> Found:
        """An answer whose findings have every fix that the text allows."""
        if found.analysis is None or not found.analysis.diagnostics:
            return found
        every = tuple(each.target for each in self.targets)
        subject = Subject(self.selection.kernel, self.selection.args, every)
        mended = with_fixes(found.analysis.diagnostics, self.document, [subject])
        return replace(found, analysis=replace(found.analysis, diagnostics=mended))

    def matrix(
        self,
        found: Mapping[str, Found],
        verified: Sequence[Verification] = (),
        is_running: bool = False,
    ) -> PortabilityMatrix:
        """The matrix as far as it is known; `found` is by the name of an architecture's target."""
        facts = [self._facts(each, found, verified, is_running) for each in self.targets]
        return portability_matrix(self.selection.kernel.name, self.selection.case.name, facts)

    def _facts(
        self,
        each: SurveyTarget,
        found: Mapping[str, Found],
        verified: Sequence[Verification],
        is_running: bool,
    ) -> TargetFacts:
        known = found.get(each.work.name, Found())
        own = each.recorded_as
        return TargetFacts(
            each.target,
            each.label,
            each.detail,
            self.asks,
            known.analysis,
            known.code,
            concerning(self.lint, each.target.name),
            tuple(v for v in verified if v.target in own),
            tuple(v for v in verified if v.target not in own),
            is_running and not known.is_done(each, self.machine_code),
        )


def survey_targets(table: TargetTable, names: Sequence[str] = ()) -> tuple[SurveyTarget, ...]:
    """The targets of these names, without any one for each architecture.

    Raises targets.table.TargetError.
    """
    if not names:
        return tuple(_of_architecture(table, arch.name) for arch in table.architectures)
    unique = dict.fromkeys(table.resolve(name).name for name in names)
    return tuple(_named(table, name) for name in unique)


def _of_architecture(table: TargetTable, name: str) -> SurveyTarget:
    target = table.resolve(name)
    models = [model.name for model in table.models if model.arch == target.arch.name]
    labels = list(dict.fromkeys(short_label(table.resolve(model)) for model in models))
    more = len(labels) - _MOST_NAMED
    named = labels if more <= 0 else [*labels[: _MOST_NAMED - 1], f"{more + 1} more"]
    label = listed(named) or target.title
    return SurveyTarget(target, target, label, target.name, (target.name, *models))


def _named(table: TargetTable, name: str) -> SurveyTarget:
    target = table.resolve(name)
    if target.model is None and target.lowering_arch == target.arch.name:
        return _of_architecture(table, name)
    own = target.arch.name
    work = own if target.lowering_arch == own else f"{own}:{target.lowering_arch}"
    return SurveyTarget(target, table.resolve(work), short_label(target), work, (target.name, work))


def survey_of(
    document: Document,
    selection: Selection,
    targets: Sequence[SurveyTarget],
    machine_code: bool = True,
) -> Survey:
    """A survey of a selection, with what its source shows."""
    every = tuple(each.target for each in targets)
    subject = Subject(selection.kernel, selection.args, every)
    asks = asks_of(document.text, selection.kernel, selection.args)
    found = lint(document, [subject])
    return Survey(document, selection, tuple(targets), asks, found, machine_code)


def verified_runs(history: History, identity: Identity) -> tuple[Verification, ...]:
    """The verifications of a kernel as it is, the newest first. Raises HistoryError."""
    wanted = RunFilter(kernel=identity.kernel, kind=RunKind.VERIFY)
    return verifications(history.list(wanted, limit=_RUNS_READ).runs, identity)


def with_analysis(found: Found, ended: Ended) -> Found:
    """What is known after an analysis has ended; one that was cancelled tells nothing."""
    if ended.outcome == "cancelled":
        return found
    if ended.outcome == "done":
        return replace(found, analysis=from_plain(AnalyzeResult, ended.result))
    return replace(found, analysis=AnalyzeResult(_failure(ended)))


def with_code(found: Found, ended: Ended) -> Found:
    """What is known after machine code was made, or not."""
    if ended.outcome == "cancelled":
        return found
    if ended.outcome == "done":
        return replace(found, code=from_plain(CompileResult, ended.result))
    return replace(found, code=CompileResult(_failure(ended)))


def is_lasting(found: Found) -> bool:
    """Whether an answer is the kernel's own: one of the moment is asked for again."""
    results = (found.analysis, found.code)
    failures = (result.failure for result in results if result is not None)
    return all(f is None or f.kind in ("kernel", "crash") for f in failures)


def _failure(ended: Ended) -> Failure:
    return ended.failure or Failure("environment", f"the job was {ended.outcome}")
