"""The fixes of a document's problems: which are offered where, what they change, and made safely.

A fix belongs to one text. `fixes_at` and `all_of_kind` remember for which revision of the document
a fix was made, `made` refuses one that is of another, and no function here returns a text of which
a part was edited by a fix that does not fit it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.lint import Subject
from workbench.core.doctor.text_edits import StaleFixError, apply_fix, overlap
from workbench.core.documents.model import Document
from workbench.core.targets.model import Target
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.text_differences import Difference, compare

__all__ = [
    "OfferedFix", "StaleFixError", "TextDifference", "all_of_kind", "apply_fix", "fixes_at",
    "made", "preview", "with_offers",
]  # fmt: skip

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class OfferedFix:
    """A fix that a person may choose, and the problems that it is for; a lens offers for none.

    `place` counts the alternatives of one problem from 0, the best first. `revision` is that of the
    document for which it was made.
    """

    fix: Fix
    problems: tuple[Problem, ...]
    place: int = 0
    revision: int | None = None

    @property
    def title(self) -> str:
        """What it does, in a line."""
        return self.fix.title

    @property
    def diagnostic(self) -> Diagnostic:
        """The (first) diagnostic that it is for."""
        return self.problems[0].diagnostic

    @property
    def code(self) -> str:
        """The code of what it mends."""
        return self.diagnostic.code

    @property
    def is_preferred(self) -> bool:
        """Whether it is the best of its problem's alternatives."""
        return self.place == 0


@dataclass(frozen=True)
class TextDifference:
    """What a fix makes of a text."""

    title: str
    before: str
    after: str

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return self.before == self.after

    @cached_property
    def lines(self) -> Difference:
        """The change in lines, for a view that shows both sides or paints single words."""
        return compare(self.before.splitlines(), self.after.splitlines())

    @cached_property
    def unified(self) -> str:
        """The change as a unified difference with two lines around it, without a header."""
        sides = self.before.splitlines(), self.after.splitlines()
        found = [*difflib.unified_diff(*sides, n=2, lineterm="")]
        return "\n".join(found[2:])


def with_offers(
    problems: Iterable[Problem], document: OpenDocument, targets: Sequence[Target]
) -> tuple[Problem, ...]:
    """The problems with every fix that the present text allows, and the revision that it has.

    What later stages found gets its fixes here, from what they found and the text; problems of an
    earlier text keep none.
    """
    found = tuple(problems)
    kernel = document.chosen_kernel
    known = kernel is not None and document.readable is document.parsed
    subjects = (
        [Subject(kernel, document.arguments(), tuple(targets))]
        if kernel is not None and known
        else []
    )
    own = [p for p in found if not p.stale and _is_of(document, p)]
    names = [document.parsed.text, repr(dict(document.arguments())), *document.targets]
    diagnostics = tuple(p.diagnostic for p in own)
    question = _Question((*names, repr(diagnostics)), document.parsed, tuple(subjects), diagnostics)
    fixed = iter(_answer(question))
    fresh = {id(p) for p in own}
    return tuple(
        replace(p, diagnostic=next(fixed), revision=document.revision)
        if id(p) in fresh
        else replace(p, diagnostic=replace(p.diagnostic, fixes=()))
        for p in found
    )


@dataclass(frozen=True)
class _Question:
    """What fixes are asked for; `key` is all of it that can make a difference."""

    key: tuple[str, ...]
    document: Document = field(compare=False, repr=False)
    subjects: tuple[Subject, ...] = field(compare=False, repr=False)
    diagnostics: tuple[Diagnostic, ...] = field(compare=False, repr=False)


@lru_cache(maxsize=4)
def _answer(question: _Question) -> tuple[Diagnostic, ...]:
    """Views ask again whenever anything of a document changes: mostly it is not its text."""
    return with_fixes(question.diagnostics, question.document, question.subjects)


def _is_of(document: OpenDocument, problem: Problem) -> bool:
    """Whether a problem is one of the document's own file."""
    own = str(document.path) if document.path is not None else document.title
    return problem.path == own


def fixes_at(problems: Iterable[Problem], line: int) -> tuple[OfferedFix, ...]:
    """What can be done at a line, from 1: of grave problems first, each one's best fix first.

    A problem of several lines is met on each of them; one of an earlier text offers nothing.
    """
    here = [p for p in problems if not p.stale and _touches(p, line)]
    here.sort(key=lambda p: _RANK[p.diagnostic.severity])
    found: dict[tuple[str, tuple[Edit, ...]], OfferedFix] = {}
    for problem in here:
        for offered in _offered(problem):
            key = offered.code, offered.fix.edits
            found.setdefault(key, offered)
    return tuple(found.values())


def all_of_kind(problems: Iterable[Problem], code: str) -> OfferedFix | None:
    """One fix that mends every problem of a code in the document, as far as they fit together.

    Each problem's best fix is taken; of two that change the same place in different ways the first
    is, and the other is left for the next time. None where fewer than two can be mended at once.
    """
    wanted = [p for p in problems if p.diagnostic.code == code and not p.stale]
    first = [offered for problem in wanted for offered in list(_offered(problem))[:1]]
    kept: list[OfferedFix] = []
    edits: list[Edit] = []
    for offered in sorted(first, key=lambda o: o.problems[0].line or 0):
        new = [edit for edit in offered.fix.edits if edit not in edits]
        if offered.revision == first[0].revision and not overlap([*edits, *new]):
            kept.append(offered)
            edits += new
    if len(kept) < 2:
        return None
    safe = all(offered.fix.safe for offered in kept)
    fix = Fix(f"Fix all {len(kept)} of {code}", tuple(edits), safe)
    return OfferedFix(fix, tuple(o.problems[0] for o in kept), revision=kept[0].revision)


def preview(text: str, fix: Fix | OfferedFix) -> TextDifference:
    """What a fix would make of a text. Raises StaleFixError where it does not fit."""
    plain = fix.fix if isinstance(fix, OfferedFix) else fix
    return TextDifference(plain.title, text, apply_fix(text, plain))


def made(document: OpenDocument, text: str, offered: OfferedFix) -> str:
    """The text of the editor with an offered fix made, to be put there as one step of undo.

    Raises StaleFixError where the document has changed since the fix was offered, also in the
    editor alone, so that nothing is ever written at a place that has moved.
    """
    if offered.revision not in (None, document.revision) or text != document.text:
        raise StaleFixError(f"The text has changed since: {offered.title} was not made.")
    return apply_fix(text, offered.fix)


def _offered(problem: Problem) -> Iterator[OfferedFix]:
    for place, fix in enumerate(problem.diagnostic.fixes):
        yield OfferedFix(fix, (problem,), place, problem.revision)


def _touches(problem: Problem, line: int) -> bool:
    where = problem.diagnostic.range
    return where is not None and where.line <= line <= max(where.end_line or 0, where.line)


def codes_with_fixes(problems: Sequence[Problem]) -> dict[str, int]:
    """How many problems of each code have a fix."""
    counts: dict[str, int] = {}
    for problem in problems:
        if problem.diagnostic.fixes and not problem.stale:
            counts[problem.diagnostic.code] = counts.get(problem.diagnostic.code, 0) + 1
    return counts
