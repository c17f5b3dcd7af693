"""Edits of whole lines as functions from lines to lines: indentation, comments, backspace, home."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_UNIT = "    "
TAB_COLUMNS = 4
_COMMENT = "# "


@dataclass(frozen=True)
class Change:
    """Replace the characters from `start` to `end` of a line, counted from 0, by `text`."""

    start: int
    end: int
    text: str


def indentation(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def width(indent: str) -> int:
    """The columns that an indentation takes; a tab goes to the next multiple of `TAB_COLUMNS`."""
    return len(indent.expandtabs(TAB_COLUMNS))


def indent_unit(lines: Sequence[str]) -> str:
    """What one level of indentation is in these lines: a tab, or two to eight spaces."""
    steps: Counter[str] = Counter()
    before = 0
    for line in lines:
        if not line.strip():
            continue
        indent = indentation(line)
        step = width(indent) - before
        before = width(indent)
        if step > 0:
            steps["\t" if indent.startswith("\t") else " " * step] += 1
    found = [unit for unit, _ in steps.most_common() if unit == "\t" or 2 <= len(unit) <= 8]
    return found[0] if found else DEFAULT_UNIT


def indented(line: str, unit: str) -> str:
    """The line one level deeper; an empty line stays empty."""
    return unit + line if line.strip() else line


def dedented(line: str, unit: str) -> str:
    """The line one level less deep, or at the left edge."""
    if line.startswith("\t"):
        return line[1:]
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, width(unit)) :]


def toggle_comment(lines: Sequence[str]) -> list[str]:
    """Comment the lines, all at the least indentation; uncomment them where each is a comment."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^([ \t]*)# ?", r"\1", line) for line in lines]
    at = min(len(indentation(line)) for line in filled or lines)
    is_single = len(lines) == 1
    return [
        f"{line[:at]}{_COMMENT}{line[at:]}" if line.strip() or is_single else line for line in lines
    ]


def backspace_length(before: str, unit: str) -> int:
    """How many characters Backspace deletes where `before` stands left of the cursor.

    In an indentation of spaces it goes back to the previous level; elsewhere it takes one.
    """
    if not before or before.strip(" ") or unit == "\t":
        return 1
    return (len(before) - 1) % len(unit) + 1


def tab_text(before: str, unit: str) -> str:
    """What Tab inserts without a selection: what is missing to the next level."""
    if unit == "\t":
        return unit
    return " " * (len(unit) - width(before) % len(unit))


def home_column(line: str, column: int) -> int:
    """Where Home goes: to the first character that is not blank, and from there to the edge."""
    first = len(indentation(line))
    return 0 if column == first else first


def smallest_change(old: str, new: str) -> Change | None:
    """The one change that turns a line into another, None where they are the same."""
    if old == new:
        return None
    start = _common(old, new)
    same = _common(old[start:][::-1], new[start:][::-1])
    return Change(start, len(old) - same, new[start : len(new) - same])


def _common(one: str, other: str) -> int:
    """How many first characters two texts have in common."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
