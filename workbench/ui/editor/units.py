"""Converts between Python's characters and the UTF-16 units by which Qt counts positions."""

from __future__ import annotations

from bisect import bisect_left


def units(text: str) -> int:
    """The UTF-16 units of a text; a character beyond U+FFFF takes two."""
    if text.isascii():
        return len(text)
    return len(text) + sum(character > "\uffff" for character in text)


def to_units(text: str, index: int) -> int:
    """The position in UTF-16 units of the character at `index`."""
    return units(text[:index])


def to_index(text: str, position: int) -> int:
    """The index of the character at a position in UTF-16 units."""
    if text.isascii():
        return min(position, len(text))
    passed = 0
    for index, character in enumerate(text):
        if passed >= position:
            return index
        passed += 2 if character > "\uffff" else 1
    return len(text)


class UnitMap:
    """Positions in one long text, at no cost where no character takes two units."""

    def __init__(self, text: str) -> None:
        self._wide = (
            []
            if text.isascii()
            else [index for index, character in enumerate(text) if character > "\uffff"]
        )

    def to_units(self, index: int) -> int:
        """The position in UTF-16 units of the character at `index`."""
        return index + bisect_left(self._wide, index)
