from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from workbench.session.code_inputs import Language, Stage, State
from workbench.session.code_view import Content, Place
from workbench.ui.panes.code.text_pair import LEAST_WIDTH_OF_TWO, TextPair
from workbench.ui.theme.icons import Icons

SAME = [f"line {i};" for i in range(200)]


def content(lines: list[str], target: str = "h100") -> Content:
    place = Place(target, Stage.SOURCE)
    text = "\n".join(lines)
    return Content(place, State.READY, "Source", target.upper(), "", Language.SOURCE, text)


LEFT = content(["old", *SAME, "middle", *SAME], "a100")
RIGHT = content(["new", *SAME, "other", "more", *SAME])


@pytest.fixture
def pair(qtbot: QtBot, icons: Icons) -> TextPair:
    pair = TextPair(icons)
    qtbot.addWidget(pair)
    pair.resize(900, 300)
    pair.show()
    return pair


@pytest.fixture
def compared(pair: TextPair) -> TextPair:
    pair.show_contents(LEFT, RIGHT)
    return pair


def top_lines(pair: TextPair) -> list[int]:
    return [int(panel.view.line_at(0)) for panel in (pair.left, pair.right)]


def test_one_text_stands_alone(pair: TextPair) -> None:
    pair.show_contents(None, RIGHT)
    assert (pair.left.isVisible(), pair.right.title, pair.difference) == (False, "", None)


def test_two_texts_have_titles_and_begin_at_the_first_change(compared: TextPair) -> None:
    assert compared.left.isVisible()
    titles = [compared.left.title, compared.right.title]
    assert titles == ["Source for A100", "Source for H100"]
    assert compared.current_change() == 0


def test_steps_go_through_the_changes_and_stay_at_the_ends(compared: TextPair) -> None:
    found = []
    for by in (1, 1, -1, -1):
        compared.step_change(by)
        found.append((compared.current_change(), compared.right.view.current_line()))
    assert found == [(1, 201), (1, 201), (0, 0), (0, 0)]


def test_both_texts_scroll_together(compared: TextPair) -> None:
    compared.set_folded(False)
    compared.right.view.verticalScrollBar().setValue(300)
    left, right = top_lines(compared)
    assert abs(right - left - 1) <= 1
    compared.left.view.verticalScrollBar().setValue(50)
    left, right = top_lines(compared)
    assert abs(left - right) <= 1


def test_at_the_end_of_one_text_the_other_is_at_its_end(compared: TextPair) -> None:
    compared.set_folded(False)
    bars = [panel.view.verticalScrollBar() for panel in (compared.left, compared.right)]
    bars[1].setValue(bars[1].maximum())
    assert bars[0].value() >= bars[0].maximum() - 1


def test_sideways_they_scroll_together_too(pair: TextPair) -> None:
    long = ["x" * 400]
    pair.show_contents(content(long, "a100"), content([*long, "y"]))
    pair.right.view.horizontalScrollBar().setValue(50)
    assert pair.left.view.horizontalScrollBar().value() == 50


def test_equal_lines_are_folded_on_both_sides_until_they_are_wanted(compared: TextPair) -> None:
    def visible(pair: TextPair) -> list[int]:
        return [panel.view.document().lineCount() for panel in (pair.left, pair.right)]

    folded = visible(compared)
    assert max(folded) < 30
    compared.set_folded(False)
    assert visible(compared) == [402, 403]
    compared.set_folded(True)
    assert visible(compared) == folded


def test_a_fold_opens_on_both_sides(compared: TextPair) -> None:
    before = [panel.view.document().lineCount() for panel in (compared.left, compared.right)]
    compared.left.view.fold_clicked.emit(0)
    after = [panel.view.document().lineCount() for panel in (compared.left, compared.right)]
    assert [b - a for a, b in zip(before, after, strict=True)] == [193, 193]


def test_a_search_opens_the_fold_that_it_ends_in(compared: TextPair) -> None:
    compared.right.open_find()
    compared.right.search.set_query(type(compared.right.search.query)(text="line 100;"))
    compared.right.search.go_next()
    line = compared.right.view.current_line()
    assert compared.right.view.document().findBlockByNumber(line).isVisible()
    assert compared.right.view.document().lineCount() < 300


