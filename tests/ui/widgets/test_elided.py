from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.elided import ElidedLabel


@pytest.fixture
def label(theme: Theme, qtbot: QtBot) -> ElidedLabel:
    label = ElidedLabel(theme, "A sentence that is long enough to be cut")
    qtbot.addWidget(label)
    return label


def test_with_room_it_needs_no_tip(label: ElidedLabel) -> None:
    label.resize(label.sizeHint())
    label.grab()
    assert label.toolTip() == ""


def test_without_room_the_tip_has_the_whole(label: ElidedLabel) -> None:
    label.resize(60, 20)
    label.grab()
    assert label.toolTip() == label.text


def test_it_gives_way(label: ElidedLabel) -> None:
    assert label.minimumSizeHint().width() == 0


def test_it_is_named_by_its_text(label: ElidedLabel) -> None:
    label.set_text("Another one")
    assert label.accessibleName() == "Another one"
