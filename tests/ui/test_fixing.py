"""Fixes in the real window: bulb, menu, preview, one step of undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_kernels import FAULTY
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.session.fix_choices import ChoiceKind
from workbench.session.text_differences import Change
from workbench.ui.editor.gutter import FOLD, RIGHT_MARGIN

TEXT = FAULTY["never cleared (eager)"]
CODE = "gemm-uninitialized-accumulator"


class Driver:
    """A window on one kernel whose folder is not trusted, so that nothing is run."""

    def __init__(self, qtbot: Any, application: Application) -> None:
        self.qtbot, self.application = qtbot, application
        self.controller = application.controller
        self.window = application.window

    @property
    def editor(self) -> Any:
        return self.window.editors.current.current

    @property
    def menu(self) -> Any:
        return self.controller.fixing.menu

    def problems(self) -> list[Any]:
        found = self.controller.panels.problems.problems
        return [p for p in found if p.diagnostic.code == CODE]

    def open_menu(self) -> Any:
        """Go to the problem and press Ctrl+."""
        (problem,) = self.problems()
        self.editor.go_to(problem.line)
        QTest.keyClick(self.editor.view, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
        assert self.menu.isVisible()
        return problem


@pytest.fixture
def driver(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Driver]:
    (tmp_path / "k.py").write_text(TEXT)
    application = Application(qapp, tmp_path)
    application.show([tmp_path / "k.py"])
    made = Driver(qtbot, application)
    qtbot.waitUntil(lambda: len(made.problems()) == 1, timeout=60_000)
    yield made
    made.window.editors.current.buffer.document.setModified(False)
    application.close()


def test_bulb_menu_preview_fix_and_one_step_back(driver: Driver) -> None:
    buffer = driver.editor.buffer
    problem = driver.open_menu()
    choices = driver.menu.choices
    kinds = [choice.kind for choice in choices]
    assert kinds == [ChoiceKind.FIX, ChoiceKind.EXPLAIN, ChoiceKind.SHOW]
    added = [x.text for x in driver.menu.preview.lines if x.change is Change.ADDED]
    assert any("clear" in text for text in added)
    QTest.keyClick(driver.menu, Qt.Key.Key_Return)
    assert not driver.menu.isVisible()
    assert buffer.text() != TEXT
    assert all(text.strip() in buffer.text() for text in added)
    assert driver.problems() == []
    buffer.document.undo()
    assert buffer.text() == TEXT
    driver.qtbot.waitUntil(lambda: bool(driver.problems()))
    assert driver.problems()[0].line == problem.line
    assert driver.editor.view.hasFocus() or not driver.window.isActiveWindow()


def test_the_bulb_of_the_gutter_opens_the_menu(driver: Driver) -> None:
    view = driver.editor.view
    (problem,) = driver.problems()
    driver.editor.go_to(problem.line)
    assert view.problems.has_fix(problem.line - 1)
    area = view.line_area(problem.line - 1)
    at = QPoint(view.gutter.width() - FOLD - RIGHT_MARGIN + 6, area.center().y())
    QTest.mouseClick(view.gutter, Qt.MouseButton.LeftButton, pos=at)
    assert driver.menu.isVisible()


def test_the_menu_does_not_cover_its_line(driver: Driver) -> None:
    for height in (500, 900):
        driver.window.resize(1280, height)
        QApplication.processEvents()
        driver.open_menu()
        view = driver.editor.view
        line = view.line_area(view.current_line())
        top = view.viewport().mapTo(driver.window, line.topLeft()).y()
        menu = driver.menu.geometry()
        assert menu.top() > top + line.height() - 1 or menu.bottom() < top
        assert driver.window.rect().contains(menu)
        driver.menu.dismiss()


def test_escape_leaves_everything_as_it_was(driver: Driver) -> None:
    driver.open_menu()
    QTest.keyClick(driver.menu, Qt.Key.Key_Escape)
    assert not driver.menu.isVisible()
    assert driver.editor.buffer.text() == TEXT


def test_f1_asks_for_the_page_of_the_problem(driver: Driver) -> None:
    driver.open_menu()
    with driver.qtbot.waitSignal(driver.controller.fixing.help_requested) as heard:
        QTest.keyClick(driver.menu, Qt.Key.Key_F1)
    assert heard.args == [CODE]


def test_show_leads_to_the_problem_list(driver: Driver) -> None:
    problem = driver.open_menu()
    QTest.keyClick(driver.menu, Qt.Key.Key_Up)
    QTest.keyClick(driver.menu, Qt.Key.Key_Return)
    assert driver.controller.panels.problems._list.current_problem() == problem


def test_a_line_without_problems_says_so(driver: Driver) -> None:
    driver.controller.fixing.open_menu(1)
    assert driver.menu is None or not driver.menu.isVisible()


def test_a_fix_of_an_earlier_text_is_refused(driver: Driver) -> None:
    (problem,) = driver.problems()
    driver.editor.buffer.replace_text("\n" + TEXT)
    driver.controller.fixing.make_fix(problem, problem.diagnostic.fixes[0])
    assert driver.editor.buffer.text() == "\n" + TEXT
