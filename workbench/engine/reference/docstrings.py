"""Reads docstrings in the two forms that TileLang and TVM write: Google's and numpy's."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

# A heading of numpy's form stands over a line of dashes, one of Google's ends in a colon.
_RULE = re.compile(r"^-{3,}$")
_GOOGLE = re.compile(r"^(Args?|Arguments|Parameters|Returns?|Raises|Examples?|Notes?|Yields)::?$")
_PARAMETERS = frozenset({"args", "arg", "arguments", "parameters"})
_RETURNS = frozenset({"return", "returns"})
_GOOGLE_ITEM = re.compile(r"^\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)$")
_NUMPY_ITEM = re.compile(r"^\*{0,2}(?P<name>\w+)\s*(?::.*)?$")


@dataclass(frozen=True)
class Docstring:
    """A docstring's first paragraph, what comes before its lists, and the lists."""

    summary: str = ""
    details: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    returns: str = ""


def read_docstring(text: str | None) -> Docstring:
    """What a docstring says; empty where there is none."""
    if not text:
        return Docstring()
    parts = _parts(inspect.cleandoc(text).splitlines())
    prose = _paragraphs(parts.pop("", []))
    parameters: dict[str, str] = {}
    returns = ""
    for title, lines in parts.items():
        if title in _PARAMETERS:
            parameters.update(_items(lines))
        elif title in _RETURNS:
            returns = _returned(lines)
    return Docstring(prose[0] if prose else "", "\n\n".join(prose[1:]), parameters, returns)


def _parts(lines: list[str]) -> dict[str, list[str]]:
    """The lines under each heading, those before the first under the empty one."""
    parts: dict[str, list[str]] = {"": []}
    current = parts[""]
    for at, line in enumerate(lines):
        following = lines[at + 1].strip() if at + 1 < len(lines) else ""
        bare = line.strip()
        if _RULE.match(bare):
            continue
        if _RULE.match(following) and bare:
            current = parts.setdefault(bare.lower(), [])
        elif _GOOGLE.match(bare) and line == bare:
            current = parts.setdefault(bare.rstrip(":").lower(), [])
        else:
            current.append(line)
    return parts


def _paragraphs(lines: list[str]) -> list[str]:
    """Paragraphs and the points of lists in one line each; code, which is indented, is left out."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    prose = [p for p in paragraphs if p and not p[0].startswith((" ", ">>>", "```", ".. "))]
    return [_joined(paragraph) for paragraph in prose]


def _joined(lines: list[str]) -> str:
    """The lines as one; a point of a list begins a new one with its mark."""
    bare = [" ".join(line.split()) for line in lines]
    return "".join(f"\n{line}" if line.startswith("- ") else f" {line}" for line in bare).strip()


def _items(lines: list[str]) -> dict[str, str]:
    """The parameters of a list, each with its text in one line."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return {}
    margin = min(len(line) - len(line.lstrip()) for line in filled)
    items: dict[str, list[str]] = {}
    name = ""
    for line in filled:
        bare = line.strip()
        is_first = len(line) - len(line.lstrip()) == margin
        found = (_GOOGLE_ITEM if margin else _NUMPY_ITEM).match(bare) if is_first else None
        if found is not None:
            name = found["name"]
            items[name] = [found["text"]] if margin else []
        elif name:
            items[name].append(bare)
    return {key: " ".join(words).strip() for key, words in items.items()}


def _returned(lines: list[str]) -> str:
    return " ".join(" ".join(line.split()) for line in lines if line.strip())
