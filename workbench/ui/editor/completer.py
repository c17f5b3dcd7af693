"""Completion while typing: when to ask, what to show, and what a chosen name does to the text."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor

from workbench.ui.editor.completion import (
    Completion,
    CompletionProvider,
    Signature,
    matching,
    word_before,
)
from workbench.ui.editor.completion_popup import NAME_INSET, CompletionPopup, SignatureTip
from workbench.ui.editor.edits import is_in_string, place
from workbench.ui.editor.units import units
from workbench.ui.editor.view import CodeView
from workbench.ui.theme.theme import Theme

LEAST_WORD = 2
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -8,
    Qt.Key.Key_PageDown: 8,
}
_ACCEPT = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class Completer(QObject):
    """Shows what a provider answers in a view; only the answer to the last request counts."""

    def __init__(self, theme: Theme, view: CodeView, provider: CompletionProvider) -> None:
        super().__init__(view)
        self._view, self._provider = view, provider
        self.popup = CompletionPopup(theme, view)
        self.tip = SignatureTip(theme, view)
        self._known: tuple[Completion, ...] = ()
        self._word_start = -1
        self._asked = self._asked_signatures = 0
        view.key_filter = self._filter_key
        view.typed.connect(self._on_view_typed)
        view.cursorPositionChanged.connect(self._on_view_cursor_position_changed)
        view.verticalScrollBar().valueChanged.connect(self.hide)
        self.popup.clicked.connect(self._accept)
        provider.completed.connect(self._on_provider_completed)
        provider.signatures_found.connect(self._on_provider_signatures_found)

    def complete(self) -> None:
        """Ask for what may stand at the cursor."""
        if self._view.isReadOnly():
            return
        where = place(self._view.textCursor())
        word = word_before(where.before)
        self._word_start = self._view.textCursor().position() - units(word)
        buffer = self._view.buffer
        self._asked = self._provider.complete(
            buffer.text(), where.line + 1, len(where.before), buffer.path
        )

    def hide(self) -> None:
        """Hide list and tip."""
        self._asked = self._asked_signatures = 0
        self.popup.hide()
        self.tip.hide()

    def _ask_signatures(self) -> None:
        where, buffer = place(self._view.textCursor()), self._view.buffer
        self._asked_signatures = self._provider.find_signatures(
            buffer.text(), where.line + 1, len(where.before), buffer.path
        )

    def _on_view_typed(self, text: str) -> None:
        where = place(self._view.textCursor())
        if is_in_string(self._view.buffer, where):
            self.hide()
        elif text in ("(", ",", ")") or (self.tip.isVisible() and text == " "):
            self.popup.hide()
            self._ask_signatures()
        elif text == "." or (
            not self.popup.isVisible() and len(word_before(where.before)) == LEAST_WORD
        ):
            self.complete()

    def _on_view_cursor_position_changed(self) -> None:
        if self.popup.isVisible():
            self._show_matching()
        if self.tip.isVisible() and not place(self._view.textCursor()).before.strip():
            self.tip.hide()

    def _on_provider_completed(self, number: int, items: tuple[Completion, ...]) -> None:
        if number == self._asked:
            self._known = items
            self._show_matching()

    def _on_provider_signatures_found(self, number: int, found: tuple[Signature, ...]) -> None:
        if number != self._asked_signatures:
            return
        if found:
            self.tip.show_signature(found[0], self._cursor_area(), self._view.buffer.code_pixels)
        else:
            self.tip.hide()

    def _show_matching(self) -> None:
        """Show what fits the word at the cursor, if it is still the word that was asked about."""
        cursor = self._view.textCursor()
        word = word_before(place(cursor).before)
        is_same = cursor.position() - units(word) == self._word_start
        items = matching(self._known, word) if is_same else ()
        if items and not (len(items) == 1 and items[0].name == word):
            pixels = self._view.buffer.code_pixels
            # The names in the list stand below the word that they would replace.
            area = self._cursor_area()
            word_width = self._view.fontMetrics().horizontalAdvance(word)
            area.translate(-word_width - NAME_INSET, 0)
            self.popup.show_items(items, area, pixels)
        else:
            self.popup.hide()

    def _filter_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape and (self.popup.isVisible() or self.tip.isVisible()):
            self.hide()
            return True
        if not self.popup.isVisible() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if key in _STEPS:
            self.popup.move_by(_STEPS[key])
        elif key in _ACCEPT:
            self._accept()
        else:
            return False
        return True

    def _accept(self) -> None:
        chosen = self.popup.chosen
        self.popup.hide()
        self._asked = 0
        if chosen is None:
            return
        cursor = self._view.textCursor()
        cursor.setPosition(self._word_start, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(chosen.name)
        self._view.setTextCursor(cursor)

    def _cursor_area(self) -> QRect:
        area = self._view.cursorRect()
        return QRect(
            self._view.viewport().mapTo(self._view, QPoint(0, 0)) + area.topLeft(), area.size()
        )
