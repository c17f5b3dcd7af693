"""The marks within a line of text: `code`, **strong**, and [links](slug) to other pages."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|\[(?P<link>[^\]]+)\]\((?P<slug>[^)]+)\)"
)


class Style(enum.Enum):
    """How a piece of a line is written."""

    PLAIN = "plain"
    CODE = "code"
    STRONG = "strong"
    LINK = "link"


@dataclass(frozen=True)
class Piece:
    """Some text in one style; `slug` is where a link leads."""

    text: str
    style: Style = Style.PLAIN
    slug: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of a line in their order."""
    end = 0
    for found in _MARKS.finditer(text):
        if found.start() > end:
            yield Piece(text[end : found.start()])
        end = found.end()
        if found["code"] is not None:
            yield Piece(found["code"], Style.CODE)
        elif found["strong"] is not None:
            yield Piece(found["strong"], Style.STRONG)
        else:
            yield Piece(found["link"], Style.LINK, found["slug"])
    if end < len(text):
        yield Piece(text[end:])


def plain(text: str) -> str:
    """The text without its marks."""
    return "".join(piece.text for piece in pieces(text))


def slugs(text: str) -> Iterator[str]:
    """Where the links of a text lead."""
    return (piece.slug for piece in pieces(text) if piece.style is Style.LINK)
