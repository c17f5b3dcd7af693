"""The search in one view: its matches kept up to date with the text, moves and replacements."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor

from workbench.ui.editor.searching import (
    MAX_MATCHES,
    Found,
    PatternError,
    Query,
    compiled,
    find_all,
    next_index,
    previous_index,
    replacements,
)
from workbench.ui.editor.units import UnitMap
from workbench.ui.editor.view import CodeView

SEARCH_MILLISECONDS = 100


class Search(QObject):
    """Finds and replaces in the document of a view; all matches are marked while it is on."""

    changed = Signal()

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view
        self._query = Query()
        self._error = ""
        self._is_on = False
        # From where a search looks while it is typed: letter by letter it must not drift away.
        self._origin = view.textCursor()
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_MILLISECONDS)
        self._timer.timeout.connect(self._search)
        view.buffer.document.contentsChange.connect(self._on_document_contents_change)
        view.cursorPositionChanged.connect(self._on_view_cursor_position_changed)

    @property
    def query(self) -> Query:
        """What is looked for."""
        return self._query

    @property
    def error(self) -> str:
        """Why nothing can be found with this query; empty where it is right."""
        return self._error

    @property
    def status(self) -> str:
        """How many matches there are, and which one is selected."""
        count, current = len(self._view.matches.found), self._view.matches.current
        total = f"{count:,}+" if count == MAX_MATCHES else f"{count:,}"
        if not self._query.text:
            return ""
        if not count:
            return "no match"
        return f"{current + 1:,} of {total}" if current is not None else f"{total} found"

    def start(self) -> None:
        """Mark the matches from now on."""
        self._is_on = True
        self._origin = self._view.textCursor()
        self._search()

    def stop(self) -> None:
        """Take the marks away; the query stays."""
        self._is_on = False
        self._timer.stop()
        self._take([])

    def set_query(self, query: Query) -> None:
        """Look for something else, without moving the cursor."""
        self._query = query
        self._search()

    def go_next(self) -> bool:
        """Select the next match, from the start again after the last; False where none is."""
        cursor = self._view.textCursor()
        start = cursor.selectionEnd() if cursor.hasSelection() else cursor.position()
        return self._move(next_index(self._up_to_date(), start))

    def go_previous(self) -> bool:
        """Select the previous match; False where there is none."""
        start = self._view.textCursor().selectionStart()
        return self._move(previous_index(self._up_to_date(), start))

    def go_nearest(self) -> bool:
        """Select the match nearest to where the search began, while it is typed.

        Without a match the cursor goes back there.
        """
        origin = self._origin
        if self._go(next_index(self._up_to_date(), origin.selectionStart())):
            return True
        self._view.show_position(origin.position(), origin.anchor())
        return False

    def replace(self, template: str) -> bool:
        """Replace the selected match and go on to the next; False where there is none."""
        self._up_to_date()
        if self._view.matches.current is None or self._view.isReadOnly():
            return self.go_next()
        text = self._view.buffer.text()
        try:
            made = replacements(text, self._query, template)
        except PatternError as error:
            return self._fail(error)
        self._write([self._in_units(text, made)[self._view.matches.current]])
        self._search()
        return self.go_next()

    def replace_all(self, template: str) -> int:
        """Replace every match as one step of undo; returns how many there were."""
        if self._view.isReadOnly() or not self._query.text:
            return 0
        text = self._view.buffer.text()
        try:
            made = self._in_units(text, replacements(text, self._query, template))
        except PatternError as error:
            self._fail(error)
            return 0
        self._write(made)
        self._search()
        return len(made)

    def _in_units(self, text: str, made: list[tuple[Found, str]]) -> list[tuple[Found, str]]:
        units = UnitMap(text)
        return [(Found(units.to_units(f.start), units.to_units(f.end)), new) for f, new in made]

    def _write(self, made: list[tuple[Found, str]]) -> None:
        cursor = QTextCursor(self._view.buffer.document)
        cursor.beginEditBlock()
        for found, text in reversed(made):
            cursor.setPosition(found.start)
            cursor.setPosition(found.end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(text)
        cursor.endEditBlock()

    def _fail(self, error: PatternError) -> bool:
        self._error = str(error)
        self.changed.emit()
        return False

    def _search(self) -> None:
        self._timer.stop()
        self._error = ""
        text = self._view.buffer.text() if self._is_on else ""
        try:
            compiled(self._query)
            units = UnitMap(text)
            found = find_all(text, self._query)
            self._take([Found(units.to_units(f.start), units.to_units(f.end)) for f in found])
        except PatternError as error:
            self._error = str(error)
            self._take([])

    def _up_to_date(self) -> list[Found]:
        if self._timer.isActive():
            self._search()
        return list(self._view.matches.found)

    def _take(self, found: list[Found]) -> None:
        self._view.matches.found = found
        self._on_view_cursor_position_changed()
        self._view.viewport().update()
        self.changed.emit()

    def _move(self, index: int | None) -> bool:
        """Go to a match that was asked for: a search typed anew begins there."""
        is_found = self._go(index)
        if is_found:
            self._origin = self._view.textCursor()
        return is_found

    def _go(self, index: int | None) -> bool:
        if index is None:
            return False
        found = self._view.matches.found[index]
        self._view.show_position(found.end, found.start)
        return True

    def _on_document_contents_change(self, position: int, removed: int, added: int) -> None:
        if not self._is_on or not self._query.text:
            return
        self._view.matches.found = shifted(self._view.matches.found, position, removed, added)
        self._timer.start()

    def _on_view_cursor_position_changed(self) -> None:
        cursor, found = self._view.textCursor(), self._view.matches.found
        selected = Found(cursor.selectionStart(), cursor.selectionEnd())
        index = bisect_left(found, selected)
        current = index if index < len(found) and found[index] == selected else None
        if current != self._view.matches.current:
            self._view.matches.current = current
            self.changed.emit()


def shifted(found: Sequence[Found], position: int, removed: int, added: int) -> list[Found]:
    """The matches after an edit until they are searched anew: moved, or dropped if touched."""
    end, delta = position + removed, added - removed
    before = [match for match in found if match.end <= position]
    after = [Found(match.start + delta, match.end + delta) for match in found if match.start >= end]
    return before + after
