from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Assignment, Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import (
    ButtonKind,
    FlatToolButton,
    PickerButton,
    content_width,
    flush_link,
    push_button,
)


@pytest.mark.parametrize("kind", get_args(ButtonKind))
def test_a_push_button_has_the_height_of_controls_and_room_for_its_text(
    icons: Icons, qtbot: QtBot, kind: ButtonKind
) -> None:
    button = push_button(icons, "Debug this thread", kind, "bug")
    qtbot.addWidget(button)
    hint = button.sizeHint()
    assert hint.height() == METRICS.control_height
    assert hint.width() >= content_width(button) + 12


def test_kinds_look_different(icons: Icons, qtbot: QtBot) -> None:
    pictures = []
    for kind in get_args(ButtonKind):
        button = push_button(icons, "Apply", kind)
        qtbot.addWidget(button)
        button.resize(80, 28)
        pictures.append(button.grab().toImage())
    assert all(a != b for at, a in enumerate(pictures) for b in pictures[:at])


def test_a_mnemonic_is_not_counted_in_the_width(icons: Icons, qtbot: QtBot) -> None:
    plain, marked = push_button(icons, "Save"), push_button(icons, "&Save")
    qtbot.addWidget(plain)
    qtbot.addWidget(marked)
    assert content_width(plain) == content_width(marked)


def test_an_icon_button_is_square_and_named_by_its_tip(icons: Icons, qtbot: QtBot) -> None:
    button = FlatToolButton(icons, "Filter the list")
    qtbot.addWidget(button)
    button.set_icon("filter")
    assert button.sizeHint().width() == button.sizeHint().height() == METRICS.control_height
    assert button.accessibleName() == button.toolTip() == "Filter the list"


def test_the_last_icon_given_follows_the_theme(icons: Icons, qtbot: QtBot) -> None:
    button, other = FlatToolButton(icons, "Pin"), FlatToolButton(icons, "Pin")
    qtbot.addWidget(button)
    qtbot.addWidget(other)
    button.set_icon("pin")
    button.set_icon("star", "warn")
    icons.theme.set_choice("light")
    other.set_icon("star", "warn")
    assert button.grab().toImage() == other.grab().toImage()
    assert len(button.findChildren(Assignment)) == 1


def test_a_tool_button_runs_its_action(icons: Icons, qtbot: QtBot) -> None:
    button = FlatToolButton(icons, "Compile", "Compile")
    qtbot.addWidget(button)
    action = QAction("Compile", button)
    button.setDefaultAction(action)
    with qtbot.waitSignal(action.triggered, timeout=1000):
        button.click()


def test_a_picker_has_room_for_its_chevron(icons: Icons, qtbot: QtBot) -> None:
    flat, picker = FlatToolButton(icons, "t", "gemm"), PickerButton(icons, "t", "gemm")
    qtbot.addWidget(flat)
    qtbot.addWidget(picker)
    assert picker.sizeHint().width() >= flat.sizeHint().width() + 24


def test_the_focus_is_seen(icons: Icons, qtbot: QtBot) -> None:
    button = push_button(icons, "Apply")
    qtbot.addWidget(button)
    button.resize(80, 28)
    button.show()
    qtbot.waitExposed(button)
    button.clearFocus()
    rest = button.grab().toImage()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus, timeout=2000)
    assert button.grab().toImage() != rest


def test_a_flush_link_is_as_wide_as_its_text(icons: Icons, qtbot: QtBot) -> None:
    link = flush_link(icons, "Line 25")
    qtbot.addWidget(link)
    link.ensurePolished()
    edges = 2
    assert link.sizeHint().width() <= content_width(link) + edges + 1
