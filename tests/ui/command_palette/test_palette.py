from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.command_palette import CommandPalette, PaletteItem
from workbench.ui.command_palette.list_view import PaletteList, PaletteModel
from workbench.ui.command_palette.rows import rows_of
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

ITEMS = (
    PaletteItem("compile", "Compile", "Ctrl+Return", detail="Run"),
    PaletteItem("undo", "Undo", "Ctrl+Z", enabled=False, detail="Edit"),
    PaletteItem("verify", "Verify", "F5", detail="Run"),
    PaletteItem("light", "Light Theme", detail="View", icon="sun"),
)
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def window(qtbot: QtBot, theme: Theme) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    button = QPushButton("Before", window)
    window.resize(900, 600)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=2000)
    button.setFocus()
    return window


@pytest.fixture
def palette(window: QWidget, theme: Theme, icons: Icons) -> CommandPalette:
    palette = CommandPalette(theme, icons, window)
    palette.open_with(ITEMS)
    return palette


def current(palette: CommandPalette) -> str | None:
    view = palette.findChild(PaletteList)
    assert view is not None
    row = view.current_row()
    return row.item.id if row is not None else None


def press(palette: CommandPalette, key: Qt.Key, qtbot: QtBot, times: int = 1) -> None:
    for _ in range(times):
        qtbot.keyClick(palette._field, key)


def test_the_model_keeps_qt_s_rules(qtbot: QtBot) -> None:
    parent = QObject()
    model = PaletteModel(parent)
    tester = QAbstractItemModelTester(model, FATAL, parent)
    model.set_rows(rows_of(ITEMS, ""))
    model.set_rows(rows_of(ITEMS, "light"))
    assert tester.model().rowCount() == 1


def test_without_a_query_everything_is_shown_as_given() -> None:
    assert [row.item.id for row in rows_of(ITEMS, " ")] == ["compile", "undo", "verify", "light"]


def test_what_cannot_be_chosen_comes_last() -> None:
    items = (PaletteItem("a", "Undo", enabled=False), PaletteItem("b", "Underline"))
    assert [row.item.id for row in rows_of(items, "und")] == ["b", "a"]


def test_typing_and_enter_choose(palette: CommandPalette, qtbot: QtBot) -> None:
    qtbot.keyClicks(palette._field, "ver")
    with qtbot.waitSignal(palette.chosen, timeout=1000) as heard:
        press(palette, Qt.Key.Key_Return, qtbot)
    assert heard.args == ["verify"]
    assert not palette.isVisible()


def test_the_menu_of_an_action_is_searched_too(palette: CommandPalette, qtbot: QtBot) -> None:
    qtbot.keyClicks(palette._field, "view")
    assert [row.item.id for row in palette.rows] == ["light"]


def test_the_arrows_pass_over_what_cannot_be_chosen(palette: CommandPalette, qtbot: QtBot) -> None:
    press(palette, Qt.Key.Key_Down, qtbot)
    assert current(palette) == "verify"
    press(palette, Qt.Key.Key_Up, qtbot, times=2)
    assert current(palette) == "light"


def test_the_list_goes_around(palette: CommandPalette, qtbot: QtBot) -> None:
    press(palette, Qt.Key.Key_Down, qtbot, times=3)
    assert current(palette) == "compile"


def test_escape_goes_without_a_choice(
    palette: CommandPalette, window: QWidget, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(palette.chosen):
        press(palette, Qt.Key.Key_Escape, qtbot)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is window.findChild(QPushButton)


def test_the_focus_is_back_before_the_choice_is_told(
    palette: CommandPalette, window: QWidget, qtbot: QtBot
) -> None:
    focus: list[QWidget | None] = []
    palette.chosen.connect(lambda _: focus.append(QApplication.focusWidget()))
    press(palette, Qt.Key.Key_Return, qtbot)
    assert focus == [window.findChild(QPushButton)]


def test_a_click_aside_ends_it(palette: CommandPalette, window: QWidget) -> None:
    button = window.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    button.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not palette.isVisible()


def test_a_click_chooses(palette: CommandPalette, qtbot: QtBot) -> None:
    view = palette.findChild(PaletteList)
    assert view is not None
    point = view.visualRect(view.model().index(2, 0)).center()
    with qtbot.waitSignal(palette.chosen, timeout=1000) as heard:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert heard.args == ["verify"]


def test_what_cannot_be_chosen_cannot_be_clicked(palette: CommandPalette, qtbot: QtBot) -> None:
    view = palette.findChild(PaletteList)
    assert view is not None
    point = view.visualRect(view.model().index(1, 0)).center()
    with qtbot.assertNotEmitted(palette.chosen):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert palette.isVisible()


def test_no_match_says_so(palette: CommandPalette, qtbot: QtBot) -> None:
    qtbot.keyClicks(palette._field, "zzz")
    labels = [label.text() for label in palette.findChildren(QLabel) if label.isVisible()]
    assert labels == ["Nothing matches “zzz”."]
    press(palette, Qt.Key.Key_Return, qtbot)
    assert palette.isVisible()


def test_it_stays_in_the_middle_of_its_window(palette: CommandPalette, window: QWidget) -> None:
    window.resize(500, 300)
    assert palette.geometry().center().x() == pytest.approx(250, abs=1)
    assert palette.geometry().bottom() < 300


def test_opened_again_it_is_empty(palette: CommandPalette, qtbot: QtBot) -> None:
    qtbot.keyClicks(palette._field, "ver")
    press(palette, Qt.Key.Key_Escape, qtbot)
    palette.open_with(ITEMS[:1], "Go to file")
    assert (palette._field.text(), palette._field.placeholderText()) == ("", "Go to file")
    assert len(palette.rows) == 1
