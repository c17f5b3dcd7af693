"""The form of a page of the reference: sections of blocks, and links to other pages by slug."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class PageKind(enum.Enum):
    """What a page is about; the value is the first part of its slug."""

    GUIDE = "guide"
    SYMPTOM = "symptoms"
    API = "api"
    RULE = "rules"
    SIGNATURE = "signatures"
    HARDWARE = "hardware"
    EXAMPLE = "examples"

    @property
    def title(self) -> str:
        """The heading over pages of this kind."""
        return _TITLES[self]


_TITLES = {
    PageKind.GUIDE: "Guide",
    PageKind.SYMPTOM: "Symptoms",
    PageKind.API: "TileLang",
    PageKind.RULE: "Problems",
    PageKind.SIGNATURE: "Kinds of wrong results",
    PageKind.HARDWARE: "Hardware",
    PageKind.EXAMPLE: "Examples",
}


class Tone(enum.Enum):
    """What a piece of code stands for."""

    PLAIN = "plain"
    WRONG = "wrong"
    RIGHT = "right"


@dataclass(frozen=True)
class Paragraph:
    """Text with the marks that `inline` reads."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """Points, each with the marks that `inline` reads."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class CodeBlock:
    """Code to read and to copy; `caption` stands over it."""

    text: str
    tone: Tone = Tone.PLAIN
    caption: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells, each with the marks that `inline` reads; without `header` there is none."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Definition:
    """A name in code, what it takes in a word or two of code, and what it is."""

    term: str
    note: str
    text: str


@dataclass(frozen=True)
class Definitions:
    """Names one below the other, each with what it is."""

    items: tuple[Definition, ...]


Block = Paragraph | Bullets | CodeBlock | Table | Definitions


@dataclass(frozen=True)
class Section:
    """A part of a page; the first one has no title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Link:
    """Another page by its slug."""

    slug: str
    title: str


@dataclass(frozen=True)
class Page:
    """One page. `summary` is a sentence of text; `names` are what else its subject is called.

    `words` are others that it is found by. `opens` is the shipped kernel that the page shows,
    `source` the file and line that it was read from.
    """

    slug: str
    title: str
    kind: PageKind
    summary: str
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    label: str = ""
    opens: str | None = None
    source: tuple[str, int] | None = None

    @property
    def codes(self) -> tuple[CodeBlock, ...]:
        """The pieces of code in their order."""
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, CodeBlock))


@dataclass(frozen=True)
class Text:
    """A text of ours as its file has it: keys of its head, and the sections below."""

    head: dict[str, str] = field(hash=False)
    sections: tuple[Section, ...] = ()

    def words(self, key: str) -> tuple[str, ...]:
        """The words of a key of the head, none where it is missing."""
        return tuple(self.head.get(key, "").split())
