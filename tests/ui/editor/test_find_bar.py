from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from workbench.ui.editor.editor import CodeEditor

MakeEditor = Callable[..., CodeEditor]
State = Callable[[CodeEditor], str]


def focused_name() -> str:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget.text() if isinstance(widget, QPushButton) else widget.accessibleName()


def press(qtbot: QtBot, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget(), key)


def test_tab_leads_from_what_is_typed_to_the_options_and_then_the_buttons(
    make_editor: MakeEditor, qtbot: QtBot
) -> None:
    editor = make_editor("one two one")
    qtbot.waitUntil(editor.isActiveWindow)
    editor.open_find(with_replace=True)
    seen = [focused_name()]
    for _ in range(10):
        press(qtbot, Qt.Key.Key_Tab)
        seen.append(focused_name())
    assert seen == [
        "Find",
        "Replace with",
        "Match upper and lower case",
        "Whole words only",
        "Regular expression",
        "Previous match (Shift+Enter)",
        "Next match (Enter)",
        "Replace",
        "Replace all",
        "Show the replacement",
        "Close (Escape)",
    ]


def test_without_a_replacement_tab_leads_to_the_options(
    make_editor: MakeEditor, qtbot: QtBot
) -> None:
    editor = make_editor("one two one")
    qtbot.waitUntil(editor.isActiveWindow)
    editor.open_find()
    press(qtbot, Qt.Key.Key_Tab)
    assert focused_name() == "Match upper and lower case"


def test_escape_returns_to_the_text_with_the_match_selected(
    make_editor: MakeEditor, state: State, qtbot: QtBot
) -> None:
    editor = make_editor("|one two one")
    qtbot.waitUntil(editor.isActiveWindow)
    editor.open_find()
    qtbot.keyClicks(QApplication.focusWidget(), "two")
    press(qtbot, Qt.Key.Key_Tab)  # from an option as well as from the field
    press(qtbot, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is editor.view
    assert state(editor) == "one |two| one"


def test_escape_leaves_the_selection_where_nothing_is_found(
    make_editor: MakeEditor, state: State, qtbot: QtBot
) -> None:
    editor = make_editor("one |two| one")
    qtbot.waitUntil(editor.isActiveWindow)
    editor.open_find()
    qtbot.keyClicks(QApplication.focusWidget(), "nowhere")
    press(qtbot, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is editor.view
    assert state(editor) == "one |two| one"


def test_a_search_corrected_while_typed_begins_where_it_began(
    make_editor: MakeEditor, state: State, qtbot: QtBot
) -> None:
    editor = make_editor("|one two one")
    qtbot.waitUntil(editor.isActiveWindow)
    editor.open_find()
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "t")
    assert state(editor) == "one |t|wo one"
    press(qtbot, Qt.Key.Key_Backspace)
    qtbot.keyClicks(field, "one")
    assert state(editor) == "|one| two one"
