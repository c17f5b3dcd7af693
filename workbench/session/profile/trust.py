"""What is to be believed of a measurement, each sentence with its severity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Severity
from workbench.core.profiles import ProfileResult

#: Words of a sentence of the measurement that make it a warning.
_WARNING_WORDS = (
    "throttl",
    "held down",
    "below",
    "spread",
    "noise",
    "noisy",
    "drift",
    "rose",
    "fell",
    "differ",
    "other process",
    "busy",
    "few",
)


@dataclass(frozen=True)
class Trust:
    """One sentence."""

    severity: Severity
    text: str


def trust_of(result: ProfileResult) -> tuple[Trust, ...]:
    """The sentences, the worst first."""
    found = [*_verdict(result), *_timing(result)]
    ranks = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
    return tuple(sorted(found, key=lambda each: ranks[each.severity]))


def _verdict(result: ProfileResult) -> Iterator[Trust]:
    if result.verified is False:
        yield Trust(
            Severity.ERROR, "The outputs do not match the reference: see Verify on this device."
        )
    elif result.verified is None and result.latency is not None:
        yield Trust(Severity.INFO, "The outputs were not compared with a reference.")


def _timing(result: ProfileResult) -> Iterator[Trust]:
    latency = result.latency
    if latency is None:
        return
    for sentence in latency.trust:
        lower = sentence.lower()
        is_warning = any(word in lower for word in _WARNING_WORDS)
        yield Trust(Severity.WARNING if is_warning else Severity.INFO, sentence)
