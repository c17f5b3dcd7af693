"""What the problem list shows: diagnostics of all sources, merged over targets and ordered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.core.diagnostics import Diagnostic, Severity

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class Problem:
    """One row of the problem list.

    `targets` are the selected targets that it concerns, none where it concerns all alike; `raw` is
    the untouched text of the tool that said so; `stale` says that the document has changed since.
    `revision` is the document's for which its fixes were made, None where they were not.
    """

    diagnostic: Diagnostic
    path: str
    targets: tuple[str, ...] = ()
    raw: str | None = None
    stale: bool = False
    revision: int | None = None

    @property
    def line(self) -> int | None:
        """The line in the document, from 1; None where the diagnostic names none."""
        where = self.diagnostic.range
        return where.line if where is not None else None


def merge_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """One problem for each thing said at a place, with the targets for which it was said.

    Targets and stages may word one thing differently: the earliest stage's words are kept, as
    `merge_stages` keeps them for the command line. What one stage says twice of a line for one
    target are two things. Ordered by severity, then line: what stops the kernel comes first.
    """
    same: dict[tuple[object, ...], Problem] = {}
    for problem in sorted(problems, key=_first_told):
        key = _identity(problem)
        known = same.get(key)
        same[key] = problem if known is None else _joined(known, problem)
    merged: dict[tuple[object, ...], list[Problem]] = {}
    for problem in same.values():
        _add(merged.setdefault(_place(problem), []), problem)
    return tuple(sorted((p for rows in merged.values() for p in rows), key=_order))


def _first_told(problem: Problem) -> tuple[bool, int]:
    from workbench.core.doctor.merging import stage_of  # a window starts without the rules

    return problem.stale, stage_of(problem.diagnostic)


def _place(problem: Problem) -> tuple[object, ...]:
    """What two wordings of one thing have in common; one without a line is told by its message."""
    diagnostic = problem.diagnostic
    said = problem.line if problem.line is not None else diagnostic.message
    return problem.path, diagnostic.code, said, problem.stale


def _add(rows: list[Problem], problem: Problem) -> None:
    """Join a problem to the first row of its place that says the same in other words."""
    for number, row in enumerate(rows):
        if _is_reworded(row, problem):
            rows[number] = _joined(row, problem)
            return
    rows.append(problem)


def _is_reworded(first: Problem, second: Problem) -> bool:
    """Whether two problems of one code and line come of different targets or stages.

    Figures that differ from target to target are true of one of them alone, so each has a row.
    """
    if first.diagnostic.stage != second.diagnostic.stage:
        return True
    targets = set(first.targets), set(second.targets)
    if not all(targets) or not targets[0].isdisjoint(targets[1]):
        return False
    return _figures(first) == _figures(second)


def _figures(problem: Problem) -> list[str]:
    return re.findall(r"\d+(?:[.,]\d+)*", problem.diagnostic.message)


def counts(problems: Sequence[Problem]) -> dict[Severity, int]:
    """How many problems there are of each severity."""
    return {s: sum(p.diagnostic.severity is s for p in problems) for s in Severity}


def _identity(problem: Problem) -> tuple[object, ...]:
    diagnostic = problem.diagnostic
    return (
        problem.path,
        diagnostic.code,
        diagnostic.severity,
        diagnostic.range,
        diagnostic.message,
    )


def _joined(first: Problem, second: Problem) -> Problem:
    targets = tuple(dict.fromkeys((*first.targets, *second.targets)))
    # Where one of them concerns every target, so does what they have in common.
    if not first.targets or not second.targets:
        targets = ()
    stale = first.stale and second.stale
    worst = min(first.diagnostic.severity, second.diagnostic.severity, key=_RANK.__getitem__)
    diagnostic = replace(first.diagnostic, severity=worst)
    raw = first.raw or second.raw
    return replace(first, diagnostic=diagnostic, targets=targets, raw=raw, stale=stale)


def _order(problem: Problem) -> tuple[int, str, int]:
    return _RANK[problem.diagnostic.severity], problem.path, problem.line or 0
