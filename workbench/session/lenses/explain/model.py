"""A page that explains a kernel: sections of sentences with small pictures, as frozen values."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class Tone(enum.Enum):
    """How a sentence is meant: `UNKNOWN` says what could not be told, `TRY` what to do."""

    FACT = "fact"
    LIMIT = "limit"
    UNKNOWN = "unknown"
    TRY = "try"


@dataclass(frozen=True)
class Sentence:
    """One fact in words, and the document's line that it is about."""

    text: str
    line: int | None = None
    tone: Tone = Tone.FACT
    buffer: str | None = None


@dataclass(frozen=True)
class Level:
    """A memory level of the path that data take: `hue` is the token of its colour."""

    name: str
    hue: str


@dataclass(frozen=True)
class Link:
    """What moves between two levels: towards the registers and back, and what is counted.

    A text is empty where nothing moves, "unknown" where it is not known.
    """

    inward: str
    outward: str
    unit: str = ""


@dataclass(frozen=True)
class Path:
    """Levels of memory from far to near, with a link between each two of them."""

    levels: tuple[Level, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Bar:
    """A share, 0 to 1, of something, named and told; None is unknown."""

    name: str
    share: float | None
    text: str
    hue: str = "accent"
    is_limit: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars under a heading that says what the whole of each is."""

    heading: str
    bars: tuple[Bar, ...]


Drawing = Path | Bars


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    key: str
    title: str
    sentences: tuple[Sentence, ...]
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """The page for one target, and the sentence that it opens on."""

    conclusion: str
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section:
        """A section by its key. Raises KeyError."""
        return {each.key: each for each in self.sections}[key]


def unknown(what: str, why: str) -> Sentence:
    """A sentence about what is not known, and why."""
    return Sentence(f"{what} is unknown: {why.rstrip('.')}.", tone=Tone.UNKNOWN)


def joined(words: Iterable[str]) -> str:
    """Words with commas and a last "and"."""
    names = list(dict.fromkeys(words))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def times(extents: Sequence[int | str]) -> str:
    """Extents as people write a shape."""
    return " × ".join(f"{each:,}" if isinstance(each, int) else each for each in extents)


def plural(count: int, word: str) -> str:
    """A count with its word."""
    return f"{count:,} {word}{'s' * (count != 1)}"
