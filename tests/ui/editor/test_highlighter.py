from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QTextCursor
from pytestqt.qtbot import QtBot

from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.theme.tokens import DARK, LIGHT


def colours(buffer: DocumentBuffer, line: int) -> dict[str, str]:
    """The pieces of a line that have a format, by their colour."""
    block = buffer.document.findBlockByNumber(line)
    raw = block.text().encode("utf-16-le")
    return {
        raw[2 * r.start : 2 * (r.start + r.length)].decode("utf-16-le"): r.format.foreground()
        .color()
        .name(QColor.NameFormat.HexRgb)
        .upper()
        for r in block.layout().formats()
    }


def settle(qtbot: QtBot, buffer: DocumentBuffer) -> None:
    qtbot.waitUntil(lambda: buffer.highlighter.is_done, timeout=20_000)


def test_lines_have_the_colours_of_the_theme(qtbot, make_buffer) -> None:
    buffer = make_buffer("def f(x): return T.copy('a')")
    settle(qtbot, buffer)
    found = colours(buffer, 0)
    assert found["def"] == DARK.syntax_keyword
    assert found["'a'"] == DARK.syntax_string
    assert found["T"] == DARK.syntax_builtin
    assert found["copy"] == DARK.syntax_function


def test_the_theme_recolours(qtbot, make_buffer, theme) -> None:
    buffer = make_buffer("def f(): pass")
    settle(qtbot, buffer)
    theme.set_choice("light")
    settle(qtbot, buffer)
    assert colours(buffer, 0)["def"] == LIGHT.syntax_keyword


def test_characters_of_two_units_do_not_move_colours(qtbot, make_buffer) -> None:
    buffer = make_buffer("'\U0001f600' if x else 1")
    settle(qtbot, buffer)
    assert colours(buffer, 0)["if"] == DARK.syntax_keyword


def test_what_is_seen_is_coloured_before_what_is_above(make_buffer) -> None:
    buffer = make_buffer("x = 1\n" * 3000 + 'y = """\nfor\n"""\n' + "x = 1\n" * 100)
    buffer.highlighter.ensure(3001, 3003)
    assert colours(buffer, 3001) == {"for": DARK.syntax_string}
    assert colours(buffer, 2000) == {}


def test_the_rest_is_coloured_when_idle(qtbot, make_buffer) -> None:
    buffer = make_buffer("x = 1\n" * 3000 + "for")
    buffer.highlighter.ensure(1000, 1010)
    settle(qtbot, buffer)
    assert colours(buffer, 3000)["for"] == DARK.syntax_keyword
    assert colours(buffer, 2000)["1"] == DARK.syntax_number


def test_a_wrong_guess_is_mended(qtbot, make_buffer) -> None:
    # The guess takes the quotes in the replacement field of an f-string for a string's end.
    buffer = make_buffer("f'{'\"\"\"'}'\n" + "for\n" * 50)
    buffer.highlighter.ensure(30, 35)
    settle(qtbot, buffer)
    assert colours(buffer, 32)["for"] == DARK.syntax_keyword


def insert(buffer: DocumentBuffer, line: int, text: str) -> None:
    cursor = QTextCursor(buffer.document.findBlockByNumber(line))
    cursor.insertText(text)


def test_an_opened_string_recolours_what_is_below(qtbot, make_buffer) -> None:
    buffer = make_buffer("for\n" * 20)
    settle(qtbot, buffer)
    insert(buffer, 3, '"""')
    settle(qtbot, buffer)
    assert colours(buffer, 19) == {"for": DARK.syntax_string}
    buffer.document.undo()
    settle(qtbot, buffer)
    assert colours(buffer, 19) == {"for": DARK.syntax_keyword}


def test_an_edit_is_lexed_until_the_state_agrees(qtbot, make_buffer, monkeypatch) -> None:
    buffer = make_buffer("x = 1\n" * 200)
    settle(qtbot, buffer)
    lexed: list[str] = []
    apply = buffer.highlighter._apply
    monkeypatch.setattr(
        buffer.highlighter,
        "_apply",
        lambda block, spans: (lexed.append(block), apply(block, spans)),
    )
    insert(buffer, 50, "y")
    assert [block.blockNumber() for block in lexed] == [50]
    assert buffer.highlighter.is_done


@pytest.mark.parametrize("text", ["a\nb\n" * 500, '"""\n' * 3])
def test_pasted_lines_are_coloured(qtbot, make_buffer, text: str) -> None:
    buffer = make_buffer("def f(): pass\n" * 300)
    buffer.highlighter.ensure(100, 150)
    insert(buffer, 120, text)
    insert(buffer, 10, text)
    settle(qtbot, buffer)
    expected = make_buffer(buffer.text())
    expected.highlighter.finish()
    for line in range(buffer.document.blockCount()):
        assert colours(buffer, line) == colours(expected, line)


def test_colouring_is_no_edit(qtbot, make_buffer) -> None:
    buffer = make_buffer("for\n" * 20)
    settle(qtbot, buffer)
    assert not buffer.is_modified
    assert not buffer.document.isUndoAvailable()
