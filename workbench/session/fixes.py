"""Applies the edits of a fix to a text."""

from __future__ import annotations

from workbench.core.diagnostics import Edit, Fix


class StaleFixError(Exception):
    """A fix does not fit the text any more: it was made for another one."""


def apply_fix(text: str, fix: Fix) -> str:
    """The text with all edits of a fix made; edits may touch but not overlap.

    Lines and columns count from 1, in characters, lines end with a newline alone. Raises
    StaleFixError.
    """
    starts = _line_starts(text)
    spans = sorted((_span(edit, starts, len(text)) for edit in fix.edits), key=lambda s: s[:2])
    pieces, end = [], 0
    for first, last, replacement in spans:
        if first < end:
            raise StaleFixError(f"{fix.title}: two of its edits overlap")
        pieces += [text[end:first], replacement]
        end = last
    return "".join([*pieces, text[end:]])


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts += [place + 1 for place, character in enumerate(text) if character == "\n"]
    return starts


def _span(edit: Edit, starts: list[int], length: int) -> tuple[int, int, str]:
    where = edit.range
    end_line = where.end_line or where.line
    end_column = where.end_column or where.column
    first = _offset(where.line, where.column, starts, length)
    last = _offset(end_line, end_column, starts, length)
    if last < first:
        raise StaleFixError(f"an edit ends before it begins, in line {where.line}")
    return first, last, edit.text


def _offset(line: int, column: int, starts: list[int], length: int) -> int:
    if not 1 <= line <= len(starts):
        raise StaleFixError(f"the text has no line {line} any more")
    end = starts[line] - 1 if line < len(starts) else length
    offset = starts[line - 1] + column - 1
    if offset > end:
        raise StaleFixError(f"line {line} has no column {column} any more")
    return offset
