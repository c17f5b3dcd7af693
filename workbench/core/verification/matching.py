"""What a detector returns, and when agreement with a hypothesis is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.core.verification.observation import Array, Observation

STRONG, LIKELY, POSSIBLE = "strong", "likely", "possible"
LEAST_SHARE = 0.9
LEAST_ELEMENTS = 8
_STRONG_SHARE, _STRONG_CHANCE = 0.99, 0.1
_MOST_CHANCE = 0.4


@dataclass(frozen=True)
class Match:
    """A hypothesis that the elements bear out.

    `says` completes a sentence about the output; `explained` is the share of the `examined`
    elements that agree.
    """

    says: str
    confidence: str
    explained: float
    examined: int
    evidence: Mapping[str, Any] = field(default_factory=dict)


def confidence_of(share: float, chance: float) -> str | None:
    """How far an agreement is to be trusted; None where it is not, or chance gives it too."""
    if not share >= LEAST_SHARE or chance > _MOST_CHANCE:
        return None
    return STRONG if share >= _STRONG_SHARE and chance <= _STRONG_CHANCE else LIKELY


def matched(
    seen: Observation, got: Array, wanted: Array, says: str, **evidence: Any
) -> Match | None:
    """The match of values with what a hypothesis wants of them, where it is more than chance.

    Chance is the agreement with the same wanted values in another order. `says` may have a
    `{share}`.
    """
    if got.size < LEAST_ELEMENTS:
        return None
    share = float(seen.agrees(got, wanted).mean())
    if share < LEAST_SHARE:
        return None
    chance = float(seen.agrees(got, seen.random().permutation(wanted)).mean())
    confidence = confidence_of(share, chance)
    if confidence is None:
        return None
    evidence = {**evidence, "by_chance": round(chance, 4)}
    return Match(says.format(share=share_text(share)), confidence, share, got.size, evidence)


def best(found: list[Match | None]) -> Match | None:
    """The match that explains most, the first of equals."""
    known = [match for match in found if match is not None]
    return max(known, key=lambda match: round(match.explained, 3), default=None)


def share_text(share: float) -> str:
    """A share in words; never all where it is not quite so."""
    if share >= 1:
        return "all"
    return f"{min(99.9, np.floor(1000 * share) / 10):.3g} % of"
