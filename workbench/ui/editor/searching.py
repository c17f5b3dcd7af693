"""Searches text for a word, a phrase or a regular expression, and makes the replacements."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

MAX_MATCHES = 20_000


class PatternError(ValueError):
    """A regular expression that Python does not take; the message says why and where."""


@dataclass(frozen=True)
class Query:
    """What to look for; `text` is a regular expression where `is_regex`."""

    text: str = ""
    is_regex: bool = False
    match_case: bool = False
    whole_word: bool = False


class Found(NamedTuple):
    """A match by the positions of its first character and of the one after its last."""

    start: int
    end: int


def compiled(query: Query) -> re.Pattern[str]:
    """The regular expression of a query; raises PatternError."""
    pattern = query.text if query.is_regex else re.escape(query.text)
    if query.whole_word:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    flags = re.MULTILINE | (0 if query.match_case else re.IGNORECASE)
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        where = f" at position {error.pos}" if error.pos is not None else ""
        raise PatternError(f"This is no regular expression: {error.msg}{where}.") from error


def find_all(text: str, query: Query) -> list[Found]:
    """All matches that are not empty, in order, `MAX_MATCHES` at most; raises PatternError."""
    if not query.text:
        return []
    found = []
    for match in compiled(query).finditer(text):
        if match.end() > match.start():
            found.append(Found(match.start(), match.end()))
            if len(found) == MAX_MATCHES:
                break
    return found


def replacements(text: str, query: Query, template: str) -> list[tuple[Found, str]]:
    """Every match with what takes its place; in a regular expression `\\1` is its first group.

    Raises PatternError for a wrong expression and for a wrong template.
    """
    pattern = compiled(query)
    matches = [match for match in pattern.finditer(text) if match.end() > match.start()]
    if not query.is_regex:
        return [(Found(*match.span()), template) for match in matches]
    try:
        return [(Found(*match.span()), match.expand(template)) for match in matches]
    except (re.error, IndexError) as error:
        raise PatternError(f"This replacement does not fit the expression: {error}.") from error


def next_index(found: Sequence[Found], position: int) -> int | None:
    """The index of the first match that starts at or after `position`, else of the first."""
    if not found:
        return None
    return bisect_left(found, position, key=lambda match: match.start) % len(found)


def previous_index(found: Sequence[Found], position: int) -> int | None:
    """The index of the last match that ends at or before `position`, else of the last."""
    if not found:
        return None
    return (bisect_right(found, position, key=lambda match: match.end) - 1) % len(found)


def from_selection(query: Query, selected: str) -> Query:
    """The query with the selected text, where it is part of one line."""
    if not selected or "\n" in selected:
        return query
    return replace(query, text=re.escape(selected) if query.is_regex else selected)
