"""Buffers and shown editors of a text, with a cursor where `|` stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.editor import CodeEditor
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

MakeBuffer = Callable[..., DocumentBuffer]
MakeEditor = Callable[..., CodeEditor]


@pytest.fixture
def make_buffer(theme: Theme) -> MakeBuffer:
    def make(text: str = "") -> DocumentBuffer:
        buffer = DocumentBuffer(theme, parent=theme)
        buffer.load(text.encode())
        return buffer

    return make


@pytest.fixture
def make_editor(qtbot: QtBot, icons: Icons, make_buffer: MakeBuffer) -> MakeEditor:
    """Makes a shown editor; `|` in the text is the cursor, and two of them are a selection."""

    def make(text: str = "", provider: object = None) -> CodeEditor:
        parts = text.split("|")
        buffer = make_buffer("".join(parts))
        editor = CodeEditor(icons, buffer, provider)
        qtbot.addWidget(editor)
        editor.resize(700, 400)
        editor.show()
        if len(parts) > 1:
            anchor = len(parts[0])
            position = anchor + len(parts[1]) if len(parts) > 2 else anchor
            editor.view.show_position(position, anchor)
        buffer.highlighter.finish()
        editor.view.setFocus()
        return editor

    return make


def shown(editor: CodeEditor) -> str:
    """The text with the cursor, or the ends of the selection, as `|`."""
    cursor, text = editor.view.textCursor(), editor.buffer.text()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    middle = f"{text[start:end]}|" if end > start else ""
    return f"{text[:start]}|{middle}{text[end:]}"


@pytest.fixture
def state() -> Callable[[CodeEditor], str]:
    return shown
