"""Titles of documents side by side: a name, and what tells equal names apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

_DASH = " \u2014 "


def tab_titles(documents: Sequence[tuple[str, Path | None]]) -> list[str]:
    """The title of each document, given by its name and its file, None where it has none.

    Equal names get the nearest folders that differ, or "not saved" and a number.
    """
    counts = Counter(name for name, _ in documents)
    unsaved: Counter[str] = Counter()
    titles = []
    for name, path in documents:
        if path is None:
            unsaved[name] += 1
        if counts[name] == 1:
            titles.append(name)
        elif path is None:
            number = f" {unsaved[name]}" if unsaved[name] > 1 else ""
            titles.append(f"{name}{_DASH}not saved{number}")
        else:
            others = [p for n, p in documents if n == name and p not in (None, path)]
            titles.append(f"{name}{_DASH}{_place(path, [p for p in others if p])}")
    return titles


def _place(path: Path, others: Sequence[Path]) -> str:
    """As few of the innermost folders of a file as none of the others has."""
    parts = path.parent.parts
    for count in range(1, len(parts) + 1):
        tail = parts[-count:]
        if all(other.parent.parts[-count:] != tail for other in others):
            return str(Path(*tail))
    return str(path.parent)
