from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor

from workbench.ui.editor.buffer import DocumentBuffer

TEXT = """\
def f():
    for i in x:
        # the sum
        y
    return 1
z = 1
"""


@pytest.fixture
def buffer(make_buffer) -> DocumentBuffer:
    made = make_buffer(TEXT)
    made.highlighter.finish()
    return made


def visible(buffer: DocumentBuffer) -> list[int]:
    count = buffer.document.blockCount()
    return [n for n in range(count) if buffer.document.findBlockByNumber(n).isVisible()]


def test_a_fold_hides_all_lines_but_its_first(buffer) -> None:
    buffer.folds.toggle(0)
    assert visible(buffer) == [0, 5, 6]
    buffer.folds.toggle(0)
    assert visible(buffer) == list(range(7))


def test_an_inner_fold_survives_the_outer_one(buffer) -> None:
    buffer.folds.toggle(1)
    buffer.folds.toggle(0)
    buffer.folds.toggle(0)
    assert visible(buffer) == [0, 1, 4, 5, 6]
    assert buffer.folds.summary(1) == "the sum"


def test_a_line_that_heads_nothing_does_not_fold(buffer) -> None:
    buffer.folds.toggle(5)
    assert buffer.folds.folded == frozenset()


def test_revealing_a_line_unfolds_what_hides_it(buffer) -> None:
    buffer.folds.fold_all()
    assert visible(buffer) == [0, 5, 6]
    buffer.folds.reveal(3)
    assert visible(buffer) == list(range(7))


def test_the_innermost_region_around_a_line_folds(buffer) -> None:
    buffer.folds.fold_at(3)
    assert buffer.folds.folded == {1}
    buffer.folds.fold_at(4)
    assert buffer.folds.folded == {0, 1}


def test_folds_move_with_their_lines(buffer) -> None:
    buffer.folds.toggle(1)
    QTextCursor(buffer.document).insertText("import x\n")
    assert buffer.folds.folded == {2}


def test_a_fold_whose_lines_are_gone_is_forgotten(buffer) -> None:
    buffer.folds.toggle(1)
    buffer.replace_text("def f():\n    return 1\n")
    buffer.folds.refresh()
    assert buffer.folds.folded == frozenset()


def test_unfolding_everything_shows_every_line(buffer) -> None:
    buffer.folds.fold_all()
    buffer.folds.unfold_all()
    assert visible(buffer) == list(range(7))
