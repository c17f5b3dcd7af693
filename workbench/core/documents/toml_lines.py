"""Where the keys of a TOML text stand, which the standard library's reader does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

Path = tuple["str | int", ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_KEY_PART = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*""")
_MULTILINE_STRING = re.compile(r"\"\"\"|'''")


class TomlLines:
    """The line, from 0, of each key and table of a TOML text; `("case", 1)` is the second case."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}
        table: Path = ()
        in_string = False
        for number, line in enumerate(lines):
            if not in_string:
                table = self._read(number, line, table)
            in_string ^= len(_MULTILINE_STRING.findall(line)) % 2 == 1

    def _read(self, number: int, line: str, table: Path) -> Path:
        """Note what a line begins, and return the table that is open after it."""
        if header := _HEADER.fullmatch(line):
            *outer, name = _parts(header[2]) or [""]
            path = (*self._current(outer), name)
            if header[1] == "[[":
                self._counts[path] = self._counts.get(path, 0) + 1
            path = self._current([*outer, name])
            self._lines.setdefault(path, number)
            return path
        if key := _KEY.match(line):
            path = table
            for part in _parts(key[1]):
                path = (*path, part)
                self._lines.setdefault(path, number)
        return table

    def _current(self, parts: Sequence[str | int]) -> Path:
        """The path with the index of the latest element after each array of tables."""
        path: Path = ()
        for part in parts:
            path = (*path, part)
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest table around it that has one, or 0."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 0)


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _KEY_PART.findall(dotted)]
