"""Problems that the text itself shows, while it is typed: the lint stage of the kernel doctor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from workbench.core.doctor.lint import Subject, lint
from workbench.core.doctor.merging import is_shown, line_of
from workbench.core.targets.model import Target
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem


def lint_problems(
    document: OpenDocument,
    targets: Sequence[Target],
    others: Iterable[Problem] = (),
    hints_off: Collection[str] = (),
) -> list[Problem]:
    """What the lint stage finds for the chosen kernel and arguments.

    A problem of `others`, which later stages found, stands in place of that with the same code and
    line unless the text has changed since: it knows more. Guidelines of `hints_off` are not told.
    """
    if document.is_unreadable:
        return []
    path = str(document.path) if document.path is not None else document.title
    kernel = document.chosen_kernel
    later = [p.diagnostic for p in others if not p.stale]
    known = {(d.code, line_of(d)) for d in later}
    chosen = kernel is not None and document.readable is document.parsed
    subjects = (
        [Subject(kernel, document.arguments(), tuple(targets))]
        if kernel is not None and chosen
        else []
    )
    found = lint(document.parsed, subjects, hints_off)
    new = [d for d in found if (d.code, line_of(d)) not in known and not is_shown(d, later)]
    return [Problem(d, path, d.targets) for d in new]
