"""Matches what was typed with texts: each word must occur, at least letter by letter."""

from __future__ import annotations

from dataclasses import dataclass

_WHOLE, _AT_WORD, _AT_START = 100.0, 50.0, 30.0
_LETTERS, _LETTER_AT_WORD, _GAP = 40.0, 8.0, 2.0
_ELSEWHERE = 0.5
_PER_CHARACTER = 0.1


@dataclass(frozen=True)
class Match:
    """How well a text fits, and which of its characters did."""

    score: float
    positions: tuple[int, ...]


def match(query: str, text: str, beside: str = "") -> Match | None:
    """How `text` fits the words of `query`, None where one word does not occur.

    A word in a row counts more than its letters alone, at the start of a word more than within
    one, and a short text more than a long one. A word that occurs in `beside` alone counts half.
    """
    folded, folded_beside = _fold(text), _fold(beside)
    score, positions = -_PER_CHARACTER * len(text), set[int]()
    for word in _fold(query).split():
        found = _match_word(word, folded, text)
        if found is not None:
            score += found.score
            positions.update(found.positions)
            continue
        found = _match_word(word, folded_beside, beside)
        if found is None:
            return None
        score += _ELSEWHERE * found.score
    return Match(score, tuple(sorted(positions)))


def _match_word(word: str, folded: str, text: str) -> Match | None:
    return _match_whole(word, folded, text) or _match_letters(word, folded, text)


def _match_whole(word: str, folded: str, text: str) -> Match | None:
    """The word in a row, where it starts a word if it does anywhere."""
    first = at = folded.find(word)
    while at >= 0 and not _starts_word(text, at):
        at = folded.find(word, at + 1)
    if first < 0:
        return None
    score = _WHOLE
    if at >= 0:
        score += _AT_WORD + (_AT_START if at == 0 else 0.0)
    place = at if at >= 0 else first
    return Match(score, tuple(range(place, place + len(word))))


def _match_letters(word: str, folded: str, text: str) -> Match | None:
    """The letters in their order, as close together as they are before the first such end."""
    end = -1
    for letter in word:
        end = folded.find(letter, end + 1)
        if end < 0:
            return None
    positions: list[int] = []
    at = end + 1
    for letter in reversed(word):
        at = folded.rfind(letter, 0, at)
        positions.append(at)
    positions.reverse()
    starts = sum(_starts_word(text, place) for place in positions)
    gaps = positions[-1] - positions[0] + 1 - len(positions)
    score = max(1.0, _LETTERS + _LETTER_AT_WORD * starts - _GAP * gaps)
    return Match(score, tuple(positions))


def _starts_word(text: str, at: int) -> bool:
    if at == 0 or not text[at - 1].isalnum():
        return True
    return text[at].isupper() and not text[at - 1].isupper()


def _fold(text: str) -> str:
    """Lower case, with as many characters as before."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
