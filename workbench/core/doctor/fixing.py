"""Applies the safe fixes of the lint stage, each on the text that the one before left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Fix

Lint = Callable[[str], Sequence[Diagnostic]]
Apply = Callable[[str, Fix], str]
_MOST = 200


@dataclass(frozen=True)
class Applied:
    """One fix that was made, and the diagnostic that it was for, on the text as it was then."""

    diagnostic: Diagnostic
    fix: Fix


def fix_text(text: str, lint: Lint, apply: Apply) -> tuple[str, tuple[Applied, ...]]:
    """The text with all safe fixes made, and which they were.

    A fix counts only if what it is for is gone afterwards and nothing new has come. `apply` raises
    ValueError or its own error where a fix does not fit; such a fix is a fault of the rule.
    """
    applied: list[Applied] = []
    found = list(lint(text))
    while len(applied) < _MOST:
        for candidate in _candidates(found):
            changed = apply(text, candidate.fix)
            after = list(lint(changed))
            if _is_better(found, after, candidate.diagnostic.code):
                text, found = changed, after
                applied.append(candidate)
                break
        else:
            break
    return text, tuple(applied)


def is_safe(diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic's best fix may be applied without a person."""
    return bool(diagnostic.fixes) and diagnostic.fixes[0].safe


def _candidates(found: Sequence[Diagnostic]) -> Iterator[Applied]:
    return (Applied(d, fix) for d in found if is_safe(d) for fix in d.fixes[:1])


def _is_better(before: Sequence[Diagnostic], after: Sequence[Diagnostic], code: str) -> bool:
    old, new = Counter(d.code for d in before), Counter(d.code for d in after)
    return new[code] < old[code] and all(count <= old[name] for name, count in new.items())
