"""Applies safe fixes, each on the text that the one before left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Fix, Severity
from workbench.core.doctor.merging import stage_of

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

    A fix counts only if what it is for is gone afterwards and nothing worse has come. `apply`
    raises its own error where a fix does not fit; such a fix is a fault of the rule. `lint` is
    asked once for each fix that is tried, and may look at any stages.
    """
    applied: list[Applied] = []
    refused: set[tuple[str, str]] = set()
    found = list(lint(text))
    while len(applied) < _MOST:
        for candidate in _candidates(found):
            if _key(candidate) in refused:
                continue
            changed = apply(text, candidate.fix)
            after = list(lint(changed))
            if _is_better(found, after, candidate.diagnostic):
                text, found = changed, after
                applied.append(candidate)
                break
            refused.add(_key(candidate))
        else:
            break
    return text, tuple(applied)


def _key(candidate: Applied) -> tuple[str, str]:
    return candidate.diagnostic.code, repr(candidate.fix)


def is_safe(diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic's best fix may be applied without a person."""
    return bool(diagnostic.fixes) and diagnostic.fixes[0].safe


def _candidates(found: Sequence[Diagnostic]) -> Iterator[Applied]:
    return (Applied(d, fix) for d in found if is_safe(d) for fix in d.fixes[:1])


def _is_better(
    before: Sequence[Diagnostic], after: Sequence[Diagnostic], mended: Diagnostic
) -> bool:
    """Whether there is less of what was mended and no more of anything else.

    What a later stage tells does not count where it was not reached before; hints never do.
    """
    old, new = Counter(d.code for d in before), Counter(d.code for d in after)
    more = [d for d in after if new[d.code] > old[d.code]]
    return new[mended.code] < old[mended.code] and not any(_is_worse(d, mended) for d in more)


def _is_worse(found: Diagnostic, mended: Diagnostic) -> bool:
    reached = mended.severity is not Severity.ERROR or stage_of(found) <= stage_of(mended)
    return found.severity is not Severity.INFO and reached
