"""What a page has to do with the kernel in front, as rows that lead to lines."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.symptoms_model import Applied, CauseState, Verdict
from workbench.core.reference.model import PageKind
from workbench.session.problems import Problem


class Standing(enum.Enum):
    """Whether something is there in the kernel, is not, or was not looked at."""

    THERE = "there"
    NOT_THERE = "not there"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class FindingRow:
    """One thing about the kernel: `slug` its page, `line` where it is, `text` what was found.

    `fix` numbers the fix of the line in `Findings.fixes`; None where there is none.
    """

    standing: Standing
    title: str
    slug: str
    text: str = ""
    line: int | None = None
    fix: int | None = None


@dataclass(frozen=True)
class OfferedHere:
    """A fix that a row offers, and the problem that it mends."""

    problem: Problem
    fix: Fix


@dataclass(frozen=True)
class Findings:
    """The sentence above, the rows, and the fixes that rows offer."""

    sentence: str
    rows: tuple[FindingRow, ...]
    fixes: tuple[OfferedHere, ...] = ()


_STANDINGS = {
    Verdict.APPLIES: Standing.THERE,
    Verdict.RULED_OUT: Standing.NOT_THERE,
    Verdict.NOT_CHECKED: Standing.UNKNOWN,
}


def findings_of_symptom(applied: Applied, problems: Sequence[Problem]) -> Findings:
    """A symptom for the kernel: what was seen, then each cause."""
    made = _Rows(problems)
    for state in applied.causes:
        made.add_cause(state)
    count = len(applied.applying)
    causes = {0: "none of its causes was found", 1: "1 of its causes is there"}
    told = causes.get(count, f"{count} of its causes are there")
    seen = applied.seen.rstrip(".") or "In this kernel"
    return made.findings(f"{seen}: {told}.")


def findings_of_code(code: str, problems: Sequence[Problem]) -> Findings | None:
    """The problems of a code in the kernel; None where there is none."""
    made = _Rows(problems)
    for problem in problems:
        if problem.diagnostic.code == code and not problem.stale:
            made.add_problem(problem)
    count = len(made.rows)
    if not count:
        return None
    return made.findings(f"This kernel has it at {count} place{'' if count == 1 else 's'}.")


class _Rows:
    """Collects rows, and the fixes that they offer."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.rows: list[FindingRow] = []
        self._problems = problems
        self._fixes: list[OfferedHere] = []

    def findings(self, sentence: str) -> Findings:
        """Everything that was added."""
        return Findings(sentence, tuple(self.rows), tuple(self._fixes))

    def add_problem(self, problem: Problem) -> None:
        """A problem, at its line."""
        diagnostic = problem.diagnostic
        fix = self._fix(diagnostic)
        self.rows.append(FindingRow(Standing.THERE, diagnostic.message, "", "", problem.line, fix))

    def add_cause(self, state: CauseState) -> None:
        """A cause of a symptom: once for each place where it is, else once."""
        cause = state.cause
        kind = PageKind.SIGNATURE if cause.is_signature else PageKind.RULE
        slug, standing = f"{kind.value}/{cause.code}", _STANDINGS[state.verdict]
        for diagnostic in state.diagnostics:
            line = diagnostic.range.line if diagnostic.range is not None else None
            fix = self._fix(diagnostic)
            self.rows.append(FindingRow(standing, cause.title, slug, diagnostic.message, line, fix))
        for signature in state.signatures:
            self.rows.append(FindingRow(standing, cause.title, slug, signature.sentence))
        if not state.diagnostics and not state.signatures:
            self.rows.append(FindingRow(standing, cause.title, slug, state.reason or ""))

    def _fix(self, diagnostic: Diagnostic) -> int | None:
        """The number of the first fix of a finding; None where it has none, or is no problem."""
        problem = next((p for p in self._problems if p.diagnostic == diagnostic), None)
        if problem is None or not diagnostic.fixes:
            return None
        self._fixes.append(OfferedHere(problem, diagnostic.fixes[0]))
        return len(self._fixes) - 1
