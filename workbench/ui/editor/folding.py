"""Finds what can be folded, by indentation and as the `workbench` block, and enclosing headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.documents.block import CLOSING, OPENING
from workbench.ui.editor.lines import indentation, width

_STICKY = re.compile(r"[ \t]*(async[ \t]+)?(def|class|with)\b")
_CLOSER = re.compile(r"[ \t]*[)\]}]")

InString = Callable[[int], bool]
"""Whether a line, from 0, begins inside a string."""


@dataclass(frozen=True)
class Region:
    """The lines from `start`, which stays visible, to `end` inclusive, both from 0."""

    start: int
    end: int


def region_at(lines: Sequence[str], start: int, in_string: InString) -> Region | None:
    """What folds into the line `start`, None where nothing does."""
    line = lines[start]
    if line.rstrip() == OPENING:
        return _block_region(lines, start)
    if not _may_head(line) or in_string(start):
        return None
    depth = _depth(line)
    end = start
    for index in range(start + 1, len(lines)):
        if _is_blank(lines[index]):
            continue
        if in_string(index):
            end = index
            continue
        if _depth(lines[index]) <= depth and not _continues(lines[index], depth):
            break
        end = index
    return Region(start, end) if end > start else None


def is_header(lines: Sequence[str], line: int, in_string: InString) -> bool:
    """Whether something folds into a line; looks no further than the next line of code."""
    if lines[line].rstrip() == OPENING:
        return _block_region(lines, line) is not None
    if not _may_head(lines[line]) or in_string(line):
        return False
    for index in range(line + 1, len(lines)):
        if in_string(index):
            return True
        if not _is_blank(lines[index]):
            return _depth(lines[index]) > _depth(lines[line])
    return False


def regions(lines: Sequence[str], in_string: InString) -> list[Region]:
    """Everything that can be folded, outer regions before inner ones."""
    heads = (index for index in range(len(lines)) if is_header(lines, index, in_string))
    found = (region_at(lines, index, in_string) for index in heads)
    return [region for region in found if region]


def enclosing_region(lines: Sequence[str], line: int, in_string: InString) -> Region | None:
    """The innermost region that a line heads or is in."""
    for start in range(line, -1, -1):
        region = region_at(lines, start, in_string) if is_header(lines, start, in_string) else None
        if region and region.end >= line:
            return region
    return None


def enclosing_header(lines: Sequence[str], line: int, in_string: InString) -> int | None:
    """The line of the innermost `def`, `class` or `with` whose body the line is in."""
    depth = _body_depth(lines, line, in_string)
    for index in range(line - 1, -1, -1):
        if depth == 0:
            return None
        text = lines[index]
        if _depth(text) >= depth or _is_blank(text) or in_string(index):
            continue
        if _CLOSER.match(text):
            depth = _depth(text) + 1  # the line that opened the bracket has this depth
            continue
        depth = _depth(text)
        if _STICKY.match(text):
            return index
    return None


def folded_text(lines: Sequence[str], region: Region) -> str:
    """What a folded region says of its inside: its first comment, else how long it is."""
    first = lines[region.start + 1].strip()
    if first.startswith("#") and len(first) > 2 and lines[region.start].rstrip() != OPENING:
        return first.lstrip("# ")
    count = region.end - region.start
    return f"{count} line{'s' if count > 1 else ''}"


def _block_region(lines: Sequence[str], start: int) -> Region | None:
    for index in range(start + 1, len(lines)):
        if not lines[index].startswith("#"):
            return None
        if lines[index].rstrip() == CLOSING:
            return Region(start, index)
    return None


def _body_depth(lines: Sequence[str], line: int, in_string: InString) -> int:
    """The depth of a line; a blank one has that of the next line of code."""
    for index in range(line, len(lines)):
        if not _is_blank(lines[index]) and not in_string(index):
            closes = 1 if _CLOSER.match(lines[index]) else 0
            return _depth(lines[index]) + closes
    return 0


def _may_head(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#") and not _CLOSER.match(line)


def _continues(line: str, depth: int) -> bool:
    """Whether a line closes the bracket that a header at this depth has opened."""
    return _depth(line) == depth and bool(_CLOSER.match(line))


def _is_blank(line: str) -> bool:
    """Blank lines and comments belong to whatever code is around them."""
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _depth(line: str) -> int:
    return width(indentation(line))
