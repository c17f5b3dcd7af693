from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QTextCursor

from workbench.session.recovery import DELAY_SECONDS, RecoveryStore
from workbench.ui.editor.recovering import TICK_MILLISECONDS, Recovering


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecoveryStore]:
    made = RecoveryStore(tmp_path / "recovery")
    yield made
    made.close()


def copies(tmp_path: Path) -> list[Path]:
    return list(tmp_path.glob("recovery/*/*.json"))


def test_typing_is_copied_within_five_seconds(qtbot, store, make_buffer, tmp_path) -> None:
    assert DELAY_SECONDS + TICK_MILLISECONDS / 1000 < 5
    recovering, buffer = Recovering(store), make_buffer("a\r\nb")
    recovering.follow("1", buffer)
    QTextCursor(buffer.document).insertText("x")
    qtbot.waitUntil(lambda: len(copies(tmp_path)) == 1, timeout=5000)
    assert '"xa\\r\\nb"' in copies(tmp_path)[0].read_text()


def test_an_unedited_document_is_not_copied(qtbot, store, make_buffer) -> None:
    recovering = Recovering(store)
    recovering.follow("1", make_buffer("a"))
    assert not store.is_waiting


@pytest.mark.parametrize("end", ["save", "undo", "forget"])
def test_a_copy_that_is_not_needed_is_discarded(qtbot, store, make_buffer, tmp_path, end) -> None:
    recovering, buffer = Recovering(store), make_buffer("a")
    recovering.follow("1", buffer)
    QTextCursor(buffer.document).insertText("x")
    assert store.is_waiting
    ends = {
        "save": lambda: buffer.save(tmp_path / "k.py"),
        "undo": buffer.document.undo,
        "forget": lambda: recovering.forget(buffer),
    }
    ends[end]()
    assert not store.is_waiting
