"""What the problem list shows, as frozen rows made from problems, filter and chosen targets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.session.problems import Problem, counts
from workbench.ui.widgets.conclusion import split_conclusion
from workbench.ui.widgets.severity import SEVERITY_LOOKS, SeverityLook

#: The steps that can show a problem, by the names that diagnostics give, in order.
STAGES = {
    "lint": "Source",
    "lower": "Lowering",
    "resources": "Limits",
    "analysis": "Analysis",
    "simulate": "Simulation",
    "device": "Device",
}
_STEPS = {"compile": "resources", "verify": "simulate"}
_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@dataclass(frozen=True)
class ProblemFilter:
    """Which problems are wanted; a target or stage of None wants those of all."""

    severities: frozenset[Severity] = frozenset(Severity)
    target: str | None = None
    words: str = ""
    stage: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The form in which it is saved; what was searched for is not kept."""
        hidden = [severity.value for severity in Severity if severity not in self.severities]
        return {"hidden": hidden, "target": self.target, "stage": self.stage}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ProblemFilter:
        """Read a saved form; what is not understood there hides nothing."""
        hidden = data.get("hidden")
        names = hidden if isinstance(hidden, list) else []
        target, stage = data.get("target"), data.get("stage")
        shown = frozenset(severity for severity in Severity if severity.value not in names)
        return cls(
            shown,
            target if isinstance(target, str) else None,
            stage=stage if isinstance(stage, str) and stage in STAGES else None,
        )

    def with_severity(self, severity: Severity, shown: bool) -> ProblemFilter:
        """The filter that shows, or hides, one severity."""
        changed = self.severities | {severity} if shown else self.severities - {severity}
        return replace(self, severities=changed)

    def keeps(self, problem: Problem) -> bool:
        """Whether a problem is wanted; one that names no target concerns each."""
        if problem.diagnostic.severity not in self.severities:
            return False
        if self.target is not None and problem.targets and self.target not in problem.targets:
            return False
        if self.stage is not None and stage_of(problem.diagnostic) != self.stage:
            return False
        text = f"{problem.diagnostic.message} {problem.diagnostic.code} {problem.path}".casefold()
        return all(word in text for word in self.words.casefold().split())


@dataclass(frozen=True)
class ProblemRow:
    """One row; `marks` are places among the chosen targets, `place` the line, "" for none."""

    problem: Problem
    look: SeverityLook
    place: str
    clause: str
    rest: str
    marks: tuple[int, ...]
    tip: str

    @property
    def code(self) -> str:
        """The diagnostic's code."""
        return self.problem.diagnostic.code

    @property
    def stage(self) -> str:
        """The step that showed it, in a word."""
        return stage_text(self.problem.diagnostic)

    @property
    def fix(self) -> str | None:
        """The title of the first fix."""
        fixes = self.problem.diagnostic.fixes
        return fixes[0].title if fixes else None


def rows_of(
    problems: Sequence[Problem], wanted: ProblemFilter, targets: Sequence[str]
) -> tuple[ProblemRow, ...]:
    """The rows of the wanted problems, in their order.

    With problems of several files each place names its file.
    """
    several = len({problem.path for problem in problems}) > 1
    kept = [problem for problem in problems if wanted.keeps(problem)]
    return tuple(_row(problem, several, targets) for problem in kept)


def stage_of(diagnostic: Diagnostic) -> str:
    """The step that showed a problem, as a key of `STAGES` where it is one of them."""
    return _STEPS.get(diagnostic.stage, diagnostic.stage)


def stage_text(diagnostic: Diagnostic) -> str:
    """The step that showed a problem, in a word."""
    stage = stage_of(diagnostic)
    return STAGES.get(stage, stage.capitalize())


def short_summaries(problems: Sequence[Problem]) -> tuple[str, ...]:
    """The list in one sentence, the longest form first, for where there is less room."""
    if not problems:
        return (summary(problems),)
    found = counts(problems)
    parts = [_counted(found[severity], _NOUNS[severity]) for severity in Severity]
    total = _counted(len(problems), "problem")
    return summary(problems), ", ".join(part for part in parts if part) + ".", f"{total}."


def summary(problems: Sequence[Problem]) -> str:
    """The list in one sentence: "1 error, 2 warnings in gemm.py." """
    if not problems:
        return "No problems."
    found = counts(problems)
    parts = [_counted(found[severity], _NOUNS[severity]) for severity in Severity]
    files = {os.path.basename(problem.path) for problem in problems}
    where = f" in {files.pop()}" if len(files) == 1 else f" in {len(files)} files"
    return ", ".join(part for part in parts if part) + f"{where}."


def place_text(problem: Problem) -> str:
    """Where a problem is, in words: "gemm.py, line 58, column 9"."""
    name = os.path.basename(problem.path)
    where = problem.diagnostic.range
    return name if where is None else f"{name}, line {where.line}, column {where.column}"


def identity(problem: Problem) -> tuple[object, ...]:
    """What stays of a problem from one check to the next, so that the selection can."""
    return (problem.path, problem.diagnostic.code, problem.line, problem.diagnostic.message)


def _row(problem: Problem, several: bool, targets: Sequence[str]) -> ProblemRow:
    diagnostic = problem.diagnostic
    clause, rest = split_conclusion(" ".join(diagnostic.message.split()))
    marks = tuple(at for at, target in enumerate(targets) if target in problem.targets)
    return ProblemRow(
        problem=problem,
        look=SEVERITY_LOOKS[diagnostic.severity],
        place=_place(problem, several),
        clause=clause,
        rest=rest,
        marks=marks,
        tip=_tip(problem),
    )


def _place(problem: Problem, several: bool) -> str:
    line = "" if problem.line is None else str(problem.line)
    if not several:
        return line
    name = os.path.basename(problem.path)
    return f"{name}:{line}" if line else name


def _tip(problem: Problem) -> str:
    """Plain text with its own line ends: what is wrong, where, for whom, and why."""
    from workbench.session.explaining import explanation  # the rules, which a window starts without

    diagnostic = problem.diagnostic
    targets = f"for {', '.join(problem.targets)}" if problem.targets else ""
    age = "of an earlier text" if problem.stale else ""
    where = ", ".join(part for part in (place_text(problem), targets, age) if part)
    told = explanation(diagnostic)
    return "\n".join(p for p in (diagnostic.message, where, told.advice or told.reason) if p)


def _counted(count: int, noun: str) -> str:
    return "" if count == 0 else f"{count:,} {noun}" + ("" if count == 1 else "s")
