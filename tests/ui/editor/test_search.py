from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.ui.editor.search import shifted
from workbench.ui.editor.searching import Found, Query

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_typing_a_query_finds_and_counts(make_editor, state) -> None:
    editor = make_editor("|tile b tile\nTile")
    QTest.keyClick(editor.view, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(editor._find_bar.field, "tile")
    assert editor.search.status == "1 of 3"
    assert state(editor) == "|tile| b tile\nTile"


def test_enter_and_shift_enter_go_through_the_matches(make_editor) -> None:
    editor = make_editor("|a b a b a")
    editor.open_find()
    QTest.keyClicks(editor._find_bar.field, "a")
    statuses = []
    for modifiers in (Qt.KeyboardModifier.NoModifier,) * 3 + (SHIFT,):
        QTest.keyClick(editor._find_bar.field, Qt.Key.Key_Return, modifiers)
        statuses.append(editor.search.status)
    assert statuses == ["2 of 3", "3 of 3", "1 of 3", "3 of 3"]


def test_the_selection_is_the_query(make_editor) -> None:
    editor = make_editor("x |tile| tile")
    editor.open_find()
    assert editor._find_bar.field.text() == "tile"
    assert editor.search.status == "1 of 2"


def test_the_switches_change_the_query(make_editor) -> None:
    editor = make_editor("|Tile tile tiles")
    editor.open_find()
    QTest.keyClicks(editor._find_bar.field, "tile")
    editor._find_bar._case.click()
    editor._find_bar._word.click()
    assert editor.search.query == Query("tile", match_case=True, whole_word=True)
    assert editor.search.status == "1 of 1"


def test_all_matches_are_marked_while_the_bar_is_open(make_editor) -> None:
    editor = make_editor("|a b a")
    editor.open_find()
    QTest.keyClicks(editor._find_bar.field, "a")
    assert len(editor.view.matches.found) == 2
    QTest.keyClick(editor._find_bar.field, Qt.Key.Key_Escape)
    assert not editor.view.matches.found
    assert not editor._find_bar.isVisible()


def test_a_wrong_expression_is_told(make_editor) -> None:
    editor = make_editor("|a")
    editor.open_find()
    editor._find_bar._regex.click()
    QTest.keyClicks(editor._find_bar.field, "(")
    assert "unterminated" in editor.search.error
    assert editor._find_bar.field.property("state") == "error"


def test_replace_all_is_one_step_of_undo(make_editor) -> None:
    editor = make_editor("|a1 a2\na3")
    editor.open_find(with_replace=True)
    editor._find_bar._regex.click()
    QTest.keyClicks(editor._find_bar.field, r"a(\d)")
    QTest.keyClicks(editor._find_bar.replacement, r"b\1\1")
    editor._find_bar._on_all_clicked()
    assert editor.buffer.text() == "b11 b22\nb33"
    editor.buffer.document.undo()
    assert editor.buffer.text() == "a1 a2\na3"


def test_replace_goes_from_match_to_match(make_editor, state) -> None:
    editor = make_editor("|a b a")
    editor.open_find(with_replace=True)
    QTest.keyClicks(editor._find_bar.field, "a")
    editor._find_bar.replacement.setFocus()
    QTest.keyClicks(editor._find_bar.replacement, "xy")
    QTest.keyClick(editor._find_bar.replacement, Qt.Key.Key_Return)
    assert state(editor) == "xy b |a|"
    QTest.keyClick(editor._find_bar.replacement, Qt.Key.Key_Return)
    assert editor.buffer.text() == "xy b xy"


def test_a_read_only_document_is_not_replaced_in(make_editor) -> None:
    editor = make_editor("|a")
    editor.set_read_only(True)
    editor.open_find(with_replace=True)
    editor.search.set_query(Query("a"))
    assert editor.search.replace_all("b") == 0
    assert editor.buffer.text() == "a"


def test_matches_beside_characters_of_two_units(make_editor, state) -> None:
    editor = make_editor("'\U0001f600' tile")
    editor.search.start()
    editor.search.set_query(Query("tile"))
    editor.search.go_next()
    assert editor.view.textCursor().selectedText() == "tile"
    editor.search.replace("x")
    assert editor.buffer.text() == "'\U0001f600' x"


def test_matches_follow_the_text(qtbot, make_editor) -> None:
    editor = make_editor("|a b")
    editor.search.start()
    editor.search.set_query(Query("b"))
    QTest.keyClicks(editor.view, "b")
    qtbot.waitUntil(lambda: len(editor.view.matches.found) == 2)


def test_until_then_matches_are_moved_or_dropped() -> None:
    found = [Found(0, 2), Found(4, 6), Found(8, 9)]
    assert shifted(found, 5, 1, 3) == [Found(0, 2), Found(10, 11)]


def test_marks_are_painted(make_editor) -> None:
    editor = make_editor("x tile")
    before = editor.view.viewport().grab().toImage()
    editor.search.start()
    editor.search.set_query(Query("tile"))
    after = editor.view.viewport().grab().toImage()
    rows = editor.view.rows(0, 100)
    point = round(rows[0].column_x(2)) + 1, round(rows[0].top) + 3
    assert before.pixelColor(*point) != after.pixelColor(*point)
