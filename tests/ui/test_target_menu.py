"""The popup in which targets are ticked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from workbench.core.targets.table import load_targets
from workbench.ui.target_menu import TargetMenu, target_choices
from workbench.ui.target_menu.choices import VENDORS, target_rows
from workbench.ui.target_menu.list_view import TargetModel
from workbench.ui.theme.icons import Icons

CHOICES = target_choices(load_targets())
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def menu(icons: Icons, qtbot: QtBot) -> TargetMenu:
    menu = TargetMenu(icons, CHOICES, ("h100",))
    menu.popup(QPoint(0, 0))
    qtbot.addWidget(menu)
    return menu


@pytest.fixture
def chosen(menu: TargetMenu) -> list[tuple[str, ...]]:
    heard: list[tuple[str, ...]] = []
    menu.chosen.connect(heard.append)
    return heard


def press(menu: TargetMenu, qtbot: QtBot, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(menu._field, key)


def titles(menu: TargetMenu) -> list[str]:
    return [row.text for row in menu._list.rows]


def test_the_model_keeps_qt_s_rules(qtbot: QtBot) -> None:
    parent = QObject()
    model = TargetModel(parent)
    tester = QAbstractItemModelTester(model, FATAL, parent)
    model.set_rows(target_rows(CHOICES, ("h100",), ""))
    model.set_rows(target_rows(CHOICES, ("h100", "a100"), ""))
    model.set_rows(target_rows(CHOICES, ("h100",), "mi300"))
    assert tester.model() is model


def test_targets_stand_under_their_vendors() -> None:
    rows = target_rows(CHOICES, (), "")
    assert [row.text for row in rows if row.choice is None] == list(VENDORS.values())
    heading = ""
    for row in rows:
        heading = row.text if row.choice is None else heading
        assert row.choice is None or row.choice.vendor == heading
    assert len([row for row in rows if row.choice is not None]) == len(CHOICES)


def test_a_vendor_without_a_match_has_no_heading() -> None:
    rows = target_rows(CHOICES, ("mi300x",), "amd 300")
    assert [(row.text, row.mark) for row in rows] == [("AMD", None), ("Instinct MI300X", 0)]


def test_down_leads_from_the_field_into_the_list_past_the_headings(
    menu: TargetMenu, qtbot: QtBot
) -> None:
    assert menu._list.current is None
    press(menu, qtbot, Qt.Key.Key_Down)
    first = menu._list.current
    press(menu, qtbot, Qt.Key.Key_Up)
    assert menu._list.current == first == CHOICES[0].name
    press(menu, qtbot, *[Qt.Key.Key_PageDown] * 9)
    assert menu._list.current == "cpu"
    assert menu._field.hasFocus()


def test_enter_ticks_and_unticks_and_the_popup_stays(
    menu: TargetMenu, qtbot: QtBot, chosen: list[tuple[str, ...]]
) -> None:
    qtbot.keyClicks(menu._field, "mi300")
    press(menu, qtbot, Qt.Key.Key_Return)
    assert menu.isVisible()
    press(menu, qtbot, Qt.Key.Key_Return)
    assert chosen == [("h100", "mi300x"), ("h100",)]


def test_what_is_ticked_stays_in_sight_while_the_list_shows_others(
    menu: TargetMenu, qtbot: QtBot
) -> None:
    for name in ("a100 80", "mi300"):
        qtbot.keyClicks(menu._field, name)  # what was found before is selected: typed over
        press(menu, qtbot, Qt.Key.Key_Return)
    assert titles(menu) == ["AMD", "Instinct MI300X"]
    assert [chip.text() for chip in menu._ticked.chips] == ["H100", "A100", "MI300X"]


def test_a_chip_takes_its_target_away(menu: TargetMenu, chosen: list[tuple[str, ...]]) -> None:
    menu._toggle("mi300x")
    menu._ticked.chips[0].click()
    assert chosen[-1] == ("mi300x",)


def test_the_last_target_cannot_be_unticked(
    menu: TargetMenu, qtbot: QtBot, chosen: list[tuple[str, ...]]
) -> None:
    assert not menu._ticked.chips[0].isEnabled()
    qtbot.keyClicks(menu._field, "h100")
    press(menu, qtbot, Qt.Key.Key_Return)
    assert chosen == []
    assert [row.mark for row in menu._list.rows if row.choice and row.choice.name == "h100"] == [0]


def test_a_click_on_a_row_ticks_it(
    menu: TargetMenu, qtbot: QtBot, chosen: list[tuple[str, ...]]
) -> None:
    menu._field.setText("cpu")
    index = menu._list.model().index(1, 0)
    viewport = menu._list.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=menu._list.visualRect(index).center())
    assert chosen == [("h100", "cpu")]


def test_what_nobody_knows_is_said(menu: TargetMenu) -> None:
    menu._field.setText("tpu")
    assert menu._nothing.isVisible()
    assert menu._nothing.text() == "No target matches “tpu”."


def test_escape_empties_the_field_and_then_closes(menu: TargetMenu, qtbot: QtBot) -> None:
    qtbot.keyClicks(menu._field, "mi")
    press(menu, qtbot, Qt.Key.Key_Escape)
    assert menu.isVisible()
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    press(menu, qtbot, Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_a_target_that_no_list_has_can_be_taken_away(icons: Icons, qtbot: QtBot) -> None:
    menu = TargetMenu(icons, CHOICES, ("h200:sm_80", "a100"))
    qtbot.addWidget(menu)
    assert [chip.text() for chip in menu._ticked.chips] == ["h200:sm_80", "A100"]
