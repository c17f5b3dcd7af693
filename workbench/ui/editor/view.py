"""One view of a document: what keys, wheel and pointer do in it."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from typing import TypeGuard

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QPlainTextEdit, QToolTip, QWidget

from workbench.ui.editor import edits
from workbench.ui.editor.appearance import CODE_PIXELS, MAX_PIXELS, MIN_PIXELS
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.canvas import CodeCanvas
from workbench.ui.editor.line_shift import LineShift
from workbench.ui.editor.problems import Problem
from workbench.ui.theme.theme import Theme

WHEEL_STEP = 120
_KEEP = QTextCursor.MoveMode.KeepAnchor
_CONTROL = Qt.KeyboardModifier.ControlModifier
_NOT_TYPING = _CONTROL | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_READING = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)

Edit = Callable[[QTextCursor, DocumentBuffer], object]
"""An edit at a cursor; it returns False where the key should do what it usually does."""

KeyAction = Callable[[], object]
"""What a key does; False where it should do what it usually does."""


class CodeView(CodeCanvas):
    """The text under the hands: `key_actions` by key (`Ctrl+D`); a filter sees keys before them."""

    zoomed = Signal(int)
    fixes_requested = Signal(int)
    typed = Signal(str)

    def __init__(self, theme: Theme, buffer: DocumentBuffer, parent: QWidget | None = None) -> None:
        super().__init__(theme, buffer, parent)
        self.key_actions: Mapping[str, KeyAction] = {}
        self.key_filter: Callable[[QKeyEvent], bool] | None = None
        #: Shows what is known of a point of the viewport; False leaves it to the tool tip.
        self.hover: Callable[[QPoint], bool] | None = None
        self._wheel = 0
        self._must_refresh_folds = False
        self.setAccessibleName("Code")
        self.gutter.line_pressed.connect(self.select_line)
        self.gutter.fixes_requested.connect(self.fixes_requested)
        self.gutter.fold_toggled.connect(self._on_gutter_fold_toggled)
        self.sticky.pressed.connect(self.show_line)

    def edit(self, change: Edit) -> bool:
        """Edit at the cursor; False where the document is read-only or the edit declined."""
        if self.isReadOnly():
            return False
        cursor = self.textCursor()
        is_done = change(cursor, self.buffer) is not False
        if is_done:
            self.setTextCursor(cursor)
        return is_done

    def go_home(self, *, select: bool) -> None:
        """Move to the first character that is not blank, or from there to the edge."""
        cursor = self.textCursor()
        edits.go_home(cursor, select=select)
        self.setTextCursor(cursor)

    def set_read_only(self, is_read_only: bool) -> None:
        """Forbid edits, or allow them; the cursor moves and selects either way."""
        self.setReadOnly(is_read_only)
        if is_read_only:
            self.setTextInteractionFlags(_READING)

    def set_word_wrap(self, is_on: bool) -> None:
        """Break long lines at the edge of the view, or let them go on beyond it."""
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if is_on else modes.NoWrap)
        self.update_all()

    def select_line(self, line: int) -> None:
        """Select a whole line, from 0."""
        block = self.buffer.document.findBlockByNumber(line)
        end = block.position() + block.length() - 1
        self.show_position(block.position(), end)
        self.setFocus()

    def show_line(self, line: int) -> None:
        """Put the cursor on a line, from 0, and the line where it can be seen."""
        self.show_position(self.buffer.document.findBlockByNumber(line).position())

    def show_position(self, position: int, anchor: int | None = None) -> None:
        """Put the cursor at a position, selecting from `anchor`; unfold it and scroll to it."""
        document = self.buffer.document
        self.buffer.folds.reveal(document.findBlock(position).blockNumber())
        cursor = QTextCursor(document)
        cursor.setPosition(position if anchor is None else anchor)
        cursor.setPosition(position, _KEEP)
        seen = self.viewport().rect().adjusted(0, self.header_height(), 0, 0)
        is_seen = seen.contains(self.cursorRect(cursor))
        self.setTextCursor(cursor)
        if not is_seen:
            self.centerCursor()

    def line_area(self, line: int) -> QRect | None:
        """Where a line, from 0, is in the viewport; None where it is not seen."""
        found = (row for row in self.rows(0, self.viewport().height()) if row.line == line)
        row = next(found, None)
        if row is None:
            return None
        return QRect(0, round(row.top), self.viewport().width(), round(row.height))

    def zoom(self, steps: int) -> None:
        """Make the code larger by that many pixels, or smaller."""
        self._set_pixels(self.buffer.code_pixels + steps)

    def reset_zoom(self) -> None:
        """Show the code in its usual size."""
        self._set_pixels(self._theme.fonts.pixels(CODE_PIXELS))

    def event(self, event: QEvent) -> bool:
        if _is_override(event) and _name(event) in self.key_actions:
            event.accept()  # the key comes here, also where an action of the window has it too
            return True
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self.hover is None or not self.hover(event.pos()):
                QToolTip.showText(event.globalPos(), self.tip(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def tip(self, point: QPoint) -> str:
        """What the tooltip says at a point of the viewport: the problems there."""
        return "<hr>".join(problem_tip(problem) for problem in self.problems_under(point))

    def problems_under(self, point: QPoint) -> list[Problem]:
        """The problems whose text is at a point of the viewport."""
        cursor = self.cursor_under(point)
        return [] if cursor is None else self.problems.at(cursor.position())

    def cursor_under(self, point: QPoint) -> QTextCursor | None:
        """The place in the text at a point of the viewport, None where no text is near it."""
        cursor = self.cursorForPosition(point)
        area = self.cursorRect(cursor)
        is_beside = abs(area.center().x() - point.x()) > area.height()
        return None if is_beside or area.top() > point.y() else cursor

    def column_left(self, line: int, column: int) -> int:
        """The left edge of a character in the viewport, line and column from 0."""
        found = (row for row in self.rows(0, self.viewport().height()) if row.line == line)
        return round(next((row.column_x(column) for row in found), 0.0))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if self.key_filter is not None and self.key_filter(event):
            return
        action = self.key_actions.get(_name(event))
        if action is not None and action() is not False:
            return
        if self._type(event):
            self.typed.emit(event.text())
            return
        super().keyPressEvent(event)
        if _is_typing(event):
            self.typed.emit(event.text())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        if not event.modifiers() & _CONTROL:
            super().wheelEvent(event)
            return
        self._wheel += event.angleDelta().y()
        steps, self._wheel = int(self._wheel / WHEEL_STEP), self._wheel % WHEEL_STEP
        if steps:
            self.zoom(steps)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        point = event.position()
        for row in self.rows(point.y(), point.y() + 1):
            chip = self.notes.chip(row)
            if chip is not None and chip.contains(point):
                self.buffer.folds.toggle(row.line)
                return
        super().mousePressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802 - Qt's name
        """Qt's own would copy a no-break space as a space."""
        data = QMimeData()
        data.setText(self.textCursor().selectedText().replace("\u2029", "\n"))
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802 - Qt's name
        """Files that are dropped are the window's to open."""
        return source.hasText() and not source.hasUrls()

    def _type(self, event: QKeyEvent) -> bool:
        typed = event.text()
        if not _is_typing(event) or len(typed) != 1:
            return False
        return self.edit(lambda cursor, buffer: edits.type_text(cursor, buffer, typed))

    def _set_pixels(self, pixels: int) -> None:
        self.buffer.set_code_pixels(min(max(pixels, MIN_PIXELS), MAX_PIXELS))
        self.zoomed.emit(self.buffer.code_pixels)

    def _on_cursor_position_changed(self) -> None:
        super()._on_cursor_position_changed()
        self.buffer.folds.reveal(self.current_line())
        self._uncover_cursor()

    def _uncover_cursor(self) -> None:
        """Scroll the cursor's line out from under the sticky line."""
        bar, top = self.verticalScrollBar(), self.cursorRect().top()
        if self.sticky.isVisible() and 0 <= top < self.sticky.height() and bar.value():
            bar.setValue(bar.value() - 1)

    def _on_gutter_fold_toggled(self, line: int) -> None:
        self.buffer.folds.toggle(line)
        if not self.textCursor().block().isVisible():
            self.show_line(line)

    def _on_buffer_lines_shifted(self, shift: LineShift) -> None:
        super()._on_buffer_lines_shifted(shift)
        self._must_refresh_folds = True

    def _on_buffer_text_changed(self) -> None:
        super()._on_buffer_text_changed()
        if self._must_refresh_folds:
            self._must_refresh_folds = False
            self.buffer.folds.refresh()


def problem_tip(problem: Problem) -> str:
    """The message of a problem, its help, its code and its targets, as rich text."""
    diagnostic = problem.diagnostic
    notes = " · ".join((diagnostic.code, *diagnostic.targets))
    page = (diagnostic.help or "").startswith("rules/")
    parts: Iterable[str | None] = (diagnostic.message, None if page else diagnostic.help)
    text = "<br>".join(html.escape(part) for part in parts if part)
    return f"<p>{text}</p><p><small><code>{html.escape(notes)}</code></small></p>"


def _is_override(event: QEvent) -> TypeGuard[QKeyEvent]:
    return event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)


def _is_typing(event: QKeyEvent) -> bool:
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & _NOT_TYPING


def _name(event: QKeyEvent) -> str:
    """The name of a key with its modifiers, as `Ctrl+Shift+K`; the number pad's are the same."""
    combination = event.keyCombination()
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    keys = QKeySequence(int(modifiers.value) | int(combination.key()))
    return keys.toString(QKeySequence.SequenceFormat.PortableText)
