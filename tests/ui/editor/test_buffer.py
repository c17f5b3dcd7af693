from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from PySide6.QtGui import QTextCursor

from workbench.core.documents.model import DocumentError
from workbench.ui.editor.buffer import DocumentBuffer, EncodeError
from workbench.ui.editor.line_shift import LineShift

SOURCES = {
    "plain": b"a = 1\nb = 2\n",
    "no last line end": b"a = 1\nb = 2",
    "empty": b"",
    "only line ends": b"\n\n\n",
    "windows": b"a\r\nb\r\n",
    "old mac": b"a\rb\r",
    "mixed": b"a\r\nb\nc\rd\r\n",
    "tabs and form feed": b"if x:\n\ty\x0c\n",
    "byte order mark": codecs.BOM_UTF8 + b"a\n",
    "no-break space": "x = '\u00a0'\n".encode(),
    "separators of Unicode": "x = '\u2028 \u2029 \ufdd0 \ufffc \ufeff'\n".encode(),
    "beyond U+FFFF": "x = '\U0001f600'\n".encode(),
    "latin-1": "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
    "kept trailing space": b"a  \n  \n",
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_loaded_is_written_byte_for_byte(theme, tmp_path: Path, name: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_bytes(SOURCES[name])
    buffer = DocumentBuffer.open(theme, path, theme)
    assert not buffer.is_modified
    buffer.save()
    assert path.read_bytes() == SOURCES[name]


def type_at(buffer: DocumentBuffer, position: int, text: str) -> None:
    cursor = QTextCursor(buffer.document)
    cursor.setPosition(position)
    cursor.insertText(text)


def test_an_edit_keeps_the_line_ends_of_the_other_lines(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a\r\nb\nc\r\nd")
    type_at(buffer, 1, "x\ny")
    assert buffer.content() == b"ax\r\ny\r\nb\nc\r\nd"


def test_undo_survives_a_save_and_leads_to_the_clean_state(theme, tmp_path: Path) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a")
    type_at(buffer, 1, "b")
    buffer.save(tmp_path / "k.py")
    assert not buffer.is_modified
    buffer.document.undo()
    assert buffer.text() == "a"
    assert buffer.is_modified
    buffer.document.redo()
    assert not buffer.is_modified


def test_loading_cannot_be_undone(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a\r\nb\n\rc")
    assert not buffer.document.isUndoAvailable()


def test_a_reload_is_one_edit(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a\nb\nc\n")
    buffer.reload(b"a\nx\ny\nc\n")
    assert buffer.text() == "a\nx\ny\nc\n"
    assert not buffer.is_modified
    buffer.document.undo()
    assert buffer.text() == "a\nb\nc\n"


def test_replacing_text_moves_only_what_differs(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load("\U0001f600ab\ncd".encode())
    cursor = QTextCursor(buffer.document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    buffer.replace_text("\U0001f600aXb\ncd")
    assert buffer.text() == "\U0001f600aXb\ncd"
    assert cursor.atEnd()


def test_a_character_that_the_encoding_lacks_is_named_with_its_line(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    type_at(buffer, buffer.document.characterCount() - 1, "€")
    with pytest.raises(EncodeError, match="'€' in line 3 cannot be written as iso-8859-1"):
        buffer.content()


def test_a_changed_coding_line_changes_the_encoding(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    buffer.replace_text("x = 'é€'\n")
    assert buffer.content() == "x = 'é€'\n".encode()


def test_a_binary_file_is_refused(theme, tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"\0\1")
    with pytest.raises(DocumentError, match="binary"):
        DocumentBuffer.open(theme, path, theme)


def test_saving_without_a_path_is_an_error(theme) -> None:
    with pytest.raises(ValueError, match="needs a path"):
        DocumentBuffer(theme, parent=theme).save()


@pytest.mark.parametrize(
    ("position", "text", "line", "after"),
    [(1, "\n", 0, 0), (0, "\n", 0, 1), (1, "\n", 1, 2), (2, "x\n", 1, 2), (2, "x", 1, 1)],
)
def test_lines_are_followed_through_edits(
    theme, position: int, text: str, line: int, after: int
) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a\nb\nc")
    shifts: list[LineShift] = []
    buffer.lines_shifted.connect(shifts.append)
    type_at(buffer, position, text)
    for shift in shifts:
        line = shift.line(line)
    assert line == after


def test_a_deleted_line_is_gone(theme) -> None:
    buffer = DocumentBuffer(theme, parent=theme)
    buffer.load(b"a\nb\nc\nd")
    shifts: list[LineShift] = []
    buffer.lines_shifted.connect(shifts.append)
    buffer.replace_text("a\nd")
    assert shifts[0].moved({0: "a", 1: "b", 2: "c", 3: "d"}) == {0: "a", 1: "d"}
