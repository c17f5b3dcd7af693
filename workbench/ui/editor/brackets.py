"""Finds matching brackets in lexed code, and decides what a typed bracket or quote does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

PAIRS = {"(": ")", "[": "]", "{": "}"}
OPENERS = {closer: opener for opener, closer in PAIRS.items()}
QUOTES = "\"'"
MAX_LINES = 1000
_BRACKET = re.compile(r"[()\[\]{}]")


class Position(NamedTuple):
    """A character by its line and column, both from 0."""

    line: int
    column: int


@dataclass(frozen=True)
class Match:
    """A bracket at the cursor and its partner, which is None where there is none."""

    here: Position
    partner: Position | None


@dataclass(frozen=True)
class Typing:
    """What typing one character does: text put before and after the cursor, or a step over one."""

    before: str = ""
    after: str = ""
    steps_over: bool = False


CodeOf = Callable[[int], str | None]
"""Gives the code of a line (see `LexedLine.code`), None beyond the ends of the document."""


def match_at(code_of: CodeOf, line: int, column: int) -> Match | None:
    """Match the bracket right of the cursor, else the one left of it."""
    code = code_of(line) or ""
    for at in (column, column - 1):
        if 0 <= at < len(code) and (code[at] in PAIRS or code[at] in OPENERS):
            here = Position(line, at)
            return Match(here, _partner(code_of, here, code[at]))
    return None


def _partner(code_of: CodeOf, here: Position, bracket: str) -> Position | None:
    forward = bracket in PAIRS
    inner, closing = (PAIRS, OPENERS) if forward else (OPENERS, PAIRS)
    expected: list[str] = []
    for position, character in _walk(code_of, here, 1 if forward else -1):
        if character in inner:
            expected.append(inner[character])
        elif character in closing:
            if expected.pop() != character:
                return None
            if not expected:
                return position
    return None


def _walk(code_of: CodeOf, start: Position, step: int) -> Iterator[tuple[Position, str]]:
    """The brackets from `start` on in one direction, for `MAX_LINES` lines."""
    line = start.line
    for _ in range(MAX_LINES):
        code = code_of(line)
        if code is None:
            return
        for found in list(_BRACKET.finditer(code))[::step]:
            at = Position(line, found.start())
            if (at >= start) if step > 0 else (at <= start):
                yield at, found[0]
        line += step


def open_brackets(codes: list[str]) -> list[tuple[Position, str]]:
    """The brackets that are opened and not closed in these lines of code."""
    opened: list[tuple[Position, str]] = []
    for line, code in enumerate(codes):
        for column, character in enumerate(code):
            if character in PAIRS:
                opened.append((Position(line, column), character))
            elif character in OPENERS and opened:
                opened.pop()
    return opened


def type_character(typed: str, before: str, after: str, *, in_string: bool) -> Typing | None:
    """What a typed bracket or quote does between `before` and `after`; None: just that character.

    `in_string` says whether the cursor is in a string or a comment.
    """
    following = after[:1]
    if typed in OPENERS and following == typed:
        return Typing(steps_over=True)
    if typed in PAIRS and not in_string and _leaves_room(following):
        return Typing(typed, PAIRS[typed])
    if typed and typed in QUOTES:
        return _type_quote(typed, before, following, in_string=in_string)
    return None


def _type_quote(quote: str, before: str, following: str, *, in_string: bool) -> Typing | None:
    if following == quote and not before.endswith("\\"):
        return Typing(steps_over=True)
    if before.endswith(quote * 2) and not before.endswith(quote * 3):
        return Typing(quote, quote * 3) if not in_string and not following.strip() else None
    is_prefix = before[-1:].isalnum() and before[-1:].lower() in "rbfu"
    word = before[-2:-1].isalnum() if is_prefix else before[-1:].isalnum()
    if in_string or word or before.endswith(quote) or not _leaves_room(following):
        return None
    return Typing(quote, quote)


def _leaves_room(following: str) -> bool:
    """Whether a pair may be inserted before this character: not right before a word."""
    return not following or following.isspace() or following in ")]}:,;"


def surround(typed: str) -> tuple[str, str] | None:
    """What a bracket or quote typed over a selection puts on its two sides."""
    if typed in PAIRS:
        return typed, PAIRS[typed]
    return (typed, typed) if typed and typed in QUOTES else None


def is_empty_pair(before: str, after: str) -> bool:
    """Whether the cursor stands in an empty pair, which Backspace deletes as a whole."""
    opener, closer = before[-1:], after[:1]
    if opener in PAIRS:
        return PAIRS[opener] == closer
    return bool(opener) and opener in QUOTES and opener == closer and before[-2:-1] != opener
