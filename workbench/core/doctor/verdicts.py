"""Gives a result that differs from the reference its cause, where a finding can be the cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Related, Severity

VERDICT = "reference-mismatch"
# What makes numbers wrong, the likeliest first where severities are equal.
_CAUSES = (
    "gemm-uninitialized-accumulator",
    "uninitialized-read",
    "online-softmax",
    "wrong-transpose",
    "out-of-bounds-read",
    "out-of-bounds-write",
    "block-race",
    "parallel-race",
    "pipeline-hazard",
    "stage-overwritten",
    "shared-memory-race",
    "noncontiguous-bulk-copy",
    "epsilon-missing",
    "nan-source",
    "output-not-covered",
    "fragment-serial-access",
    "unscaled-scores",
    "low-precision-accumulator",
    "out-idx-misuse",
)
_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def with_cause(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics, of which a mismatch stands at its likely cause and names it."""
    found = tuple(diagnostics)
    cause = cause_of(found)
    return found if cause is None else tuple(named(each, cause) for each in found)


def cause_of(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The finding that most likely makes a result wrong."""
    able = [d for d in diagnostics if d.code in _CAUSES and d.range is not None]
    return min(able, key=_likelihood, default=None)


def named(diagnostic: Diagnostic, cause: Diagnostic) -> Diagnostic:
    """A mismatch at the place of its cause, which it names; anything else as it is."""
    if diagnostic.code != VERDICT or cause.range is None or diagnostic.related:
        return diagnostic
    message = f"{diagnostic.message}. See {cause.code} in line {cause.range.line}"
    related = (Related(cause.range, cause.message),)
    return replace(diagnostic, message=message, range=cause.range, related=related)


def _likelihood(diagnostic: Diagnostic) -> tuple[int, int, int]:
    line = diagnostic.range.line if diagnostic.range is not None else 0
    return _SEVERITIES.index(diagnostic.severity), _CAUSES.index(diagnostic.code), line
