"""What can be chosen at a line with problems: its fixes, those of a kind, and what explains it."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from workbench.core.diagnostics import Severity
from workbench.session.code_unified import UnifiedLine, UnifiedText, unify
from workbench.session.fixes import OfferedFix, all_of_kind, fixes_at, preview
from workbench.session.problems import Problem
from workbench.session.text_differences import Change

#: Lines around a change that are shown with it.
CONTEXT_LINES = 1


class ChoiceKind(enum.Enum):
    """What a choice does."""

    FIX = "fix"
    FIX_ALL = "fix all"
    EXPLAIN = "explain"
    SHOW = "show"


@dataclass(frozen=True)
class FixChoice:
    """One choice about `problem`; `offered` is what it changes, None where it changes nothing.

    `note` says of a fix that it is safe, of another choice which key does the same.
    """

    kind: ChoiceKind
    title: str
    problem: Problem
    offered: OfferedFix | None = None
    note: str = ""

    @property
    def is_safe(self) -> bool:
        """Whether nobody has to look at the change before it is made."""
        return self.offered is not None and self.offered.fix.safe


@dataclass(frozen=True)
class PreviewLine:
    """A line of a change: its number on its side, from 1, and the columns that are other words.

    `is_after_gap`: lines that stay the same are left out before it.
    """

    text: str
    number: int
    change: Change
    words: tuple[tuple[int, int], ...] = ()
    is_after_gap: bool = False


def choices_at(problems: Sequence[Problem], line: int) -> tuple[FixChoice, ...]:
    """The choices for a line, from 1: fixes first, then those of a kind, then explanations."""
    here = problems_at(problems, line)
    fixes = _told_apart([_fix(offered) for offered in fixes_at(problems, line)])
    kinds = dict.fromkeys(choice.problem.diagnostic.code for choice in fixes)
    everywhere = [all_of_kind(problems, code) for code in kinds]
    wide = [
        FixChoice(ChoiceKind.FIX_ALL, offered.title, offered.problems[0], offered, _safety(offered))
        for offered in everywhere
        if offered is not None
    ]
    told = {problem.diagnostic.code: problem for problem in reversed(here)}
    explained = [
        FixChoice(ChoiceKind.EXPLAIN, f"Explain {code}", problem, note="F1")
        for code, problem in reversed(told.items())
    ]
    shown = [FixChoice(ChoiceKind.SHOW, "Show in Problems", here[0])] if here else []
    return (*fixes, *wide, *explained, *shown)


def problems_at(problems: Iterable[Problem], line: int) -> list[Problem]:
    """The problems of the present text at a line, from 1, the gravest first."""
    return problems_by_severity(p for p in problems if not p.stale and _touches(p, line))


def problems_by_severity(problems: Iterable[Problem]) -> list[Problem]:
    """Problems, the gravest first."""
    ranks = list(Severity)
    return sorted(problems, key=lambda p: ranks.index(p.diagnostic.severity))


def preview_lines(text: str, offered: OfferedFix) -> tuple[PreviewLine, ...]:
    """What a fix would change in a text, with the lines around it. Raises StaleFixError."""
    unified = unify(preview(text, offered).lines)
    changed = [at for at, line in enumerate(unified.lines) if line.change is not Change.EQUAL]
    near = {
        row
        for at in changed
        for row in range(at - CONTEXT_LINES, at + CONTEXT_LINES + 1)
        if 0 <= row < len(unified.lines)
    }
    rows = sorted(near)
    gaps = {row for before, row in pairwise(rows) if row > before + 1}
    return tuple(_preview_line(unified, row, row in gaps) for row in rows)


def _preview_line(unified: UnifiedText, row: int, is_after_gap: bool) -> PreviewLine:
    line: UnifiedLine = unified.lines[row]
    place = line.left if line.right is None else line.right
    words = unified.words(row) if line.change is not Change.EQUAL else ()
    return PreviewLine(line.text, (place or 0) + 1, line.change, words, is_after_gap)


def _fix(offered: OfferedFix) -> FixChoice:
    problem = offered.problems[0]
    return FixChoice(ChoiceKind.FIX, offered.title, problem, offered, _safety(offered))


def _told_apart(choices: list[FixChoice]) -> list[FixChoice]:
    """The choices, those of one title with the line that each changes."""
    counts = Counter(choice.title for choice in choices)
    return [
        replace(choice, title=f"Line {choice.offered.fix.edits[0].range.line}: {choice.title}")
        if counts[choice.title] > 1 and choice.offered is not None and choice.offered.fix.edits
        else choice
        for choice in choices
    ]


def _safety(offered: OfferedFix) -> str:
    return "safe" if offered.fix.safe else ""


def _touches(problem: Problem, line: int) -> bool:
    where = problem.diagnostic.range
    return where is not None and where.line <= line <= max(where.end_line or 0, where.line)
