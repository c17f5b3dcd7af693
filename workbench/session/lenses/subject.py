"""What every lens looks at: the kernel in front and what is known of it for each chosen target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import CompileResult, Resources
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.analyzed import Made
from workbench.session.analyzing import is_analysis
from workbench.session.lenses.measured import Measured
from workbench.session.linking import LinkedCode
from workbench.session.open_document import OpenDocument
from workbench.session.session import Session


@dataclass(frozen=True)
class LensTarget:
    """One chosen target. `mark` is its place among them, from 0: its colour and shape everywhere.

    `level` is that of the analysis, 1 from the lowered IR and 2 with machine code; `stale` says
    that it is of an earlier text, `running` that a newer one is being computed. `problems` are what
    was found of the text as it is, also where nothing could be computed of it. `linked` are the
    texts with the lines behind their rows, `linking` says that newer ones are being made.

    `made` is what the analysis was made of, `failed` says that lowering refused the text as it is.
    `quick` tells where figures of changed arguments come from while lowering has not followed.
    `launch` is the one wanted of several, from 0. `measured` is a profile of the text as it is.
    """

    target: Target
    mark: int
    analysis: AnalyzeResult | None = None
    compiled: CompileResult | None = None
    level: int = 0
    stale: bool = False
    running: bool = False
    problems: tuple[Diagnostic, ...] = ()
    linked: LinkedCode | None = None
    linking: bool = False
    made: Made | None = None
    failed: bool = False
    quick: str = ""
    launch: int = 0
    measured: Measured | None = None

    @property
    def label(self) -> str:
        """The short name that people know."""
        return short_label(self.target)

    @property
    def kernel(self) -> KernelAnalysis | None:
        """The kernel that is shown; None where nothing is computed."""
        kernels = self.analysis.kernels if self.analysis is not None else ()
        return kernels[self.shown_launch] if kernels else None

    @property
    def shown_launch(self) -> int:
        """The number of the launch shown, from 0; the first where there are fewer than wanted."""
        kernels = self.analysis.kernels if self.analysis is not None else ()
        return self.launch if self.launch < len(kernels) else 0

    @property
    def resources(self) -> Resources | None:
        """Registers and shared memory of the compiled code, or of the analysis.

        Lowering alone tells no registers: then those of a machine code that is known are told.
        """
        results = [each for each in (self.compiled, self.analysis) if each is not None]
        found = [each.resources for each in results if each.resources is not None]
        counted = (each for each in found if each.registers is not None)
        return next(counted, found[0] if found else None)

    def why_missing(self, part: str) -> str:
        """Why a part of the analysis is unknown, in words."""
        if self.analysis is None:
            return "nothing was computed yet"
        if self.analysis.failure is not None:
            return self.analysis.failure.message
        return self.analysis.missing.get(part, "it was not computed")


@dataclass(frozen=True)
class LensSubject:
    """The document in front, as the lenses see it.

    `path` names the document for what a lens remembers of it. `before` are the targets as they
    were before the arguments were changed from the case's, for a lens to draw as a ghost.
    """

    path: str
    title: str
    text: str
    kernel: str | None
    case: str | None
    arguments: Mapping[str, Any]
    targets: tuple[LensTarget, ...]
    trusted: bool = True
    revision: int = 0
    before: tuple[LensTarget, ...] = field(default=())

    def target(self, name: str | None) -> LensTarget | None:
        """The chosen target of that name, else the first."""
        named = (each for each in self.targets if each.target.name == name)
        return next(named, self.targets[0] if self.targets else None)

    def earlier(self, target: LensTarget) -> LensTarget | None:
        """A target as it was with the case's own arguments; None where it is still so."""
        known = (each for each in self.before if each.target.name == target.target.name)
        was = next(known, None)
        if was is None or was.kernel is None or was.analysis is target.analysis:
            return None
        return was


def lens_subject(
    document: OpenDocument,
    session: Session,
    before: tuple[LensTarget, ...] = (),
    launch: int = 0,
) -> LensSubject:
    """A document of the session as the lenses see it, with the launch of that number."""
    running = [job.label for job in session.jobs.jobs if is_analysis(job)]
    return LensSubject(
        str(document.path) if document.path is not None else document.title,
        document.title,
        document.text,
        document.kernel,
        document.case,
        document.arguments(),
        tuple(
            replace(
                _lens_target(document, session.targets.resolve(name), mark, running),
                launch=launch,
            )
            for mark, name in enumerate(document.targets)
        ),
        session.trusts(document),
        document.revision,
        tuple(replace(each, launch=launch) for each in before),
    )


def _lens_target(
    document: OpenDocument, target: Target, mark: int, running: list[str]
) -> LensTarget:
    known = document.analyses.good.get(target.name) or document.analyses.newest.get(target.name)
    compiled = document.good.get(target.name)
    return LensTarget(
        target,
        mark,
        known.result if known is not None else None,
        compiled.result if compiled is not None else None,
        known.level if known is not None else 0,
        known is not None and document.is_stale(known.revision),
        any(label.endswith(f" {short_label(target)}") for label in running),
        _problems(document, target),
        document.linked.get(target.name),
        _is_linking(document, target),
        known.made if known is not None else None,
        _has_failed(document, target),
        measured=measured_of(document, target),
    )


def measured_of(document: OpenDocument, target: Target) -> Measured | None:
    """The newest profile of the text as it is; None where there is none, or of an earlier text."""
    found = document.profiles.newest.get(target.name)
    if found is None or document.is_stale(found.revision):
        return None
    return Measured(found.result, target.arch)


def _is_linking(document: OpenDocument, target: Target) -> bool:
    asked = document.linking.get(target.name)
    return asked is not None and asked.result is None


def _has_failed(document: OpenDocument, target: Target) -> bool:
    newest = (document.compiled.get(target.name), document.analyses.newest.get(target.name))
    fresh = [each for each in newest if each is not None and not document.is_stale(each.revision)]
    return any(each.result.failure is not None for each in fresh)


def _problems(document: OpenDocument, target: Target) -> tuple[Diagnostic, ...]:
    newest = (document.compiled.get(target.name), document.analyses.newest.get(target.name))
    fresh = [each for each in newest if each is not None and not document.is_stale(each.revision)]
    return tuple(found for each in fresh for found in each.result.diagnostics)
