from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from workbench.session.code_inputs import Language
from workbench.session.text_differences import compare
from workbench.ui.editor.lexing import Kind
from workbench.ui.panes.code.marks import SideMarks
from workbench.ui.panes.code.text_view import TextView
from workbench.ui.theme.theme import Theme

SAME = tuple(f"line {i}" for i in range(30))
LEFT, RIGHT = ("old", *SAME, "end"), ("new", *SAME, "end")
MARKS = SideMarks(compare(LEFT, RIGHT), is_left=False)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> TextView:
    view = TextView(theme)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    view.show_text(RIGHT, Language.SOURCE)
    return view


def hidden_lines(view: TextView) -> list[int]:
    document = view.document()
    blocks = (document.findBlockByNumber(line) for line in range(document.blockCount()))
    return [block.blockNumber() for block in blocks if not block.isVisible()]


def test_nothing_can_be_typed(view: TextView, qtbot: QtBot) -> None:
    qtbot.keyClicks(view, "abc")
    assert tuple(view.buffer.lines()) == RIGHT


def test_a_text_is_shown_from_its_top(view: TextView) -> None:
    view.show_line(20)
    view.show_text(LEFT, Language.SOURCE)
    assert (view.current_line(), view.verticalScrollBar().value()) == (0, 0)


def test_the_same_text_stays_where_it_is(view: TextView) -> None:
    view.show_line(20)
    view.show_text(RIGHT, Language.SOURCE)
    assert view.current_line() == 20


def test_each_text_has_the_colours_of_its_language(view: TextView) -> None:
    kinds = []
    for language in (Language.SASS, Language.SOURCE):
        view.show_text(("FADD R1, R2 ;", "int x;"), language)
        view.buffer.highlighter.finish()
        lexed = view.buffer.highlighter.lexed(0)
        assert lexed is not None
        kinds.append(lexed.spans[0].kind)
    assert kinds == [Kind.FUNCTION, Kind.OPERATOR]


def test_marks_hide_what_they_fold(view: TextView) -> None:
    view.set_marks(MARKS)
    start, end = MARKS.hidden[0]
    assert hidden_lines(view) == list(range(start, end))
    view.set_marks(None)
    assert hidden_lines(view) == []


def test_a_fold_opened_in_the_text_leaves_the_others_closed(view: TextView, qtbot: QtBot) -> None:
    view.set_marks(MARKS)
    with qtbot.waitSignal(view.fold_entered) as entered:
        view.show_line(MARKS.hidden[0][0] + 2)
    assert entered.args == [0]


def test_a_click_on_the_row_of_a_fold_asks_for_its_lines(view: TextView, qtbot: QtBot) -> None:
    view.set_marks(MARKS)
    line = next(iter(MARKS.folds))
    point = QPoint(40, round(view.line_y(line) + view.row_height() / 2))
    with qtbot.waitSignal(view.fold_clicked) as clicked:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert clicked.args == [0]


def test_heights_and_lines_agree(view: TextView) -> None:
    view.verticalScrollBar().setValue(7)
    for line in (7, 9, 15):
        assert view.line_at(view.line_y(line) + 1) == pytest.approx(line, abs=0.2)


def test_a_line_is_scrolled_to_a_height(view: TextView) -> None:
    view.scroll_line_to(10, 3 * view.row_height())
    assert view.verticalScrollBar().value() == 7


def test_marks_tint_the_line_and_a_fold_has_its_ground(view: TextView, theme: Theme) -> None:
    view.set_marks(MARKS)
    view.show_line(31)
    image = view.grab().toImage()
    left = view.viewport().x()
    colours = [
        image.pixelColor(left + 300, round(view.viewport().y() + view.line_y(line) + 8))
        for line in (0, next(iter(MARKS.folds)))
    ]
    assert colours[0] != theme.colour("bg1")
    assert colours[1] == theme.colour("bg2")


def test_what_is_stale_is_paler(view: TextView, theme: Theme) -> None:
    fresh = view.grab().toImage()
    view.set_stale(True)
    stale = view.grab().toImage()
    brightest = [
        max(image.pixelColor(x, 8).lightness() for x in range(60, 140)) for image in (fresh, stale)
    ]
    assert brightest[1] < brightest[0]
