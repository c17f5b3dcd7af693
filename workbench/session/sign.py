"""One vital sign: a figure in a few words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sign:
    """One figure, predicted or "unknown".

    `tone` is "error" over a limit, "warn" where it costs time, "fg3" for what is unknown and "fg2"
    else; `tip` says how it was found. `short` is its text where room is scarce. `stale` says that
    it is of an earlier text.
    """

    text: str
    tone: str = "fg2"
    tip: str = ""
    short: str = ""
    stale: bool = False
