"""Everything that is known of a document's lines, from all stages: what the editor marks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from workbench.core.doctor.verdicts import cause_of, named
from workbench.core.targets.model import Target
from workbench.session.analysis_problems import analysis_problems
from workbench.session.fixes import with_offers
from workbench.session.limit_problems import limit_problems
from workbench.session.lint_problems import lint_problems
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem, merge_problems


def all_problems(
    document: OpenDocument, targets: Sequence[Target], hints_off: Collection[str] = ()
) -> tuple[Problem, ...]:
    """The problems of the text, of lowering, limits and analysis, each once, with their fixes.

    Guidelines whose codes are in `hints_off` are not among them.
    """
    later = [
        *document.problems(),
        *limit_problems(document, targets),
        *analysis_problems(document),
    ]
    merged = merge_problems([*later, *lint_problems(document, targets, later, hints_off)])
    return with_offers(_with_cause(merged), document, targets)


def _with_cause(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems, of which a mismatch names its likely cause."""
    cause = cause_of(problem.diagnostic for problem in problems if not problem.stale)
    if cause is None:
        return problems
    return tuple(replace(each, diagnostic=named(each.diagnostic, cause)) for each in problems)
