"""One open document: its text, what is chosen of it, and the newest results about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.documents.model import Case, Document, Kernel, Metadata
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import (
    Selection,
    cases_of,
    default_kernel,
    known_arguments,
    missing_arguments,
    select,
)
from workbench.core.jobs import CompileResult, PassesResult, RunScriptResult, VerifyResult
from workbench.session.analyzed import Analyses
from workbench.session.linking import LinkedCode
from workbench.session.problems import Problem
from workbench.session.profiled import Profiles

_UNREADABLE = ("python-error", "metadata-syntax")


@dataclass(frozen=True)
class Compiled:
    """What is known of one target, and the revision of the document that it is about."""

    revision: int
    result: CompileResult


@dataclass(frozen=True)
class Verified:
    """The newest verification, where it ran, and the revision that it is about."""

    revision: int
    result: VerifyResult
    blobs: tuple[bytes, ...]
    on: str


@dataclass(frozen=True)
class Traced:
    """The recorded compiler passes of one target, and the revision that they are about."""

    revision: int
    result: PassesResult
    blobs: tuple[bytes, ...]


@dataclass(frozen=True)
class ScriptRun:
    """The newest run of the document as a script, None while it runs, and its revision."""

    revision: int
    result: RunScriptResult | None


@dataclass
class OpenDocument:
    """The state of a document in the window.

    `parsed` is the text as it is; `readable` the last one whose kernels and cases could be read, so
    that a half-typed line changes no choice. `revision` rises whenever text, kernel, case or
    arguments change: a result of an earlier revision is stale. `good` holds the last results
    without a failure, which stay in view while an edit is broken. `linked` has the texts with lines
    that were made last, `linking` those that were asked for last. What a run of the script gave
    (`recorded`) counts as the block as long as the text has none. A `foreign` text came with a run
    of another machine and is nobody's typing here.
    """

    path: Path | None
    title: str
    text: str
    parsed: Document
    readable: Document
    revision: int = 0
    kernel: str | None = None
    case: str | None = None
    overrides: dict[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    compiled: dict[str, Compiled] = field(default_factory=dict)
    good: dict[str, Compiled] = field(default_factory=dict)
    analyses: Analyses = field(default_factory=Analyses)
    verified: Verified | None = None
    passes: dict[str, Traced] = field(default_factory=dict)
    linked: dict[str, LinkedCode] = field(default_factory=dict)
    linking: dict[str, LinkedCode] = field(default_factory=dict)
    script: ScriptRun | None = None
    profiles: Profiles = field(default_factory=Profiles)
    foreign: bool = False
    _given: Metadata | None = None

    @classmethod
    def of(cls, text: str, path: Path | None, title: str) -> OpenDocument:
        """A document just opened, its first kernel and case chosen."""
        parsed = parse_document(text, path)
        document = cls(path, title, text, parsed, parsed)
        document.choose_defaults()
        return document

    def set_text(self, text: str) -> None:
        """Take a new text; what was chosen stays where the document still has it."""
        if text == self.text:
            return
        self.text = text
        self.parsed = self._with_recorded(parse_document(text, self.path))
        self.revision += 1
        if not any(d.code in _UNREADABLE for d in self.parsed.errors):
            self.readable = self.parsed
            self.choose_defaults()

    @property
    def has_block(self) -> bool:
        """Whether the text has a block; the one that a script's run gave stands beside it."""
        return self.parsed.metadata is not None and self.parsed.metadata is not self._given

    @property
    def recorded(self) -> tuple[Case, ...]:
        """The cases that a run of the script gave."""
        return self._given.cases if self._given is not None else ()

    def take_recorded(self, cases: tuple[Case, ...]) -> None:
        """Work with the cases that a run of the script gave, if the text has no block."""
        if self.has_block or cases == self.recorded:
            return
        given = Metadata(cases=cases)
        self.parsed = replace(self.parsed, metadata=given)
        self.readable = replace(self.readable, metadata=given)
        self._given = given
        self.revision += 1
        self.choose_defaults()

    def _with_recorded(self, document: Document) -> Document:
        return (
            document if document.metadata is not None else replace(document, metadata=self._given)
        )

    def choose_defaults(self) -> None:
        """Replace a kernel or case that does not exist by the first one that does."""
        if self.readable.kernel(self.kernel or "") is None:
            self.kernel = default_kernel(self.readable)
        cases = [c.name for c in self.cases]
        if self.case not in cases:
            self.case = next(iter(cases), None)
            self.overrides = {}

    @property
    def chosen_kernel(self) -> Kernel | None:
        """The kernel that is worked on."""
        return self.readable.kernel(self.kernel) if self.kernel else None

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of the chosen kernel."""
        kernel = self.chosen_kernel
        return cases_of(self.readable, kernel) if kernel is not None else ()

    @property
    def chosen_case(self) -> Case | None:
        """The case that is worked on; None is the implicit one."""
        return next((c for c in self.cases if c.name == self.case), None)

    def selection(self) -> Selection:
        """What is to be compiled or run; raises SelectionError."""
        return self._selection_of(self.parsed)

    def drop_targets(self) -> None:
        """Forget the results of targets that are not chosen any more."""
        for name in set(self.compiled) - set(self.targets):
            self.compiled.pop(name)
            self.good.pop(name, None)
        self.analyses.keep_only(self.targets)

    def _selection_of(self, document: Document) -> Selection:
        (selection,) = select(document, self.kernel, self.case)
        unknown = [name for name in self.overrides if selection.kernel.parameter(name) is None]
        kept = {k: v for k, v in self.overrides.items() if k not in unknown}
        return Selection(
            selection.kernel, selection.case, {**selection.args, **kept}, selection.reference
        )

    def arguments(self) -> Mapping[str, Any]:
        """The arguments in force, for the form; those that nobody gave are not among them."""
        kernel = self.chosen_kernel
        if kernel is None:
            return dict(self.overrides)
        kept = {k: v for k, v in self.overrides.items() if kernel.parameter(k) is not None}
        return known_arguments(kernel, self.chosen_case or Case("default"), kept)

    def missing(self) -> tuple[str, ...]:
        """The arguments that have to be given before anything can run."""
        kernel = self.chosen_kernel
        return missing_arguments(kernel, self.arguments()) if kernel is not None else ()

    def take(self, target: str, compiled: Compiled) -> bool:
        """Keep a result unless a newer one is there; says whether it was kept."""
        known = self.compiled.get(target)
        if known is not None and known.revision > compiled.revision:
            return False
        self.compiled[target] = compiled
        if compiled.result.failure is None:
            self.good[target] = compiled
        return True

    def is_stale(self, revision: int) -> bool:
        """Whether a result of that revision is about an earlier text or other arguments."""
        return revision != self.revision

    def problems(self) -> list[Problem]:
        """Every problem known of the document, one for each source and target."""
        path = str(self.path) if self.path is not None else self.title
        found = [Problem(d, path) for d in self.parsed.diagnostics]
        # A text that Python cannot read says more than what was found in the one before.
        for target, compiled in self.compiled.items() if not self.is_unreadable else ():
            failure = compiled.result.failure
            raw = failure.raw if failure is not None else None
            stale = self.is_stale(compiled.revision)
            targets = (target,)
            found += [Problem(d, path, targets, raw, stale) for d in compiled.result.diagnostics]
        found += self._missing_problems(path) + self._verify_problems(path)
        return found + self._script_problems(path)

    def _script_problems(self, path: str) -> list[Problem]:
        """What a run of the script noticed, in this file or others."""
        result = self.script.result if self.script is not None else None
        if self.script is None or result is None or self.is_unreadable:
            return []
        raw = result.failure.raw if result.failure is not None else None
        stale = self.is_stale(self.script.revision)
        return [
            Problem(d, str(d.evidence.get("file") or path), (), raw, stale)
            for d in result.diagnostics
        ]

    def _missing_problems(self, path: str) -> list[Problem]:
        kernel, missing = self.chosen_kernel, self.missing()
        if kernel is None or not missing or self.is_unreadable:
            return []
        where = TextRange(kernel.line)
        text = needed_text(kernel.name, missing)
        return [Problem(Diagnostic("arguments-missing", Severity.INFO, text, where), path)]

    def _verify_problems(self, path: str) -> list[Problem]:
        if self.verified is None or self.is_unreadable:
            return []
        failure, stale = self.verified.result.failure, self.is_stale(self.verified.revision)
        raw = failure.raw if failure is not None else None
        known = {
            (d.code, d.range, d.message)
            for compiled in self.compiled.values()
            for d in compiled.result.diagnostics
        }
        fresh = [
            d for d in self.verified.result.diagnostics if (d.code, d.range, d.message) not in known
        ]
        return [Problem(d, path, (), raw, stale) for d in fresh]

    @property
    def why_untrusted(self) -> str:
        """Why nothing is run of a document that is not trusted, and what would change it."""
        if self.foreign and self.path is None:
            return (
                "This text came with a run of another machine, so nothing of it is run before you "
                "save it into a folder that you trust."
            )
        return "The folder is not trusted yet, so nothing of it is run."

    @property
    def is_unreadable(self) -> bool:
        """Whether Python cannot read the text, which then says more than older results."""
        return not self.parsed.kernels and any(True for _ in self.parsed.errors)


def needed_text(kernel: str, missing: Sequence[str]) -> str:
    """What has to be given before a kernel can run, in a sentence."""
    *first, last = missing
    names = f"{', '.join(first)} and {last}" if first else last
    values = "values" if first else "a value"
    return f"{kernel} needs {values} for {names}: type {'them' if first else 'it'} under Arguments."
