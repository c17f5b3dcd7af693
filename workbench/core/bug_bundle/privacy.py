"""Takes a person's paths and name out of texts that are to be sent to others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

#: A folder of somebody's: the name below /home, /Users or C:\\Users.
_HOMES = re.compile(r"(?i)(?:/home/|/Users/|[A-Z]:\\Users\\)[^/\\\s\"':]+")


def scrubbed(text: str, places: Mapping[str, str]) -> str:
    """A text with each known place under another name, and no home folder of anybody.

    The longest places come first, so that a folder in a home is named by what it is.
    """
    for place in sorted((p for p in places if len(p) > 1), key=len, reverse=True):
        text = text.replace(place, places[place])
    return _HOMES.sub("~", text)


def leaks(text: str, secrets: Sequence[str]) -> tuple[str, ...]:
    """Which of some names and paths a text still has."""
    return tuple(secret for secret in secrets if len(secret) > 1 and secret in text)
