"""Says of an output that does not match how much of it is wrong, and its largest error."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import OutputComparison
from workbench.core.plain import to_plain

MISMATCH = "reference-mismatch"
_DIGITS = 9  # tell any two float32 apart
_MOST_WHOLE = 1e15  # a float holds every whole number up to here
_SAME = 1.01  # two shares of a tolerance nearer than this are told as one


@dataclass(frozen=True)
class LargestError:
    """The element that is furthest off: `error` is |got - expected|, `allowed` its tolerance.

    `error` is None where a side is NaN or infinite, `share` (error over allowed) there too, and
    where nothing is allowed. Numbers that JSON lacks are the strings nan, inf, -inf.
    """

    index: tuple[int, ...]
    got: float | str
    expected: float | str
    error: float | None
    allowed: float
    share: float | None


def mismatch(wrong: OutputComparison, run: str, line: int | None, advice: str = "") -> Diagnostic:
    """The finding that an output of a run is wrong, with the largest error in it.

    `run` says which run it was: "seed 0, on the simulator". `advice` stands behind what kind of
    wrong it is.
    """
    looks = [f"{each.sentence} Then {each.hint}." for each in wrong.signatures[:1]]
    largest = largest_error(wrong)
    evidence = {
        "signatures": [each.code for each in wrong.signatures],
        "output": wrong.name,
        "largest_error": to_plain(largest),
        "max_share": wrong.max_share,
    }
    return Diagnostic(
        MISMATCH,
        Severity.ERROR,
        f"{amount(wrong)} ({run}). {error_sentence(wrong)}".removesuffix(". "),
        TextRange(line or 1),
        stage="simulate",
        evidence=evidence,
        help=" ".join([*looks, *([advice] if advice else [])]) or None,
    )


def amount(comparison: OutputComparison) -> str:
    """How much of an output is wrong: "C is wrong in 3 of 4,096 elements"."""
    wrong, total = comparison.mismatched, comparison.total
    elements = "element" if total == 1 else "elements"
    if wrong == total == comparison.nonfinite:
        return f"{comparison.name} holds no number in any of its {total:,} {elements}"
    if wrong == total:
        return f"{comparison.name} is wrong in all {total:,} {elements}"
    return f"{comparison.name} is wrong in {wrong:,} of {total:,} {elements}"


def times_tolerance(share: float) -> str:
    """An error beyond its tolerance, in multiples of that: "12 times its tolerance"."""
    if share < 1.005:
        return "just beyond its tolerance"
    if share < 10:
        return f"{share:.{3 if share < 2 else 2}g} times its tolerance"
    return f"{int(float(f'{share:.2g}')):,} times its tolerance"


def largest_error(comparison: OutputComparison) -> LargestError | None:
    """The first of the worst elements; None where none is known."""
    if not comparison.worst:
        return None
    worst = comparison.worst[0]
    got, expected = float(worst.got), float(worst.expected)
    allowed = comparison.atol
    allowed += comparison.rtol * abs(expected) if math.isfinite(expected) else 0.0
    error = abs(got - expected)
    share = error / allowed if allowed > 0 else math.inf
    return LargestError(
        tuple(worst.index),
        worst.got,
        worst.expected,
        error if math.isfinite(error) else None,
        allowed,
        share if math.isfinite(share) else None,
    )


def error_sentence(comparison: OutputComparison) -> str:
    """The largest error against its tolerance, where it is, and both values; "" where unknown."""
    found = largest_error(comparison)
    if found is None:
        return ""
    got, expected = _told_apart(found.got, found.expected)
    what = "The worst element" if found.error is None else "The largest error"
    share = "" if found.share is None else times_tolerance(found.share)
    place = f"at [{', '.join(map(str, found.index))}]" if found.index else ""
    which = ", ".join(part for part in (share, place) if part)
    values = f"{what} is {which or 'this'}: got {got}, expected {expected}"
    return f"{values}{_off_by(found)}{_elsewhere(found, comparison.max_share)}"


def _off_by(found: LargestError) -> str:
    if found.error is None:
        return ""
    allowed = f"{found.allowed:.3g} is" if found.allowed else "nothing is"
    return f", off by {found.error:.3g} where {allowed} allowed"


def _elsewhere(found: LargestError, max_share: float | None) -> str:
    """What is further beyond its own tolerance than the largest error, or than what is NaN."""
    if max_share is None or max_share <= max(1.0, _SAME * (found.share or 0.0)):
        return ""
    other = "another is" if found.error is not None else "of the others one is"
    return f"; {other} {times_tolerance(max_share)}"


def _told_apart(got: float | str, expected: float | str) -> tuple[str, str]:
    """Both values, with as many digits as it takes to see that they differ."""
    short = _value(got), _value(expected)
    return short if short[0] != short[1] else (str(got), str(expected))


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if value.is_integer() and abs(value) < _MOST_WHOLE:
        return str(int(value))
    return f"{value:.{_DIGITS}g}"
