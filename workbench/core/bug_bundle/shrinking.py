"""The search for a smaller case that still shows the same: halves sizes, one after another."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

Case = dict[str, Any]
MOST_TRIES = 12


def shrinking(args: Mapping[str, Any], tries: int = MOST_TRIES) -> Generator[Case, bool, Case]:
    """Yield cases to try and be sent whether each still shows it; return the smallest that did.

    Integers above 1 are halved, the largest first, until the halves do not show it any more: sizes
    of problems shrink before those of tiles. Not more than `tries` cases are yielded.
    """
    best = dict(args)
    stuck: set[str] = set()
    left = tries
    while left > 0:
        name = _largest(best, stuck)
        if name is None:
            break
        candidate = {**best, name: best[name] // 2}
        left -= 1
        if (yield candidate):
            best = candidate
        else:
            stuck.add(name)
    return best


def _largest(case: Mapping[str, Any], stuck: set[str]) -> str | None:
    sizes = {
        name: value
        for name, value in case.items()
        if type(value) is int and value > 1 and name not in stuck
    }
    return max(sizes, key=lambda name: sizes[name], default=None)
