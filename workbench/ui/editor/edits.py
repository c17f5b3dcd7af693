"""Edits that keys make at a cursor: new lines, pairs, Backspace; each is one step of undo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtGui import QTextCursor

from workbench.ui.editor.brackets import is_empty_pair, surround, type_character
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.indenting import CONTEXT_LINES, new_line, statement_lines
from workbench.ui.editor.lexing import is_in_text
from workbench.ui.editor.lines import (
    backspace_length,
    home_column,
    indentation,
)
from workbench.ui.editor.units import to_index, to_units

KEEP = QTextCursor.MoveMode.KeepAnchor


@dataclass(frozen=True)
class Place:
    """Where a cursor stands: its line from 0, and the text on both sides of it in that line."""

    line: int
    before: str
    after: str

    @property
    def text(self) -> str:
        """The whole line."""
        return self.before + self.after


def place(cursor: QTextCursor) -> Place:
    """Where the cursor stands."""
    text = cursor.block().text()
    index = to_index(text, cursor.positionInBlock())
    return Place(cursor.blockNumber(), text[:index], text[index:])


def is_in_string(buffer: DocumentBuffer, where: Place) -> bool:
    """Whether what is typed there is part of a string or a comment."""
    lexed = buffer.highlighter.lexed(where.line)
    if lexed is None:
        return False
    at_start = not where.before and buffer.highlighter.is_inside_string(where.line)
    return at_start or is_in_text(where.text, lexed, len(where.before))


@contextmanager
def one_step(cursor: QTextCursor) -> Iterator[None]:
    """Make what is edited in the block one step of undo."""
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def insert_new_line(cursor: QTextCursor, buffer: DocumentBuffer) -> None:
    """Break the line, indented as Python goes on."""
    with one_step(cursor):
        cursor.removeSelectedText()
        where = place(cursor)
        if is_in_string(buffer, where):
            cursor.insertText("\n" + indentation(where.before))
            return
        lines, codes = _context(buffer, where)
        made = new_line(lines, codes, buffer.indent_unit(), where.after)
        blanks = len(where.after) - len(where.after.lstrip(" \t"))
        cursor.setPosition(cursor.position() + blanks, KEEP)
        cursor.insertText("\n" + made.indent)
        if made.closing is not None:
            position = cursor.position()
            cursor.insertText("\n" + made.closing)
            cursor.setPosition(position)


def _context(buffer: DocumentBuffer, where: Place) -> tuple[list[str], list[str]]:
    """The lines of the statement up to the cursor, and their code."""
    start = max(0, where.line - CONTEXT_LINES)
    # Reading all lines in the middle of an edit would take as long as the edit itself.
    find = buffer.document.findBlockByNumber
    lines = [*(find(line).text() for line in range(start, where.line)), where.before]
    codes = [buffer.highlighter.code(start + n) or "" for n in range(len(lines))]
    codes[-1] = codes[-1][: len(where.before)]
    count = statement_lines(codes)
    return lines[-count:], codes[-count:]


def backspace(cursor: QTextCursor, buffer: DocumentBuffer) -> bool:
    """Delete a level of indentation or an empty pair; False where it is an ordinary Backspace."""
    where = place(cursor)
    if cursor.hasSelection() or not where.before:
        return False
    length = backspace_length(where.before, buffer.indent_unit())
    if is_empty_pair(where.before, where.after):
        cursor.setPosition(cursor.position() - 1)
        cursor.setPosition(cursor.position() + 2, KEEP)
    elif length > 1:
        cursor.setPosition(cursor.position() - length, KEEP)
    else:
        return False
    cursor.removeSelectedText()
    return True


def type_text(cursor: QTextCursor, buffer: DocumentBuffer, typed: str) -> bool:
    """Type a bracket or quote with its partner; False where it is an ordinary character."""
    if cursor.hasSelection():
        return _surround(cursor, typed)
    where = place(cursor)
    in_string = is_in_string(buffer, where)
    typing = type_character(typed, where.before, where.after, in_string=in_string)
    if typing is None:
        return False
    if typing.steps_over:
        cursor.setPosition(cursor.position() + 1)
        return True
    with one_step(cursor):
        cursor.insertText(typing.before + typing.after)
        cursor.setPosition(cursor.position() - len(typing.after))
    return True


def _surround(cursor: QTextCursor, typed: str) -> bool:
    sides = surround(typed)
    if sides is None:
        return False
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    with one_step(cursor):
        cursor.setPosition(end)
        cursor.insertText(sides[1])
        cursor.setPosition(start)
        cursor.insertText(sides[0])
    cursor.setPosition(start + 1)
    cursor.setPosition(end + 1, KEEP)
    return True


def go_home(cursor: QTextCursor, *, select: bool) -> None:
    """Move to the first character of the line that is not blank, or from there to the edge."""
    where = place(cursor)
    column = home_column(where.text, len(where.before))
    mode = KEEP if select else QTextCursor.MoveMode.MoveAnchor
    cursor.setPosition(cursor.block().position() + to_units(where.text, column), mode)
