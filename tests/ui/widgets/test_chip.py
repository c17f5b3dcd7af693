from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK
from workbench.ui.widgets.chip import Badge, Chip


def ground(chip: Chip) -> str:
    """The colour just inside the left edge."""
    image = chip.grab().toImage()
    return image.pixelColor(3, image.height() // 2).name().upper()


@pytest.mark.parametrize(("tone", "colour"), [("neutral", DARK.bg3), ("warn", DARK.warn_bg)])
def test_a_chip_has_the_ground_of_its_tone(
    theme: Theme, qtbot: QtBot, tone: str, colour: str
) -> None:
    chip = Chip(theme, "predicted", tone)
    qtbot.addWidget(chip)
    chip.adjustSize()
    assert ground(chip) == colour


def test_a_chip_takes_another_tone(theme: Theme, qtbot: QtBot) -> None:
    chip = Chip(theme, "predicted")
    qtbot.addWidget(chip)
    chip.adjustSize()
    chip.set_tone("error")
    assert ground(chip) == DARK.error_bg


def test_a_badge_of_nothing_is_hidden(theme: Theme, qtbot: QtBot) -> None:
    badge = Badge(theme)
    qtbot.addWidget(badge)
    assert badge.isHidden()
    badge.set_count(1250)
    assert not badge.isHidden()
    assert badge.text() == "1,250"
