"""Puts what several stages found together: each thing once, as the earliest stage says it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.rule_table import rule
from workbench.core.doctor.rules import Stage

# `compile` is what the steps between lowering and machine code call themselves.
_ORDER = {**{stage.value: place for place, stage in enumerate(Stage)}, "compile": 2, "verify": 4}
_LAST = len(Stage)
# A stage may name the first or the last line of a statement, or that of its loop.
_NEAR = 1
# Hints that say nothing more where a later stage has shown the mistake itself.
_SHOWN_BY = {"epsilon-advised": frozenset({"epsilon-missing", "nan-source"})}


def merge_stages(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """One diagnostic for each code and line, by line.

    The earliest stage's is kept, with the targets of all. An error without a rule of its own - a
    compiler's text as it came - is dropped where an earlier stage explains that line.
    """
    merged: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in sorted(diagnostics, key=stage_of):
        key = (diagnostic.code, line_of(diagnostic))
        known = merged.get(key)
        merged[key] = diagnostic if known is None else _joined(known, diagnostic)
    kept = [d for d in merged.values() if not _is_explained(d, merged.values())]
    return tuple(sorted(kept, key=lambda d: (line_of(d) or 0, stage_of(d), d.code)))


def line_of(diagnostic: Diagnostic) -> int | None:
    """The line that a diagnostic is about."""
    return diagnostic.range.line if diagnostic.range is not None else None


def stage_of(diagnostic: Diagnostic) -> int:
    """The place of a diagnostic's stage in the order of stages."""
    return _ORDER.get(diagnostic.stage, _LAST)


def _joined(first: Diagnostic, second: Diagnostic) -> Diagnostic:
    targets = tuple(dict.fromkeys((*first.targets, *second.targets)))
    everywhere = not first.targets or not second.targets
    return replace(first, targets=() if everywhere else targets)


def _is_explained(diagnostic: Diagnostic, others: Iterable[Diagnostic]) -> bool:
    line = line_of(diagnostic)
    if is_shown(diagnostic, others):
        return True
    if rule(diagnostic.code) is not None or diagnostic.severity is not Severity.ERROR:
        return False
    return any(
        stage_of(other) < stage_of(diagnostic)
        and other.severity is Severity.ERROR
        and (line is None or _is_near(other, line))
        for other in others
    )


def is_shown(hint: Diagnostic, others: Iterable[Diagnostic]) -> bool:
    """Whether one of the others shows the mistake that a hint only warns of."""
    line, shown_by = line_of(hint), _SHOWN_BY.get(hint.code, frozenset())
    return line is not None and any(o.code in shown_by and _is_near(o, line) for o in others)


def _is_near(diagnostic: Diagnostic, line: int) -> bool:
    return abs((line_of(diagnostic) or 0) - line) <= _NEAR
