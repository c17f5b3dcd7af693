from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

SEGMENTS = (Segment("design", "Design", "Lay the kernel out"), Segment("debug", "Debug"))


@pytest.fixture
def switch(icons: Icons, qtbot: QtBot) -> SegmentedSwitch:
    switch = SegmentedSwitch(icons, "Perspective", SEGMENTS)
    qtbot.addWidget(switch)
    return switch


def test_nothing_holds_at_first(switch: SegmentedSwitch) -> None:
    assert switch.current is None


def test_a_click_chooses(switch: SegmentedSwitch, qtbot: QtBot) -> None:
    with qtbot.waitSignal(switch.chosen, timeout=1000) as chosen:
        qtbot.mouseClick(switch.button("debug"), Qt.MouseButton.LeftButton)
    assert chosen.args == ["debug"]
    assert switch.current == "debug"


def test_one_holds_at_a_time(switch: SegmentedSwitch) -> None:
    switch.set_current("design")
    switch.set_current("debug")
    assert not switch.button("design").isChecked()


def test_setting_it_is_no_choice_of_the_person(switch: SegmentedSwitch, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(switch.chosen):
        switch.set_current("debug")


def test_an_arrow_key_moves_the_choice(switch: SegmentedSwitch, qtbot: QtBot) -> None:
    switch.set_current("design")
    switch.show()
    qtbot.waitExposed(switch)
    switch.activateWindow()
    switch.button("design").setFocus()
    qtbot.waitUntil(switch.button("design").hasFocus, timeout=2000)
    with qtbot.waitSignal(switch.chosen, timeout=1000):
        qtbot.keyClick(switch.button("design"), Qt.Key.Key_Right)
    assert switch.current == "debug"


def test_a_segment_says_more_in_its_tip(switch: SegmentedSwitch) -> None:
    assert switch.button("design").toolTip() == "Lay the kernel out"
    assert switch.button("design").accessibleName() == "Design"


def test_an_unknown_key_is_refused(switch: SegmentedSwitch) -> None:
    with pytest.raises(KeyError):
        switch.set_current("profile")
