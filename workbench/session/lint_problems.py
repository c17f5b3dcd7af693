"""Problems that the text itself shows, while it is typed: the lint stage of the kernel doctor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.core.doctor.lint import Subject, lint
from workbench.core.targets.model import Target
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem


def lint_problems(
    document: OpenDocument, targets: Sequence[Target], others: Iterable[Problem] = ()
) -> list[Problem]:
    """What the lint stage finds for the chosen kernel and arguments.

    A problem of `others`, which later stages found, stands in place of that with the same code and
    line unless the text has changed since: it knows more.
    """
    if document.is_unreadable:
        return []
    path = str(document.path) if document.path is not None else document.title
    kernel = document.chosen_kernel
    known = {(p.diagnostic.code, p.line) for p in others if not p.stale}
    chosen = kernel is not None and document.readable is document.parsed
    subjects = (
        [Subject(kernel, document.arguments(), tuple(targets))]
        if kernel is not None and chosen
        else []
    )
    found = [Problem(d, path, d.targets) for d in lint(document.parsed, subjects)]
    return [p for p in found if (p.diagnostic.code, p.line) not in known]
