"""Finds pages by what is typed: whole names first, then beginnings, parts, and near misses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.reference.inline import plain
from workbench.core.reference.model import (
    Block,
    Bullets,
    Definitions,
    Page,
    PageKind,
    Table,
)

_WORD = re.compile(r"[a-z0-9_]+")
_WHOLE, _BEGINS, _PART_BEGINS, _INSIDE = 100.0, 60.0, 45.0, 25.0
_AT_FRONT, _IN_TITLE = 40.0, 10.0
_NAME, _WORD_OF, _SUMMARY, _BODY, _TYPO = 1.0, 0.7, 0.35, 0.12, 0.4
_FILLERS = "a an and are do does how i in is it my of on or the to what why with"
_FILLING = frozenset(_FILLERS.split())
_NEAR = 0.75  # of `difflib`: one wrong letter in five
_LENGTHS = 2  # letters too many or too few
_LEAST_TYPO = 4  # letters; shorter words are near to too many
# What is asked most comes before what merely has the name too.
_WEIGHTS = {
    PageKind.GUIDE: 1.06,
    PageKind.SYMPTOM: 1.08,
    PageKind.API: 1.0,
    PageKind.RULE: 1.04,
    PageKind.SIGNATURE: 0.98,
    PageKind.HARDWARE: 1.02,
    PageKind.EXAMPLE: 0.96,
}
_FOREIGN = 0.85  # names that TileLang takes from TVM


@dataclass(frozen=True)
class Hit:
    """A page that was found, and how well it fits."""

    page: Page
    score: float


@dataclass(frozen=True)
class _Entry:
    """What is searched of a page: texts in lower case, and the words of its names."""

    page: Page
    names: tuple[str, ...]
    words: frozenset[str]
    others: frozenset[str]
    summary: str
    body: str
    weight: float


class SearchIndex:
    """An index over pages; a search of 1,500 pages takes some milliseconds."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._entries = tuple(_entry(page) for page in pages)
        self._vocabulary = sorted({w for e in self._entries for w in e.words if len(w) > 2})

    def search(self, query: str, limit: int = 60) -> tuple[Hit, ...]:
        """The pages in which every word occurs, or nearly, best first; none for no words."""
        words = _asked(query)
        if not words:
            return ()
        near = {word: self._near(word) for word in words}
        hits = []
        for entry in self._entries:
            score = _score(entry, words, near, query.strip().lower())
            if score > 0:
                hits.append(Hit(entry.page, score * entry.weight))
        hits.sort(key=lambda hit: (-hit.score, len(hit.page.title), hit.page.title))
        return tuple(hits[:limit])

    def _near(self, word: str) -> frozenset[str]:
        """Known words that a slip of the finger makes this one; none where the word is known."""
        if len(word) < _LEAST_TYPO or any(known.startswith(word) for known in self._vocabulary):
            return frozenset()
        alike = [k for k in self._vocabulary if abs(len(k) - len(word)) <= _LENGTHS]
        return frozenset(difflib.get_close_matches(word, alike, n=4, cutoff=_NEAR))


def _asked(query: str) -> list[str]:
    """The words that were typed; those that fill sentences count where there are no others."""
    words = _WORD.findall(query.lower())
    return [word for word in words if word not in _FILLING] or words


def _entry(page: Page) -> _Entry:
    names = tuple(dict.fromkeys(name.lower() for name in (page.title, *page.names, page.slug)))
    words = frozenset(word for name in names for word in _words(name))
    weight = _WEIGHTS[page.kind] * (_FOREIGN if page.label == "TVM" else 1.0)
    others = frozenset(part for word in page.words for part in _words(word.lower()))
    return _Entry(
        page, names, words, others, plain(page.summary).lower(), _body(page).lower(), weight
    )


def _words(name: str) -> list[str]:
    """The words of a name, also those within one: `alloc_shared` is found by `shared`."""
    whole = _WORD.findall(name)
    return [*whole, *(part for word in whole for part in word.split("_") if part)]


def _body(page: Page) -> str:
    return " ".join(_text(block) for section in page.sections for block in section.blocks)


def _text(block: Block) -> str:
    if isinstance(block, Definitions):
        return " ".join(f"{item.term} {item.text}" for item in block.items)
    if isinstance(block, Bullets):
        return " ".join(block.items)
    if isinstance(block, Table):
        return " ".join(cell for row in block.rows for cell in row)
    return block.text


def _score(
    entry: _Entry, words: Sequence[str], near: dict[str, frozenset[str]], query: str
) -> float:
    """The sum over the words, 0 where one of them is nowhere."""
    total = len(words) * _together(entry, query)
    for word in words:
        score = _word_score(entry, word) or _TYPO * max(
            (_word_score(entry, other, in_body=False) for other in near[word]), default=0.0
        )
        if score == 0:
            return 0.0
        total += score
    return total / len(words)


def _together(entry: _Entry, query: str) -> float:
    """What counts for words that stand together as they were typed."""
    if query in entry.names:
        return _WHOLE
    if entry.names[0].startswith(query):
        return _AT_FRONT
    return _IN_TITLE if query in entry.names[0] else 0.0


def _word_score(entry: _Entry, word: str, in_body: bool = True) -> float:
    return max(
        _NAME * _name_score(entry, word),
        _WORD_OF * _WHOLE if word in entry.others else 0.0,
        _SUMMARY * _text_score(entry.summary, word),
        _BODY * _text_score(entry.body, word) if in_body else 0.0,
    )


def _name_score(entry: _Entry, word: str) -> float:
    if word in entry.words:
        last = entry.names[0].rpartition(".")[2]
        return _WHOLE * (1.2 if word == last else 0.8)
    if any(name.rpartition(".")[2].startswith(word) for name in entry.names):
        return _BEGINS
    if any(known.startswith(word) for known in entry.words):
        return _PART_BEGINS
    return _INSIDE if any(word in name for name in entry.names) else 0.0


def _text_score(text: str, word: str) -> float:
    at = text.find(word)
    if at < 0:
        return 0.0
    begins = at == 0 or not text[at - 1].isalnum()
    return _BEGINS if begins else _INSIDE
