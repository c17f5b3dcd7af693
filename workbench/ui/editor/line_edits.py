"""Edits of whole lines that keys make: indentation, comments, moves, copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextCursor

from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.edits import KEEP, one_step, place
from workbench.ui.editor.lines import (
    dedented,
    indented,
    smallest_change,
    tab_text,
    toggle_comment,
)
from workbench.ui.editor.units import to_units, units


def selected_lines(cursor: QTextCursor, buffer: DocumentBuffer) -> tuple[int, int]:
    """The first and last line of the selection, with what is folded into the last.

    A line of which the selection only touches the start is not selected.
    """
    document = buffer.document
    first = document.findBlock(cursor.selectionStart()).blockNumber()
    end = document.findBlock(cursor.selectionEnd())
    last = end.blockNumber()
    if last > first and cursor.selectionEnd() == end.position():
        last -= 1
    region = buffer.folds.region(last) if last in buffer.folds.folded else None
    return first, region.end if region else last


def change_lines(buffer: DocumentBuffer, first: int, lines: Sequence[str]) -> None:
    """Put `lines` in the place of as many from `first` on, editing only what differs."""
    cursor = QTextCursor(buffer.document)
    with one_step(cursor):
        for offset, new in enumerate(lines):
            block = buffer.document.findBlockByNumber(first + offset)
            old = block.text()
            change = smallest_change(old, new)
            if change:
                cursor.setPosition(block.position() + to_units(old, change.start))
                cursor.setPosition(block.position() + to_units(old, change.end), KEEP)
                cursor.insertText(change.text)


def _map_lines(
    cursor: QTextCursor, buffer: DocumentBuffer, change: Callable[[list[str]], list[str]]
) -> None:
    first, last = selected_lines(cursor, buffer)
    block = buffer.document.findBlockByNumber(first)
    is_whole = cursor.hasSelection() and cursor.selectionStart() == block.position()
    is_forward = cursor.position() > cursor.anchor()
    change_lines(buffer, first, change(buffer.lines()[first : last + 1]))
    if is_whole:  # what was inserted at the start of the selection belongs to it
        ends = (block.position(), cursor.selectionEnd())
        _select(cursor, *(ends if is_forward else reversed(ends)))


def toggle_comments(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Comment or uncomment the selected lines."""
    _map_lines(cursor, buffer, toggle_comment)


def indent(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Indent the selected lines; without a selection insert up to the next level."""
    unit = buffer.indent_unit()
    if cursor.hasSelection():
        _map_lines(cursor, buffer, lambda lines: [indented(line, unit) for line in lines])
    else:
        cursor.insertText(tab_text(place(cursor).before, unit))


def dedent(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Take one level from the selected lines, or from the line of the cursor."""
    unit = buffer.indent_unit()
    _map_lines(cursor, buffer, lambda lines: [dedented(line, unit) for line in lines])


def duplicate_lines(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Copy the selected lines below themselves; the cursor goes to the copy."""
    first, last = selected_lines(cursor, buffer)
    text = "\n".join(buffer.lines()[first : last + 1])
    other = QTextCursor(buffer.document.findBlockByNumber(first))
    anchor, position = cursor.anchor(), cursor.position()
    other.insertText(f"{text}\n")
    _select(cursor, anchor + units(text) + 1, position + units(text) + 1)


def _move_lines(cursor: QTextCursor, buffer: DocumentBuffer, *, up: bool) -> None:
    """Swap the selected lines with the one above or below them."""
    first, last = selected_lines(cursor, buffer)
    lines = buffer.lines()
    passed = first - 1 if up else last + 1
    if not 0 <= passed < len(lines):
        return
    text, step = lines[passed], units(lines[passed]) + 1
    anchor, position = cursor.anchor(), cursor.position()
    other = QTextCursor(buffer.document.findBlockByNumber(first - 1 if up else last))
    with one_step(other):
        if up:
            other.setPosition(other.position() + step, KEEP)
            other.removeSelectedText()
            _to_end_of_line(other, last - 1)
            other.insertText(f"\n{text}")
        else:
            _to_end_of_line(other, last)
            other.setPosition(other.position() + step, KEEP)
            other.removeSelectedText()
            other.setPosition(buffer.document.findBlockByNumber(first).position())
            other.insertText(f"{text}\n")
    step = -step if up else step
    _select(cursor, anchor + step, position + step)


def move_lines_up(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Swap the selected lines with the one above them."""
    _move_lines(cursor, buffer, up=True)


def move_lines_down(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Swap the selected lines with the one below them."""
    _move_lines(cursor, buffer, up=False)


def _to_end_of_line(cursor: QTextCursor, line: int) -> None:
    block = cursor.document().findBlockByNumber(line)
    cursor.setPosition(block.position() + block.length() - 1)


def _select(cursor: QTextCursor, anchor: int, position: int) -> None:
    cursor.setPosition(anchor)
    cursor.setPosition(position, KEEP)
