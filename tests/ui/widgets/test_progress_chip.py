from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QVariantAnimation
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.progress_chip import (
    ProgressChip,
    ProgressTrack,
    ProgressView,
    elapsed_text,
    progress_text,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.0 s"), (1.44, "1.4 s"), (9.99, "10.0 s"), (12.9, "12 s"), (75.2, "1 min 15 s")],
)
def test_times_have_the_digits_that_matter(seconds: float, text: str) -> None:
    assert elapsed_text(seconds) == text


def test_steps_are_told_where_they_are_known() -> None:
    assert progress_text(ProgressView("Compile", 2, 3, 1.4)) == "2 of 3 · 1.4 s"
    assert progress_text(ProgressView("Verify", 0, None, 1.4)) == "1.4 s"


def test_work_that_knows_its_share_says_how_long_it_takes_yet() -> None:
    view = ProgressView("Delete", 0, None, 3.0, 0.25, "100 of 400 runs")
    assert progress_text(view) == "100 of 400 runs · 3.0 s · about 9 s left"
    early = ProgressView("Delete", 0, None, 3.0, 0.01, "4 of 400 runs")
    assert progress_text(early) == "4 of 400 runs · 3.0 s"
    assert view.known_share == 0.25
    assert ProgressView("Compile", 2, 4, 1.0).known_share == 0.5


@pytest.fixture
def chip(icons: Icons, qtbot: QtBot) -> ProgressChip:
    chip = ProgressChip(icons, ProgressView("Compile H100", 1, 2, 0.5))
    qtbot.addWidget(chip)
    return chip


def test_the_cross_asks_for_the_end(chip: ProgressChip, qtbot: QtBot) -> None:
    cross = chip.findChild(FlatToolButton)
    assert cross.accessibleName() == "Cancel Compile H100"
    with qtbot.waitSignal(chip.cancel_requested, timeout=1000):
        qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)


def test_it_shows_how_it_is_now(chip: ProgressChip) -> None:
    chip.set_view(ProgressView("Compile A100", 2, 2, 3.0))
    assert chip.text == "2 of 2 · 3.0 s"
    assert chip.accessibleName() == "Compile A100, 2 of 2 · 3.0 s"


@pytest.fixture
def track(theme: Theme, qtbot: QtBot) -> ProgressTrack:
    track = ProgressTrack(theme)
    qtbot.addWidget(track)
    return track


def test_the_track_is_filled_by_its_share(track: ProgressTrack) -> None:
    track.set_share(0.5)
    image = track.grab().toImage()
    assert image.pixelColor(20, 3).name().upper() == DARK.accent
    assert image.pixelColor(70, 3).name().upper() == DARK.bg4


def test_it_moves_only_while_the_share_is_unknown_and_it_is_seen(
    track: ProgressTrack, qtbot: QtBot
) -> None:
    run = track.findChild(QVariantAnimation)
    track.set_share(None)
    assert run.state() is QVariantAnimation.State.Stopped
    track.show()
    qtbot.waitExposed(track)
    assert run.state() is QVariantAnimation.State.Running
    track.hide()
    assert run.state() is QVariantAnimation.State.Stopped