def test_the_connector_joins_the_changes_in_sight(compared: TextPair) -> None:
    assert len(compared._connector.visible_changes()) == 2
    compared.set_folded(False)
    compared.go_to_change(0)
    assert len(compared._connector.visible_changes()) == 1


def test_letters_step_through_passes_and_changes(compared: TextPair, qtbot: QtBot) -> None:
    steps: list[int] = []
    compared.step_requested.connect(steps.append)
    for key in (Qt.Key.Key_J, Qt.Key.Key_K):
        qtbot.keyClick(compared.right.view, key)
    qtbot.keyClick(compared.right.view, Qt.Key.Key_N)
    assert (steps, compared.current_change()) == ([1, -1], 1)


@pytest.mark.parametrize("key", ["Ctrl+F", "Ctrl+G"])
def test_bars_open_by_key_and_close_by_escape(pair: TextPair, qtbot: QtBot, key: str) -> None:
    pair.show_contents(None, RIGHT)
    actions: dict[str, Callable[[], object]] = dict(pair.right.view.key_actions)
    actions[key]()
    assert pair.right.close_bars()
    assert not pair.right.close_bars()


def test_a_search_counts_its_matches(pair: TextPair) -> None:
    pair.show_contents(None, RIGHT)
    pair.right.open_find()
    pair.right.search.set_query(type(pair.right.search.query)(text="line 19"))
    pair.right.search.go_nearest()
    assert pair.right.search.status == "1 of 22"


def test_zoom_is_that_of_both_texts(compared: TextPair) -> None:
    before = compared.left.view.buffer.code_pixels
    compared.right.view.zoom(2)
    assert compared.left.view.buffer.code_pixels == before + 2


@pytest.fixture
def narrow(compared: TextPair, qtbot: QtBot) -> TextPair:
    compared.resize(LEAST_WIDTH_OF_TWO - 1, 300)
    return compared


def test_a_narrow_comparison_stands_in_one_column(narrow: TextPair) -> None:
    assert (narrow.left.isVisible(), narrow.right.isVisible()) == (False, False)
    assert narrow.reader is narrow.unified
    assert narrow.unified.view.toPlainText().startswith("old\nnew\nline 0;")
    assert narrow.unified.title == "\u2212 A100    + H100"
    narrow.resize(LEAST_WIDTH_OF_TWO, 300)
    assert (narrow.left.isVisible(), narrow.reader) == (True, narrow.right)


def test_one_text_alone_needs_no_column(pair: TextPair) -> None:
    pair.show_contents(None, RIGHT)
    pair.resize(300, 300)
    assert (pair.right.isVisible(), pair.is_unified) == (True, False)


def test_the_current_change_stays_where_the_width_changes(compared: TextPair) -> None:
    compared.step_change(1)
    compared.resize(400, 300)
    assert (compared.is_unified, compared.current_change()) == (True, 1)
    compared.step_change(-1)
    compared.resize(900, 300)
    assert (compared.is_unified, compared.current_change()) == (False, 0)


def test_in_one_column_steps_go_to_the_line_that_is_gone(narrow: TextPair) -> None:
    narrow.step_change(1)
    view = narrow.unified.view
    assert view.document().findBlockByNumber(view.current_line()).text() == "middle"


def test_in_one_column_equal_lines_are_folded_too(narrow: TextPair) -> None:
    document = narrow.unified.view.document()
    assert document.lineCount() < 30
    narrow.unified.view.fold_clicked.emit(0)
    assert 200 < document.lineCount() < 300
    narrow.set_folded(False)
    assert document.lineCount() == 405


def test_in_one_column_lines_are_those_of_the_text_that_is_read(narrow: TextPair) -> None:
    narrow.unified.open_go_to_line()
    narrow.unified._on_line_wanted(202, 1)
    view = narrow.unified.view
    assert view.document().findBlockByNumber(view.current_line()).text() == "other"


def test_the_column_has_the_numbers_of_both_texts(narrow: TextPair) -> None:
    gutter = narrow.unified.view.gutter
    assert gutter.wanted_width() > narrow.right.view.gutter.wanted_width()
    before = gutter.grab().toImage()
    narrow.set_folded(False)
    narrow.unified.view.verticalScrollBar().setValue(100)
    assert gutter.grab().toImage() != before
