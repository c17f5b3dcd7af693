"""Problems that an analysis shows: hazards, bank conflicts, limits that the kernel is over."""

from __future__ import annotations

from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem


def analysis_problems(document: OpenDocument) -> list[Problem]:
    """What the newest analyses found, one problem for each finding and target."""
    if document.is_unreadable:  # as for what compilers said: the text itself is the problem
        return []
    path = str(document.path) if document.path is not None else document.title
    found = []
    for target, analyzed in document.analyses.newest.items():
        failure = analyzed.result.failure
        raw = failure.raw if failure is not None else None
        stale = document.is_stale(analyzed.revision)
        found += [Problem(d, path, (target,), raw, stale) for d in analyzed.result.diagnostics]
    return found
