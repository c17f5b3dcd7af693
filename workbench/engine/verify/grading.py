"""Grades what a run noticed by whether its result is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.engine import simulator


def occasion(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """What makes two findings one: another seed's has other values in its message."""
    buffer = diagnostic.evidence.get("buffer")
    return diagnostic.code, diagnostic.range, buffer or diagnostic.message


def graded(diagnostics: list[Diagnostic], passed: tuple[bool, ...]) -> tuple[Diagnostic, ...]:
    """What the reference does too, at the same elements, is no fault; what it does not may be."""
    if not passed:
        return tuple(diagnostics)
    if not all(passed):
        return tuple(diagnostics if _explained(diagnostics) else map(_suspected, diagnostics))
    return tuple(
        replace(each, severity=Severity.INFO) if _may_be_meant(each) else each
        for each in diagnostics
    )


def _explained(diagnostics: list[Diagnostic]) -> bool:
    """Whether a finding says more of a wrong result than that it is wrong."""
    errors = {each.code for each in diagnostics if each.severity is Severity.ERROR}
    return bool(errors - {"mismatch", "reference-mismatch"})


def _suspected(diagnostic: Diagnostic) -> Diagnostic:
    """A guarded read outside of an array gives 0, which is right only where the result is."""
    if diagnostic.code != "global-out-of-bounds-read":
        return diagnostic
    message = f"{diagnostic.message}, and the result is not that of the reference"
    return replace(diagnostic, code="out-of-bounds-read", severity=Severity.ERROR, message=message)


def _may_be_meant(diagnostic: Diagnostic) -> bool:
    """NaN and infinity, saturation, and zeros for what is read outside of global memory."""
    codes = (*simulator.NUMERIC_CODES, simulator.BEYOND_RANGE)
    return diagnostic.code in codes or bool(diagnostic.evidence.get(simulator.PREDICATED))
