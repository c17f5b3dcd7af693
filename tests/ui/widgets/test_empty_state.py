from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton
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


def test_a_long_sentence_is_shown_whole_in_a_wide_view(icons: Icons, qtbot: QtBot) -> None:
    sentence = "No problems. What Python, TileLang and the compilers say of a kernel stands here."
    state = EmptyState(icons, "good", sentence)
    qtbot.addWidget(state)
    state.resize(1000, 150)
    state.show()
    label = next(label for label in state.findChildren(QLabel) if label.text() == sentence)
    assert label.height() >= label.heightForWidth(label.width())


def test_a_low_view_shows_sentence_and_button_without_the_picture(
    icons: Icons, qtbot: QtBot
) -> None:
    sentence = "No run matches what you look for, in 20 runs. " * 3
    state = EmptyState(icons, "search", sentence, "Clear the filter")
    qtbot.addWidget(state)
    state.resize(555, 110)
    state.show()
    label = next(label for label in state.findChildren(QLabel) if label.text() == sentence)
    button = state.findChild(QPushButton)
    assert label.geometry().bottom() < button.geometry().top()
    assert state.rect().contains(label.geometry())
    assert state.rect().contains(button.geometry())
    assert state._picture.isHidden()
    state.resize(555, 400)
    assert state._picture.isVisible()
