from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from workbench.core.diagnostics import Severity
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PushButton
from workbench.ui.widgets.severity import GOOD
from workbench.ui.widgets.toast import SHOWN_MS, Toast, ToastHost


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    return window


@pytest.fixture
def host(window: QWidget, icons: Icons) -> ToastHost:
    return ToastHost(window, icons)


def timer_of(toast: Toast) -> QTimer:
    return toast.findChild(QTimer)


def test_a_toast_leaves_by_itself(host: ToastHost, qtbot: QtBot) -> None:
    toast = host.show_toast("Compiled.", GOOD)
    assert timer_of(toast).remainingTime() > SHOWN_MS / 2
    with qtbot.waitSignal(toast.closed, timeout=1000):
        timer_of(toast).start(1)
    assert host.toasts == ()


def test_an_error_stays_until_it_is_closed(host: ToastHost) -> None:
    toast = host.show_toast("The worker ended.", Severity.ERROR)
    assert not timer_of(toast).isActive()
    toast.dismiss()
    assert host.toasts == ()


def test_an_action_is_told_and_ends_the_toast(host: ToastHost, qtbot: QtBot) -> None:
    toast = host.show_toast("Not trusted.", Severity.WARNING, "Trust")
    with qtbot.waitSignals([toast.action_triggered, toast.closed], timeout=1000):
        toast.findChild(PushButton).click()


def test_without_an_action_there_is_no_push_button(host: ToastHost) -> None:
    assert host.show_toast("Saved.").findChild(QPushButton) is None


def test_toasts_are_stacked_in_the_lower_right(host: ToastHost, window: QWidget) -> None:
    host.set_bottom_margin(44)
    first, second = host.show_toast("First."), host.show_toast("Second.")
    assert second.geometry().bottom() + 1 == window.height() - 44
    assert first.geometry().bottom() < second.geometry().top()
    assert first.geometry().right() < window.width()


def test_toasts_move_with_the_corner(host: ToastHost, window: QWidget, qtbot: QtBot) -> None:
    toast = host.show_toast("First.")
    window.show()
    qtbot.waitExposed(window)
    window.resize(700, 400)
    qtbot.waitUntil(lambda: toast.geometry().right() < 700, timeout=2000)


def test_the_oldest_makes_room_for_the_fifth(host: ToastHost) -> None:
    for number in range(5):
        host.show_toast(f"Message {number}", Severity.ERROR)
    assert [toast.text for toast in host.toasts] == [f"Message {n}" for n in range(1, 5)]


def test_a_long_message_has_room(host: ToastHost) -> None:
    short, long = host.show_toast("Short."), host.show_toast("A long message. " * 20)
    assert long.height() > 2 * short.height()


def test_a_screen_reader_hears_severity_and_text(host: ToastHost) -> None:
    toast = host.show_toast("The worker ended.", Severity.ERROR)
    assert toast.accessibleName() == "Error: The worker ended."


def test_a_toast_of_a_topic_takes_the_place_of_the_one_before(host: ToastHost) -> None:
    host.show_toast("Not trusted.", Severity.WARNING, topic="refusal")
    host.show_toast("No kernel.", Severity.WARNING, topic="refusal")
    other = host.show_toast("Saved.")
    assert [toast.text for toast in host.toasts] == ["No kernel.", "Saved."]
    host.dismiss("refusal")
    assert host.toasts == (other,)


def test_the_same_message_is_shown_once(host: ToastHost) -> None:
    for _ in range(3):
        last = host.show_toast("Not trusted.", Severity.ERROR)
    assert host.toasts == (last,)
