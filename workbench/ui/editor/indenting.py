"""Decides the indentation of a new line of Python from the code above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.ui.editor.brackets import OPENERS, PAIRS, Position, open_brackets
from workbench.ui.editor.lines import indentation

_LEAVES_BLOCK = re.compile(r"[ \t]*(return|pass|break|continue|raise)\b")
CONTEXT_LINES = 100


@dataclass(frozen=True)
class NewLine:
    """The indentation of a new line, and that of what follows the cursor, on a line of its own.

    `closing` is None except between two brackets that belong together.
    """

    indent: str
    closing: str | None = None


def new_line(lines: Sequence[str], codes: Sequence[str], unit: str, after: str) -> NewLine:
    """The line that Enter makes below `lines`, the last of which ends at the cursor.

    `codes` are their code (see `LexedLine.code`); `after` is the text right of the cursor.
    """
    opened = open_brackets(list(codes))
    if opened:
        return _in_brackets(lines, codes, opened[-1], unit, after)
    first = _statement_start(codes)
    code = codes[-1].rstrip()
    outer = indentation(lines[first])
    if code.endswith(":"):
        return NewLine(outer + unit)
    if _LEAVES_BLOCK.match(codes[first]):
        return NewLine(outer.removesuffix(unit))
    return NewLine(outer)


def _in_brackets(
    lines: Sequence[str],
    codes: Sequence[str],
    last: tuple[Position, str],
    unit: str,
    after: str,
) -> NewLine:
    """One level deeper than the line of a bracket at its end, else below what follows it."""
    (line, column), bracket = last
    base = indentation(lines[line])
    rest = codes[line][column + 1 :]
    if rest.strip():
        column += 1 + len(rest) - len(rest.lstrip())
        return NewLine(re.sub(r"[^\t]", " ", lines[line][:column]))
    is_pair = line == len(codes) - 1 and after.lstrip()[:1] == PAIRS[bracket]
    return NewLine(base + unit, base if is_pair else None)


def _statement_start(codes: Sequence[str]) -> int:
    """The index of the line on which the statement of the last line begins."""
    depth = 0
    for index in range(len(codes) - 1, -1, -1):
        code = codes[index]
        depth += sum(code.count(closer) for closer in OPENERS)
        depth -= sum(code.count(opener) for opener in PAIRS)
        continued = index > 0 and codes[index - 1].rstrip().endswith("\\")
        if depth <= 0 and not continued:
            return index
    return len(codes) - 1


def statement_lines(codes: Sequence[str], most: int = CONTEXT_LINES) -> int:
    """How many of the last lines have to be looked at: back to one that surely begins afresh."""
    for count in range(1, min(len(codes), most) + 1):
        code = codes[-count]
        if code[:1].isalpha() or code[:1] == "@":
            return count
    return min(len(codes), most)
