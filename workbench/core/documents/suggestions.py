"""The nearest of the known names to one that is not known, as the end of a message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, in whatever case, or None where none is much like it."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, or the known names where there are few and none is near."""
    names = sorted(set(known))
    if (match := nearest(name, names)) is not None:
        return f"; did you mean `{match}`?"
    if names and len(names) <= 12:
        return f"; there is {', '.join(f'`{known_name}`' for known_name in names)}."
    return "."
