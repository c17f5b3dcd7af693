"""What the jobs of a check know beside their findings, for symptoms to be held against."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.cli import results
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.doctor.symptoms import Results
from workbench.core.documents.model import Document
from workbench.core.documents.selection import unreadable
from workbench.core.jobs import VerifyResult
from workbench.core.plain import from_plain

_JOBS = {AnalyzeResult: "analysis", VerifyResult: "verification"}


def known_by(
    outcomes: Sequence[results.Outcome], kind: type[AnalyzeResult] | type[VerifyResult]
) -> Results:
    """What jobs of one kind know, and why those that ended without a result know nothing."""
    analyses: dict[str, AnalyzeResult] = {}
    verified: VerifyResult | None = None
    reasons: dict[str, str] = {}
    for outcome in outcomes:
        ended = outcome.ended
        if ended.outcome != "done":
            failure = results.cancelled(ended)
            reasons[_JOBS[kind]] = failure.message if failure is not None else ended.outcome
            continue
        done = from_plain(kind, ended.result)
        if isinstance(done, AnalyzeResult):
            analyses[outcome.item.target.name] = done
        else:
            verified = done
    return Results(True, analyses, verified, reasons)


def source_alone(document: Document, until: str) -> Results:
    """What is known where nothing was lowered: the source, if it can be read."""
    asked = until == "lint"
    reason = "only the source was looked at" if asked else "the document leaves nothing to lower"
    reasons = {"analysis": reason, "verification": reason}
    return Results(linted=not unreadable(document), reasons=reasons)


def not_lowered(reasons: Sequence[str]) -> Results:
    """Why there is nothing but the source, where no kernel could be lowered."""
    reason = " ".join(reasons) or "the document leaves nothing to lower"
    return Results(reasons={"analysis": reason, "verification": reason})


def not_simulated(until: str) -> Results:
    """Why there is no verification, where none follows."""
    reason = "errors come before it" if until == "simulate" else f"--until {until}"
    return Results(reasons={"verification": f"no simulation was run: {reason}"})


def joined(parts: Sequence[Results]) -> Results:
    """What several jobs know together; of several verifications one that does not pass, if any.

    Analyses of a second kernel for a target are told apart by their place.
    """
    analyses: dict[str, AnalyzeResult] = {}
    reasons: dict[str, str] = {}
    for part in parts:
        reasons.update(part.reasons)
        for name, result in part.analyses.items():
            analyses[name if name not in analyses else f"{name} ({len(analyses) + 1})"] = result
    verified = [part.verification for part in parts if part.verification is not None]
    verified.sort(key=_passes)
    return Results(True, analyses, verified[0] if verified else None, reasons)


def _passes(verified: VerifyResult) -> bool:
    return verified.failure is None and all(seed.passed for seed in verified.seeds)
