from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK
from workbench.ui.widgets.bar import Bar, BarParts, BarView, bar_parts


@pytest.mark.parametrize(
    ("view", "parts"),
    [
        (BarView(None), BarParts((0, 0), (0, 0))),
        (BarView(0.5), BarParts((0, 50), (50, 50))),
        (BarView(1.5), BarParts((0, 100), (100, 100))),
        (BarView(-1.0), BarParts((0, 0), (0, 0))),
        (BarView(0.8, limit=0.6), BarParts((0, 60), (60, 80))),
        (BarView(0.4, limit=0.6), BarParts((0, 40), (40, 40))),
    ],
)
def test_the_fill_ends_at_the_share_and_turns_at_the_limit(view: BarView, parts: BarParts) -> None:
    assert bar_parts(view, 100) == parts


def pixel(theme: Theme, qtbot: QtBot, view: BarView, x: int, y: int = 7) -> QColor:
    bar = Bar(theme, view)
    qtbot.addWidget(bar)
    bar.resize(100, 14)
    return bar.grab().toImage().pixelColor(x, y)


def test_what_was_measured_is_filled_with_its_tone(theme: Theme, qtbot: QtBot) -> None:
    view = BarView(0.5, tone="shared")
    assert pixel(theme, qtbot, view, 20).name().upper() == DARK.shared
    assert pixel(theme, qtbot, view, 80).name().upper() == DARK.bg4


def test_what_is_unknown_is_an_empty_track(theme: Theme, qtbot: QtBot) -> None:
    assert pixel(theme, qtbot, BarView(None), 2).name().upper() == DARK.bg4


def test_beyond_the_limit_it_is_an_error(theme: Theme, qtbot: QtBot) -> None:
    assert pixel(theme, qtbot, BarView(0.9, limit=0.5), 80).name().upper() == DARK.error


def test_the_limit_stands_out_of_the_track(theme: Theme, qtbot: QtBot) -> None:
    assert pixel(theme, qtbot, BarView(0.2, limit=0.5), 50, 1).name().upper() == DARK.error


def test_another_view_is_shown(theme: Theme, qtbot: QtBot) -> None:
    bar = Bar(theme, BarView(None))
    qtbot.addWidget(bar)
    bar.resize(100, 14)
    bar.set_view(BarView(1.0))
    assert bar.grab().toImage().pixelColor(50, 7).name().upper() == DARK.accent
