"""Kinds of hints are switched off in the problem list and on again in the dialog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_kernels import FAULTY
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from workbench.app import Application

# Two findings: the mistake and, of a loop that goes one turn after another, the hint.
TEXT = (
    FAULTY["never cleared (eager)"].replace("Pipelined(", "serial(").replace(", num_stages=3", "")
)
HINT = "missing-pipelining"
MISTAKE = "gemm-uninitialized-accumulator"


@pytest.fixture
def application(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / "k.py").write_text(TEXT)
    made = Application(qapp, tmp_path)
    made.show([tmp_path / "k.py"])
    qtbot.waitUntil(lambda: {HINT, MISTAKE} <= codes(made), timeout=60_000)
    yield made
    made.close()


def codes(application: Application) -> set[str]:
    found = application.controller.panels.problems.problems
    return {problem.diagnostic.code for problem in found}


def menu_of(application: Application, code: str) -> QMenu:
    pane = application.controller.panels.problems
    problem = next(p for p in pane.problems if p.diagnostic.code == code)
    pane._on_menu_requested(problem, QPoint(10, 10))
    return pane.findChildren(QMenu)[-1]


def choices(menu: QMenu) -> dict[str, Any]:
    return {action.text(): action for action in menu.actions()}


def test_a_hint_goes_and_comes_back(application: Application) -> None:
    controller = application.controller
    menu = menu_of(application, HINT)
    choices(menu)[f"Do Not Show {HINT} Again"].trigger()
    menu.close()
    assert codes(application) & {HINT, MISTAKE} == {MISTAKE}
    assert controller.session.settings_file.load().settings.hints_off == (HINT,)
    controller.actions["hints"].trigger()
    dialog = controller.hints.dialog
    assert dialog is not None
    assert dialog.isVisible()
    assert not dialog.box(HINT).isChecked()
    dialog.box(HINT).click()
    assert HINT in codes(application)
    assert controller.session.settings_file.load().settings.hints_off == ()
    dialog.box(HINT).click()
    assert HINT not in codes(application)
    dialog.accept()


def test_a_mistake_cannot_be_switched_off(application: Application) -> None:
    menu = menu_of(application, MISTAKE)
    assert not [text for text in choices(menu) if text.startswith("Do Not Show")]
    menu.close()
