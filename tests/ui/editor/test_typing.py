"""What keys do to the text; `|` is the cursor, two of them are the ends of a selection."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
Key = Qt.Key

PRESSES = [
    ("new line", "if x:|", Key.Key_Return, NONE, "if x:\n    |"),
    ("new line in brackets", "f(|)", Key.Key_Return, NONE, "f(\n    |\n)"),
    ("new line takes blanks away", "a |  b", Key.Key_Return, NONE, "a \n|b"),
    ("no line separator", "a|", Key.Key_Return, SHIFT, "a\n|"),
    ("new line in a string", "  '''x: |'''", Key.Key_Return, NONE, "  '''x: \n  |'''"),
    ("tab fills up", "ab|", Key.Key_Tab, NONE, "ab  |"),
    ("tab indents", "|a\nb|\n", Key.Key_Tab, NONE, "|    a\n    b|\n"),
    ("shift tab dedents", "    a|", Key.Key_Backtab, SHIFT, "a|"),
    ("a touched line stays", "|    a\n|    b", Key.Key_Backtab, SHIFT, "|a\n|    b"),
    (
        "backspace on indentation",
        "if x:\n    if y:\n        |a",
        Key.Key_Backspace,
        NONE,
        "if x:\n    if y:\n    |a",
    ),
    ("backspace in a pair", "f(|)", Key.Key_Backspace, NONE, "f|"),
    ("backspace elsewhere", "ab|", Key.Key_Backspace, NONE, "a|"),
    ("backspace of a selection", "a|b|c", Key.Key_Backspace, NONE, "a|c"),
    ("home", "    ab|", Key.Key_Home, NONE, "    |ab"),
    ("home again", "    |ab", Key.Key_Home, NONE, "|    ab"),
    ("home selecting", "    ab|", Key.Key_Home, SHIFT, "    |ab|"),
    ("move up", "a\nb|c\nd", Key.Key_Up, ALT, "b|c\na\nd"),
    ("move the first up", "a|\nb", Key.Key_Up, ALT, "a|\nb"),
    ("move down", "a|b\nc", Key.Key_Down, ALT, "c\na|b"),
    ("move the last down", "a\nb|", Key.Key_Down, ALT, "a\nb|"),
    ("move a selection", "a\n|b\nc|\nd", Key.Key_Down, ALT, "a\nd\n|b\nc|"),
    ("duplicate", "a|b\nc", Key.Key_D, CONTROL, "ab\na|b\nc"),
    ("duplicate a selection", "|a\nb|", Key.Key_D, CONTROL, "a\nb\n|a\nb|"),
    ("comment", "  a|b", Key.Key_Slash, CONTROL, "  # a|b"),
    ("uncomment", "  # a|b", Key.Key_Slash, CONTROL, "  a|b"),
]


@pytest.mark.parametrize(
    ("text", "key", "modifiers", "result"),
    [entry[1:] for entry in PRESSES],
    ids=[entry[0] for entry in PRESSES],
)
def test_a_key_does(make_editor, state, text, key, modifiers, result) -> None:
    editor = make_editor(text)
    QTest.keyClick(editor.view, key, modifiers)
    assert state(editor) == result


@pytest.mark.parametrize(
    ("text", "key", "modifiers"),
    [entry[1:4] for entry in PRESSES],
    ids=[entry[0] for entry in PRESSES],
)
def test_a_key_is_one_step_of_undo(make_editor, text, key, modifiers) -> None:
    editor = make_editor(text)
    QTest.keyClick(editor.view, key, modifiers)
    editor.buffer.document.undo()
    assert editor.buffer.text() == text.replace("|", "")
    assert not editor.buffer.is_modified


@pytest.mark.parametrize(
    ("text", "typed", "result"),
    [
        ("|", "f(", "f(|)"),
        ("|", "f(a)", "f(a)|"),
        ("|", "x = 'a'", "x = 'a'|"),
        ("|", '"""', '"""|"""'),
        ("|ab|", "(", "(|ab|)"),
        ("|ab|", '"', '"|ab|"'),
        ("|ab|", "x", "x|"),
        ("# it|", "'", "# it'|"),
        ("|x", "(", "(|x"),
    ],
)
def test_typing_pairs(make_editor, state, text: str, typed: str, result: str) -> None:
    editor = make_editor(text)
    QTest.keyClicks(editor.view, typed)
    assert state(editor) == result


def test_keys_work_beside_characters_of_two_units(make_editor, state) -> None:
    editor = make_editor("'\U0001f600'")
    editor.go_to(1, 4)
    QTest.keyClicks(editor.view, "(")
    assert editor.buffer.text() == "'\U0001f600'()"
    QTest.keyClick(editor.view, Key.Key_Backspace)
    assert editor.buffer.text() == "'\U0001f600'"
    assert editor.cursor_place == (1, 4)


@pytest.mark.parametrize(
    ("text", "key", "modifiers"),
    [entry[1:4] for entry in PRESSES if "home" not in entry[0]],
    ids=[entry[0] for entry in PRESSES if "home" not in entry[0]],
)
def test_nothing_edits_a_read_only_document(make_editor, text, key, modifiers) -> None:
    editor = make_editor(text)
    editor.set_read_only(True)
    QTest.keyClick(editor.view, key, modifiers)
    QTest.keyClicks(editor.view, "x(")
    assert editor.buffer.text() == text.replace("|", "")


def test_a_read_only_document_can_be_edited_again(make_editor, state) -> None:
    editor = make_editor("|")
    editor.set_read_only(True)
    editor.set_read_only(False)
    QTest.keyClicks(editor.view, "x")
    assert state(editor) == "x|"


def test_lines_move_with_what_is_folded_into_them(make_editor) -> None:
    editor = make_editor("|if x:\n    y\nz")
    editor.buffer.folds.toggle(0)
    QTest.keyClick(editor.view, Key.Key_Down, ALT)
    assert editor.buffer.text() == "z\nif x:\n    y"


def test_a_tab_indented_file_gets_tabs(make_editor, state) -> None:
    editor = make_editor("if x:\n\ty\nif z:|")
    QTest.keyClick(editor.view, Key.Key_Return)
    assert state(editor) == "if x:\n\ty\nif z:\n\t|"


def test_copied_text_keeps_its_no_break_spaces(make_editor) -> None:
    editor = make_editor("|a\u00a0b\nc|")
    assert editor.view.createMimeDataFromSelection().text() == "a\u00a0b\nc"
