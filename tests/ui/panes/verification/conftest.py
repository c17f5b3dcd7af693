"""Results as a worker sends them, and a pane that shows one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from verification_results import Results

from workbench.core.jobs import OutputBlocks
from workbench.session.verification_view import Subject
from workbench.ui.panes.verification import VerificationPane
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

Array = np.ndarray[Any, Any]
GRID = OutputBlocks((4, 4), (16, 16), (1, 0))


@pytest.fixture
def results() -> Results:
    return Results()


@pytest.fixture
def wrong(results: Results) -> Subject:
    """60 x 60 elements in blocks of 16 x 16; the last column of blocks is off by 8, one by 10."""
    got = np.ones((60, 60), np.float32)
    got[:, 48:] = 9
    got[30, 50] = 11
    return results.subject((results.output(got, blocks=GRID),))


@pytest.fixture
def right(results: Results) -> Subject:
    return results.subject((results.output(np.ones((64, 64), np.float32), blocks=GRID),))


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot) -> VerificationPane:
    pane = VerificationPane(theme, icons)
    qtbot.addWidget(pane)
    pane.resize(1300, 700)
    pane.show()
    return pane


@pytest.fixture
def shown(pane: VerificationPane, wrong: Subject, qtbot: QtBot) -> VerificationPane:
    """The pane with a wrong output."""
    pane.show_subject(wrong)
    qtbot.waitUntil(lambda: pane.body.map.frame is not None)
    return pane


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[], None]:
    """Lets the layouts follow."""
    return lambda: qtbot.wait(1)


@pytest.fixture
def make(results: Results) -> Callable[[Array], Subject]:
    """A subject of one output, which should be all ones."""

    def build(got: Array) -> Subject:
        return results.subject((results.output(got),))

    return build
