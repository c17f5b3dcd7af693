"""A symptom for the document in front: what of it was seen, and which causes are there."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.doctor.symptoms import Applied, Results, diagnose, symptom
from workbench.core.reference.model import PageKind
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

_NOT_ANALYZED = "the kernel was not lowered yet"
_NOT_VERIFIED = "the kernel was not verified yet"


def applied_symptom(
    slug: str, document: OpenDocument, problems: Iterable[Problem]
) -> Applied | None:
    """What the symptom of a page has to do with a document; None for any other page."""
    kind, _, name = slug.partition("/")
    if kind != PageKind.SYMPTOM.value:
        return None
    found = [problem.diagnostic for problem in problems if not problem.stale]
    return diagnose(symptom(name), found, results_of(document))


def results_of(document: OpenDocument) -> Results:
    """What was looked at on the document's present text."""
    analyses = {
        target: found.result
        for target, found in document.analyses.newest.items()
        if target in document.targets and not document.is_stale(found.revision)
    }
    verified = document.verified
    is_fresh = verified is not None and not document.is_stale(verified.revision)
    reasons = {} if analyses else {"analysis": _NOT_ANALYZED}
    if not is_fresh:
        reasons["verification"] = _NOT_VERIFIED
    return Results(
        linted=not document.is_unreadable,
        analyses=analyses,
        verification=verified.result if verified is not None and is_fresh else None,
        reasons=reasons,
    )
