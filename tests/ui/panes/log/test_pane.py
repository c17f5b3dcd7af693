from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from workbench.ui.panes.log import LogPane
from workbench.ui.panes.log.view import MOST_LINES, LogView
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState

TIME = datetime(2026, 11, 29, 14, 3, 22)


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot) -> LogPane:
    pane = LogPane(theme, icons, clock=lambda: TIME)
    qtbot.addWidget(pane)
    pane.resize(1000, 200)
    pane.show()
    return pane


def fill(pane: LogPane, count: int) -> None:
    for at in range(count):
        pane.append("live", f"line {at}")
    pane.flush()


def view_of(pane: LogPane) -> LogView:
    view = pane.findChild(LogView)
    assert view is not None
    return view


def tool(pane: LogPane, tip: str) -> FlatToolButton:
    return next(b for b in pane.findChildren(FlatToolButton) if b.toolTip().startswith(tip))


def test_lines_appear_soon(pane: LogPane, qtbot: QtBot) -> None:
    pane.append("live", "lowering gemm.py")
    qtbot.waitUntil(lambda: "lowering gemm.py" in view_of(pane).toPlainText(), timeout=1000)


def test_the_text_has_what_is_not_shown_yet(pane: LogPane) -> None:
    fill(pane, 1)
    pane.append("verify", "late")
    assert pane.text == "14:03:22  typing    line 0\n14:03:22  verify    late\n"
    pane.flush()


def test_what_is_shown_and_what_is_kept_agree(pane: LogPane) -> None:
    fill(pane, 3)
    assert view_of(pane).toPlainText() + "\n" == pane.text


def test_the_end_is_followed(pane: LogPane) -> None:
    fill(pane, 100)
    bar = view_of(pane).verticalScrollBar()
    assert bar.value() == bar.maximum() > 0


def test_a_person_who_scrolled_up_is_left_there(pane: LogPane) -> None:
    fill(pane, 100)
    bar = view_of(pane).verticalScrollBar()
    bar.setValue(10)
    fill(pane, 50)
    assert (bar.value(), tool(pane, "Follow").isChecked()) == (10, False)


def test_scrolling_to_the_end_follows_again(pane: LogPane) -> None:
    fill(pane, 100)
    bar = view_of(pane).verticalScrollBar()
    bar.setValue(10)
    tool(pane, "Follow").click()
    fill(pane, 50)
    assert bar.value() == bar.maximum()


def test_it_holds_ten_thousand_lines(pane: LogPane) -> None:
    fill(pane, MOST_LINES + 10)
    assert view_of(pane).blockCount() == MOST_LINES
    assert pane.text.splitlines()[0].endswith("line 10")
    assert view_of(pane).toPlainText().startswith("14:03:22  typing    line 10\n")


def test_errors_are_counted_and_coloured(pane: LogPane, theme: Theme) -> None:
    pane.append("live", "ptxas fatal: no such target\nmore", "error")
    pane.flush()
    label = pane.findChild(ElidedLabel)
    assert label is not None
    assert label.text == "2 lines, 1 error."
    block = view_of(pane).document().firstBlock()
    last = block.layout().formats() or list(block.textFormats())
    assert last[-1].format.foreground().color() == theme.colour("error")


def test_the_search_counts_its_matches(pane: LogPane) -> None:
    fill(pane, 12)
    pane._search.setText("LINE 1")
    assert [x.text() for x in pane.findChildren(QLabel) if "match" in x.text()] == ["3 matches"]


def test_new_lines_are_searched_too(pane: LogPane) -> None:
    fill(pane, 2)
    pane._search.setText("line 1")
    fill(pane, 2)
    assert len(view_of(pane).extraSelections()) == 2


def test_enter_walks_through_the_matches(pane: LogPane, qtbot: QtBot) -> None:
    fill(pane, 3)
    pane._search.setText("line")
    pane._search.setFocus()
    view = view_of(pane)
    view.moveCursor(view.textCursor().MoveOperation.Start)
    rows = []
    for modifier in (Qt.KeyboardModifier.NoModifier,) * 4 + (Qt.KeyboardModifier.ShiftModifier,):
        qtbot.keyClick(pane._search, Qt.Key.Key_Return, modifier)
        rows.append(view.textCursor().blockNumber())
    assert rows == [0, 1, 2, 0, 2]


def test_copying_takes_everything_without_a_selection(pane: LogPane) -> None:
    fill(pane, 2)
    tool(pane, "Copy").click()
    assert QGuiApplication.clipboard().text() == pane.text


def test_clearing_leaves_the_empty_state(pane: LogPane) -> None:
    fill(pane, 2)
    tool(pane, "Clear").click()
    empty = pane.findChild(EmptyState)
    assert empty is not None
    assert empty.isVisible()
    assert pane.text == ""


def test_wrapping_is_remembered(pane: LogPane, theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    tool(pane, "Wrap").click()
    other = LogPane(theme, icons)
    qtbot.addWidget(other)
    other.restore(pane.state())
    assert view_of(other).lineWrapMode() is QPlainTextEdit.LineWrapMode.WidgetWidth


def test_the_other_theme_keeps_text_and_place(pane: LogPane, theme: Theme) -> None:
    fill(pane, 100)
    view_of(pane).verticalScrollBar().setValue(10)
    before = view_of(pane).toPlainText()
    theme.set_choice("light")
    assert view_of(pane).toPlainText() == before
    assert view_of(pane).verticalScrollBar().value() == 10
    assert not view_of(pane).following
