"""Makes the edits of fixes on a text: all of a fix or none, never on a range that is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from workbench.core.diagnostics import Edit, Fix

_LINE_END = re.compile(r"\r\n|\r|\n")


class StaleFixError(Exception):
    """A fix does not fit the text any more: it was made for another one."""


def apply_fix(text: str, fix: Fix) -> str:
    """The text with all edits of a fix made; edits may touch but not overlap.

    Lines and columns count from 1, in characters; what is written gets the line ends of the text.
    Raises StaleFixError.
    """
    if overlap(fix.edits):
        raise StaleFixError(f"{fix.title}: two of its edits overlap")
    lines = _line_ranges(text)
    spans = [_span(edit, lines) for edit in with_line_ends(fix, text).edits]
    pieces, end = [], 0
    for first, last, replacement in sorted(spans, key=lambda span: span[:2]):
        pieces += [text[end:first], replacement]
        end = last
    return "".join([*pieces, text[end:]])


def with_line_ends(fix: Fix, text: str) -> Fix:
    """The fix with the line ends of the document."""
    if "\r\n" not in text:
        return fix
    edits = [Edit(e.range, e.text.replace("\r\n", "\n").replace("\n", "\r\n")) for e in fix.edits]
    return replace(fix, edits=tuple(edits))


def overlap(edits: Sequence[Edit]) -> bool:
    """Whether two edits change the same characters; those that only touch do not."""
    places = sorted(_place(edit) for edit in edits)
    return any(before[2:] > after[:2] for before, after in pairwise(places))


def _place(edit: Edit) -> tuple[int, int, int, int]:
    where = edit.range
    end = where.end_line or where.line, where.end_column or where.column
    return (where.line, where.column, *end)


def _line_ranges(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends, its line end left out; lines end as Python has them end."""
    ends = [*_LINE_END.finditer(text)]
    starts = [0, *(match.end() for match in ends)]
    return [*zip(starts, [*(match.start() for match in ends), len(text)], strict=True)]


def _span(edit: Edit, lines: Sequence[tuple[int, int]]) -> tuple[int, int, str]:
    line, column, end_line, end_column = _place(edit)
    first, last = _offset(line, column, lines), _offset(end_line, end_column, lines)
    if last < first:
        raise StaleFixError(f"an edit ends before it begins, in line {line}")
    return first, last, edit.text


def _offset(line: int, column: int, lines: Sequence[tuple[int, int]]) -> int:
    if not 1 <= line <= len(lines):
        raise StaleFixError(f"the text has no line {line} any more")
    start, end = lines[line - 1]
    if column < 1 or start + column - 1 > end:
        raise StaleFixError(f"line {line} has no column {column} any more")
    return start + column - 1
