"""What completion asks and answers: the provider's protocol and the records that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

_WORD = re.compile(r"\w*\Z")
MAX_SHOWN = 500


@dataclass(frozen=True)
class Completion:
    """A name that may stand at the cursor; `kind` is a word such as `function`."""

    name: str
    kind: str


@dataclass(frozen=True)
class Signature:
    """A callable around the cursor, its parameters as written, and which one the cursor is at."""

    name: str
    parameters: tuple[str, ...]
    index: int | None
    summary: str = ""


@dataclass(frozen=True)
class Definition:
    """Where a name is defined; `line` counts from 1."""

    name: str
    path: str
    line: int


class CompletionProvider(Protocol):
    """Answers by signal with the number of the request; a newer request drops those that wait.

    Lines count from 1 and columns from 0, as Jedi has them. `completed` and `signatures_found`
    carry the number and a tuple of `Completion` or `Signature`.
    """

    completed: Any
    signatures_found: Any

    def complete(self, text: str, line: int, column: int, path: Path | None) -> int:
        """Ask what may be written at a place; returns the number of the request."""
        ...

    def find_signatures(self, text: str, line: int, column: int, path: Path | None) -> int:
        """Ask which calls are around a place; returns the number of the request."""
        ...


def word_before(text: str) -> str:
    """The part of a name that a text ends with."""
    found = _WORD.search(text)
    return found[0] if found else ""


def matching(completions: Iterable[Completion], typed: str) -> Sequence[Completion]:
    """Those whose name begins with what is typed, in any case, then those that contain it.

    Names with a leading underscore come last, and only where one is typed or nothing else fits.
    """
    wanted = typed.lower()
    ranked = [
        (_rank(completion.name, typed, wanted), completion.name.lower(), completion)
        for completion in completions
        if wanted in completion.name.lower()
    ]
    ranked.sort(key=lambda entry: entry[:2])
    public = [completion for *_, completion in ranked if not completion.name.startswith("_")]
    chosen = [completion for *_, completion in ranked] if typed.startswith("_") else public
    return (chosen or [completion for *_, completion in ranked])[:MAX_SHOWN]


def _rank(name: str, typed: str, wanted: str) -> tuple[bool, bool]:
    return not name.lower().startswith(wanted), not name.startswith(typed)
