from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Related, Severity, TextRange
from workbench.session.problems import Problem
from workbench.ui.panes.problems import ProblemsPane
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

PATH = "/kernels/flash.py"
PAD = Fix("Pad O_s by 8", (Edit(TextRange(25, 30), "+ 8"),))
ERROR = Problem(
    Diagnostic("gemm-shape", Severity.ERROR, "24 is no multiple of 16.", TextRange(33, 5)),
    PATH,
    raw="Traceback: 24 % 16 != 0\n",
)
CONFLICT = Problem(
    Diagnostic(
        "bank-conflict",
        Severity.WARNING,
        "8-way store conflict: 28,672 wavefronts are replays",
        TextRange(58, 9),
        help="Eight more columns move each row by 16 bytes.",
        related=(Related(TextRange(25, 3), "O_s is allocated here"),),
        fixes=(PAD,),
    ),
    PATH,
    ("h100", "a100"),
)
NOTE = Problem(
    Diagnostic("no-metadata", Severity.INFO, "The file has no workbench block."), PATH, ("mi300x",)
)
TARGETS = ("h100", "a100", "mi300x")


@pytest.fixture
def problems() -> tuple[Problem, ...]:
    """An error for all targets, a warning with a fix for two, a note without a line for one."""
    return (ERROR, CONFLICT, NOTE)


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot, problems: tuple[Problem, ...]) -> ProblemsPane:
    pane = ProblemsPane(theme, icons)
    qtbot.addWidget(pane)
    pane.resize(1200, 220)
    pane.set_targets(TARGETS)
    pane.set_problems(problems)
    pane.show()
    return pane
