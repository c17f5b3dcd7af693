"""What every lens looks at: the kernel in front and what is known of it for each chosen target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import CompileResult, Resources
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.analyzing import is_analysis
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

    @property
    def label(self) -> str:
        """The short name that people know."""
        return short_label(self.target)

    @property
    def kernel(self) -> KernelAnalysis | None:
        """The first kernel that the document launches; None where nothing is computed."""
        kernels = self.analysis.kernels if self.analysis is not None else ()
        return next(iter(kernels), None)

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


def lens_subject(
    document: OpenDocument, session: Session, before: tuple[LensTarget, ...] = ()
) -> LensSubject:
    """A document of the session as the lenses see it."""
    running = [job.label for job in session.jobs.jobs if is_analysis(job)]
    return LensSubject(
        str(document.path) if document.path is not None else document.title,
        document.title,
        document.text,
        document.kernel,
        document.case,
        document.arguments(),
        tuple(
            _lens_target(document, session.targets.resolve(name), mark, running)
            for mark, name in enumerate(document.targets)
        ),
        session.trusts(document),
        document.revision,
        before,
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
    )


def _is_linking(document: OpenDocument, target: Target) -> bool:
    asked = document.linking.get(target.name)
    return asked is not None and asked.result is None


def _problems(document: OpenDocument, target: Target) -> tuple[Diagnostic, ...]:
    newest = (document.compiled.get(target.name), document.analyses.newest.get(target.name))
    fresh = [each for each in newest if each is not None and not document.is_stale(each.revision)]
    return tuple(found for each in fresh for found in each.result.diagnostics)
