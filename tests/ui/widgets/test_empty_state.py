from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState


def test_the_button_asks_for_the_action(icons: Icons, qtbot: QtBot) -> None:
    state = EmptyState(icons, "history", "No runs yet.", "Verify this kernel")
    qtbot.addWidget(state)
    with qtbot.waitSignal(state.action_triggered, timeout=1000):
        state.findChild(QPushButton).click()


def test_without_an_action_there_is_no_button(icons: Icons, qtbot: QtBot) -> None:
    state = EmptyState(icons, "history", "Nothing to do here.")
    qtbot.addWidget(state)
    assert state.findChild(QPushButton).isHidden()


def test_it_can_say_something_else(icons: Icons, qtbot: QtBot) -> None:
    state = EmptyState(icons, "history", "No runs yet.")
    qtbot.addWidget(state)
    state.set_content("lock", "Not trusted.", "Trust this folder")
    assert state.sentence == "Not trusted."
    assert state.findChild(QPushButton).text() == "Trust this folder"
