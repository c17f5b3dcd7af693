"""What the problem list shows: diagnostics of all sources, merged over targets and ordered."""

from __future__ import annotations

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

    Ordered by severity, then line: what stops the kernel comes first.
    """
    merged: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        key = _identity(problem)
        known = merged.get(key)
        merged[key] = problem if known is None else _joined(known, problem)
    return tuple(sorted(merged.values(), key=_order))


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
    return replace(first, targets=targets, raw=first.raw or second.raw, stale=stale)


def _order(problem: Problem) -> tuple[int, str, int]:
    return _RANK[problem.diagnostic.severity], problem.path, problem.line or 0
