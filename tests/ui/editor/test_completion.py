from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.editor.completion import Completion, Signature, matching, word_before
from workbench.ui.editor.completion_popup import CompletionModel, placed

NAMES = ("alloc_shared", "alloc_local", "copy", "Parallel", "_private")


def completions(*names: str) -> tuple[Completion, ...]:
    return tuple(Completion(name, "function") for name in names)


class ScriptedProvider(QObject):
    """Keeps the requests; a test answers them by number."""

    completed = Signal(int, object)
    signatures_found = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)
        self.requests: list[tuple[str, int, int]] = []
        self.number = 0

    def complete(self, text: str, line: int, column: int, path: Path | None) -> int:
        return self._ask("complete", line, column)

    def find_signatures(self, text: str, line: int, column: int, path: Path | None) -> int:
        return self._ask("signatures", line, column)

    def _ask(self, kind: str, line: int, column: int) -> int:
        self.requests.append((kind, line, column))
        self.number = next(self._numbers)
        return self.number


@pytest.fixture
def provider(qtbot: QtBot) -> ScriptedProvider:
    return ScriptedProvider()


def names_shown(editor) -> list[str]:
    model = editor.completer.popup.model()
    return [model.index(row).data() for row in range(model.rowCount())]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("al", ["alloc_local", "alloc_shared", "Parallel"]),
        ("sha", ["alloc_shared"]),
        ("Pa", ["Parallel"]),
        ("pa", ["Parallel"]),
        ("_", ["_private", "alloc_local", "alloc_shared"]),
        ("", ["alloc_local", "alloc_shared", "copy", "Parallel"]),
        ("zz", []),
    ],
)
def test_names_are_matched_and_ranked(typed: str, names: list[str]) -> None:
    assert [found.name for found in matching(completions(*NAMES), typed)] == names


def test_the_word_before_the_cursor() -> None:
    assert word_before("x = T.allo") == "allo"
    assert word_before("x = T.") == ""


def test_the_model_keeps_qt_s_rules(qtbot: QtBot) -> None:
    model = CompletionModel()
    tester = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Fatal, model
    )
    model.set_items(completions(*NAMES))
    assert tester.model() is model
    assert model.rowCount() == len(NAMES)


def test_a_dot_asks_and_the_answer_is_shown(make_editor, provider) -> None:
    editor = make_editor("|", provider)
    QTest.keyClicks(editor.view, "T.")
    assert provider.requests == [("complete", 1, 2)]
    provider.completed.emit(provider.number, completions(*NAMES))
    assert editor.completer.popup.isVisible()
    QTest.keyClicks(editor.view, "al")
    assert names_shown(editor) == ["alloc_local", "alloc_shared", "Parallel"]
    assert len(provider.requests) == 1


def test_a_stale_answer_is_dropped(make_editor, provider) -> None:
    editor = make_editor("|", provider)
    QTest.keyClicks(editor.view, "T.")
    stale = provider.number
    QTest.keyClicks(editor.view, "x.")
    provider.completed.emit(stale, completions(*NAMES))
    assert not editor.completer.popup.isVisible()


def test_an_answer_after_the_cursor_has_left_is_dropped(make_editor, provider) -> None:
    editor = make_editor("|", provider)
    QTest.keyClicks(editor.view, "T.")
    QTest.keyClick(editor.view, Qt.Key.Key_Home)
    provider.completed.emit(provider.number, completions(*NAMES))
    assert not editor.completer.popup.isVisible()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_a_chosen_name_replaces_the_word(make_editor, provider, state, key) -> None:
    editor = make_editor("x = T|", provider)
    QTest.keyClicks(editor.view, ".al")
    provider.completed.emit(provider.number, completions(*NAMES))
    QTest.keyClick(editor.view, Qt.Key.Key_Down)
    QTest.keyClick(editor.view, key)
    assert state(editor) == "x = T.alloc_shared|"
    assert not editor.completer.popup.isVisible()


def test_escape_hides_the_list_and_the_keys_edit_again(make_editor, provider, state) -> None:
    editor = make_editor("|", provider)
    QTest.keyClicks(editor.view, "T.")
    provider.completed.emit(provider.number, completions(*NAMES))
    QTest.keyClick(editor.view, Qt.Key.Key_Escape)
    assert not editor.completer.popup.isVisible()
    QTest.keyClick(editor.view, Qt.Key.Key_Return)
    assert state(editor) == "T.\n|"


def test_nothing_is_asked_in_strings_and_comments(make_editor, provider) -> None:
    editor = make_editor("# |", provider)
    QTest.keyClicks(editor.view, "T.al")
    assert provider.requests == []


def test_control_space_asks_anywhere(make_editor, provider) -> None:
    editor = make_editor("x = |", provider)
    QTest.keyClick(editor.view, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert provider.requests == [("complete", 1, 4)]


def test_a_read_only_document_is_not_completed(make_editor, provider) -> None:
    editor = make_editor("T.|", provider)
    editor.set_read_only(True)
    editor.complete_now()
    assert provider.requests == []


def test_a_bracket_shows_the_parameters(make_editor, provider) -> None:
    editor = make_editor("\n\nT.f|", provider)
    QTest.keyClicks(editor.view, "(")
    assert provider.requests == [("signatures", 3, 4)]
    found = Signature("f", ("shape", "dtype='a'"), 1)
    provider.signatures_found.emit(provider.number, (found,))
    tip = editor.completer.tip
    assert tip.isVisible()
    assert "dtype=&#x27;a&#x27;</b>" in tip.text()
    QTest.keyClick(editor.view, Qt.Key.Key_Escape)
    assert not tip.isVisible()


def test_what_floats_leaves_the_cursor_s_line_free(qtbot: QtBot) -> None:
    area = QWidget()
    qtbot.addWidget(area)
    area.resize(300, 200)
    size = QSize(200, 100)
    for y in (0, 60, 180):
        cursor = area.rect().adjusted(250, y, -48, y + 16 - 200)
        for below in (True, False):
            place = placed(size, cursor, area, below=below)
            assert not place.intersects(cursor) or not area.rect().contains(place)
            assert place.left() >= 0
            assert place.right() <= area.width()
