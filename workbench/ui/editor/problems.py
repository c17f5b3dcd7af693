"""The diagnostics of a document at their places in the text, which follow edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor, QTextDocument

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.ui.editor.appearance import SEVERITY_ORDER
from workbench.ui.editor.line_shift import LineShift
from workbench.ui.editor.lines import indentation
from workbench.ui.editor.units import to_units

ANNOTATION_LENGTH = 90
MOST_LINES = 4  # of a range that is marked as a whole

Annotate = Callable[[Diagnostic], str | None]


@dataclass(frozen=True)
class Problem:
    """A diagnostic and the text that it is about; `cursor` selects that text."""

    diagnostic: Diagnostic
    cursor: QTextCursor
    annotation: str | None

    @property
    def line(self) -> int:
        """The line, from 0, at which it begins now."""
        return self._block(self.cursor.selectionStart())

    @property
    def last_line(self) -> int:
        """The line at which it ends now."""
        return self._block(self.cursor.selectionEnd())

    def _block(self, position: int) -> int:
        return self.cursor.document().findBlock(position).blockNumber()


class Problems(QObject):
    """The diagnostics that one editor shows, those without a range left out."""

    changed = Signal()

    def __init__(self, document: QTextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._all: list[Problem] = []
        self._by_line: dict[int, list[Problem]] = {}
        self._long: list[tuple[int, int, Problem]] = []
        self._is_sorted = True
        # First and last line of each, None where an edit makes them to be found anew.
        self._lines: list[tuple[int, int] | None] = []

    def set(self, diagnostics: Iterable[Diagnostic], annotate: Annotate) -> None:
        """Show these and no others."""
        self._all = [
            Problem(diagnostic, place(self._document, diagnostic.range), annotate(diagnostic))
            for diagnostic in diagnostics
            if diagnostic.range is not None
        ]
        self._all.sort(key=lambda problem: problem.cursor.selectionStart())
        self._lines = [None] * len(self._all)
        self._is_sorted = False
        self.changed.emit()

    def follow(self, shift: LineShift) -> None:
        """Take note of an edit that moved lines."""
        self._lines = [
            (line + shift.delta, last + shift.delta)
            if line > shift.last
            else ((line, last) if last < shift.first else None)
            for line, last in (lines or (shift.first, shift.last) for lines in self._lines)
        ]
        self._is_sorted = False

    def all(self) -> Sequence[Problem]:
        """All problems in the order of the text."""
        return self._all

    def on_line(self, line: int) -> Sequence[Problem]:
        """Those that begin on a line, from 0, the gravest first."""
        self._sort_by_line()
        return self._by_line.get(line, ())

    def touching(self, first: int, last: int) -> list[Problem]:
        """Those of which a part is on the lines `first` to `last`."""
        self._sort_by_line()
        above = [problem for line, end, problem in self._long if line < first <= end]
        return above + [p for line in range(first, last + 1) for p in self._by_line.get(line, ())]

    def at(self, position: int) -> list[Problem]:
        """Those whose text contains a position."""
        return [
            problem
            for problem in self._all
            if problem.cursor.selectionStart() <= position <= problem.cursor.selectionEnd()
        ]

    def severity(self, line: int) -> Severity | None:
        """The gravest severity of what begins on a line."""
        found = self.on_line(line)
        return found[0].diagnostic.severity if found else None

    def has_fix(self, line: int) -> bool:
        """Whether one of the line's problems can be mended with a fix."""
        return any(problem.diagnostic.fixes for problem in self.on_line(line))

    def after(self, position: int) -> Problem | None:
        """The first problem that begins after a position, else the first of all."""
        later = (p for p in self._all if p.cursor.selectionStart() > position)
        return next(later, self._all[0] if self._all else None)

    def before(self, position: int) -> Problem | None:
        """The last problem that begins before a position, else the last of all."""
        earlier = [p for p in self._all if p.cursor.selectionStart() < position]
        found = earlier or self._all
        return found[-1] if found else None

    def _sort_by_line(self) -> None:
        if self._is_sorted:
            return
        self._by_line, self._long, self._is_sorted = {}, [], True
        for index, problem in enumerate(self._all):
            line, last = self._lines[index] or (problem.line, problem.last_line)
            self._lines[index] = (line, last)
            self._by_line.setdefault(line, []).append(problem)
            if last > line:
                self._long.append((line, last, problem))
        for found in self._by_line.values():
            found.sort(key=lambda problem: SEVERITY_ORDER.index(problem.diagnostic.severity))


def first_clause(diagnostic: Diagnostic) -> str:
    """What is written behind the line: the message's first clause, and the fix if there is one."""
    clause = diagnostic.message.split("\n")[0].split(". ")[0].split("; ")[0].rstrip(".")
    if len(clause) > ANNOTATION_LENGTH:
        clause = clause[: ANNOTATION_LENGTH - 1].rstrip() + "…"
    return f"{clause} · {diagnostic.fixes[0].title}" if diagnostic.fixes else clause


def place(document: QTextDocument, where: TextRange) -> QTextCursor:
    """Select a range, cut to the document; without an end it goes to the end of the line.

    Of a block only the first line is selected: what is said of a loop is said at its head.
    """
    start = position(document, where.line, where.column)
    end_line = where.end_line or where.line
    whole = where.end_column is None
    if end_line - where.line >= MOST_LINES:
        end_line, whole = where.line, True
    end = position(document, end_line, 1 << 30 if whole else where.end_column or 1)
    if where.end_column is None and where.column == 1:
        start += len(indentation(document.findBlock(start).text()))
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(max(start, end), QTextCursor.MoveMode.KeepAnchor)
    if start >= end:
        _select_word(cursor, start)
    return cursor


def position(document: QTextDocument, line: int, column: int) -> int:
    """The position of a line and column from 1, cut to the document and the line."""
    block = document.findBlockByNumber(min(max(line, 1), document.blockCount()) - 1)
    return block.position() + to_units(block.text(), max(column, 1) - 1)


def _select_word(cursor: QTextCursor, start: int) -> None:
    """Select something that can be seen where a range is empty: a word, or one character."""
    cursor.setPosition(start)
    cursor.select(QTextCursor.SelectionType.WordUnderCursor)
    if not cursor.hasSelection():
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor)
