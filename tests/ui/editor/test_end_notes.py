"""Hints behind lines: whole parts or none, and never part of the text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.ui.editor.appearance import note_font
from workbench.ui.editor.end_notes import fitting

from .conftest import MakeEditor

HINT = "128×32 · shared · 3 × 8 KiB"


@pytest.mark.parametrize("shown", [HINT, "128×32 · 3 × 8 KiB", "128×32"])
def test_a_hint_loses_whole_parts(shown: str, qapp: object) -> None:
    room = QFontMetricsF(note_font(12)).horizontalAdvance(shown)
    assert fitting(HINT, int(room) + 1, 12) == shown


def test_a_hint_without_room_is_not_written(qapp: object) -> None:
    assert fitting(HINT, 20, 12) == ""


def test_several_buffers_are_cut_like_text(qapp: object) -> None:
    hint = "A, B 64×256 · global · 32 KiB   C 64 · global · 128 B"
    assert fitting(hint, 60, 12) == hint


def test_hints_are_painted_and_not_in_the_text(make_editor: MakeEditor) -> None:
    editor = make_editor("a = 1\nb = 2\n")
    before = editor.grab().toImage()
    editor.set_inlay_hints({1: HINT})
    assert editor.grab().toImage() != before
    editor.view.selectAll()
    assert editor.view.createMimeDataFromSelection().text() == "a = 1\nb = 2\n"
    editor.show_inlay_hints(False)
    editor.view.moveCursor(editor.view.textCursor().MoveOperation.Start)
    assert editor.buffer.text() == "a = 1\nb = 2\n"


def test_a_hint_follows_its_line(make_editor: MakeEditor) -> None:
    editor = make_editor("a = 1\nb = 2\n")
    editor.set_inlay_hints({2: HINT})
    cursor = editor.view.textCursor()
    cursor.setPosition(0)
    cursor.insertText("\n\n")
    assert editor.view.data.hints == {3: HINT}


def test_what_follows_a_comma_goes_first(qapp: object) -> None:
    hint = "64×64 · shared · 8 KiB, at the bytes of O_s"
    room = QFontMetricsF(note_font(12)).horizontalAdvance("64×64 · shared · 8 KiB")
    assert fitting(hint, int(room) + 1, 12) == "64×64 · shared · 8 KiB"


def test_a_problem_of_a_block_is_marked_at_its_head(make_editor: MakeEditor) -> None:
    editor = make_editor("for i in a:\n" + "    b = i\n" * 9)
    where = TextRange(1, 1, 10, 10)
    editor.set_diagnostics([Diagnostic("code", Severity.INFO, "Slow.", where)])
    (problem,) = editor.view.problems.all()
    assert problem.cursor.selectedText() == "for i in a:"
