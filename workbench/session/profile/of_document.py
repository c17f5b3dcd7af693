"""What a profile is shown from, for the document in front or for a run of the history."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from workbench.core.hosts import LOCAL
from workbench.core.targets.labels import short_label
from workbench.session.place_choices import PlaceChoice, place_words
from workbench.session.profile.subject import KnownProfile, ProfileSubject, Progress, ShapePoint

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.profiles import ProfileResult
    from workbench.session.open_document import OpenDocument
    from workbench.session.profiled import Profiled
    from workbench.session.session import Session


def subject_of_document(
    document: OpenDocument,
    session: Session,
    place: PlaceChoice | None,
    no_place: str,
    known: KnownProfile | None = None,
) -> ProfileSubject:
    """The newest profile of a document, or what stands in its place: `known` is of the history."""
    found = document.profiles.latest
    usual = ProfileSubject(
        title=f"{document.kernel} · {document.case or 'default'}",
        trusted=session.trusts(document),
        running=_progress(document, session),
        place=place_words(place.place) if place is not None else "",
        no_place=no_place,
        known=known,
    )
    running = session.profiling.running_place(document)
    if found is None:
        where = place_words(running) if running is not None else ""
        return _with(usual, where=where)
    return _with(
        usual,
        title=f"{found.kernel} · {found.case}",
        result=found.result,
        where=_where(found),
        created=found.created,
        label=_label(found, session),
        mark=_mark(document, found.target),
        analysis=analysis_of(document, found),
        arch=session.targets.resolve(found.target).arch,
        stale=document.is_stale(found.revision),
        lost=found.lost,
        series=_series(document),
    )


def subject_of_run(
    title: str, result: ProfileResult, origin: str, created: datetime, where: str = ""
) -> ProfileSubject:
    """A run that belongs to no open document: a report of another profiler."""
    return ProfileSubject(title, result, where, origin, created, label="", place=where)


def analysis_of(document: OpenDocument, found: Profiled) -> AnalyzeResult | None:
    """What was predicted of the text that was measured, for the same target."""
    known = document.analyses.good.get(found.target)
    return known.result if known is not None and known.revision == found.revision else None


def _where(found: Profiled) -> str:
    """In words; what was imported was "this machine" to whoever made it, and not to us."""
    if not found.origin or found.place.host != LOCAL:
        return place_words(found.place)
    _, _, machine = found.origin.partition(", from ")
    return f"the GPU of {machine}" if machine else "the GPU of another machine"


def _with(subject: ProfileSubject, **changes: object) -> ProfileSubject:
    return ProfileSubject(**{**vars(subject), **changes})


def _progress(document: OpenDocument, session: Session) -> Progress | None:
    if session.profiling.running_place(document) is None:
        return None
    job = session.profiling.running(document)
    if job is None or job.started is None:
        return Progress("Waiting")
    return Progress(job.text or "Measuring", job.fraction)


def _label(found: Profiled, session: Session) -> str:
    return short_label(session.targets.resolve(found.target))


def _mark(document: OpenDocument, target: str) -> int:
    return document.targets.index(target) if target in document.targets else 0


def _series(document: OpenDocument) -> tuple[ShapePoint, ...]:
    return tuple(
        ShapePoint(each.arguments, each.result, each.case, document.is_stale(each.revision))
        for each in document.profiles.shapes()
    )
