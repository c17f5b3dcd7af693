"""Cards in the real window: where they stand, what they lead to, and when they go."""

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

TEXT = FAULTY["never cleared (eager)"]
CODE = "gemm-uninitialized-accumulator"


class Driver:
    def __init__(self, qtbot: Any, application: Application) -> None:
        self.qtbot, self.application = qtbot, application
        self.controller, self.window = application.controller, application.window

    @property
    def editor(self) -> Any:
        return self.window.editors.current.current

    @property
    def hovering(self) -> Any:
        return self.controller.hovering

    def problem(self) -> Any:
        found = self.controller.panels.problems.problems
        return next((p for p in found if p.diagnostic.code == CODE), None)

    def point_of(self, line: int, text: str) -> QPoint:
        """A point in the viewport on a text in a line, from 1, which is scrolled to."""
        view = self.editor.view
        self.editor.go_to(line)
        QApplication.processEvents()
        column = self.editor.buffer.lines()[line - 1].index(text)
        area = view.line_area(line - 1)
        return QPoint(view.column_left(line - 1, column) + 3, area.center().y())


@pytest.fixture
def driver(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Driver]:
    (tmp_path / "k.py").write_text(TEXT)
    application = Application(qapp, tmp_path)
    application.show([tmp_path / "k.py"])
    made = Driver(qtbot, application)
    qtbot.waitUntil(lambda: made.problem() is not None, timeout=60_000)
    qtbot.waitUntil(lambda: made.editor.buffer.highlighter.is_done, timeout=60_000)
    yield made
    made.window.editors.current.buffer.document.setModified(False)
    application.close()


def allocation() -> tuple[int, str]:
    """Line and name of the first shared buffer."""
    lines = TEXT.split("\n")
    line = next(at for at, text in enumerate(lines) if "alloc_shared" in text)
    return line + 1, lines[line].split("=")[0].strip()


def test_the_card_of_a_problem_stands_off_its_line_and_fixes_it(driver: Driver) -> None:
    problem = driver.problem()
    lines = driver.editor.buffer.lines()
    point = driver.point_of(problem.line, lines[problem.line - 1].strip()[:4])
    assert driver.hovering.show_at(driver.editor, point)
    (card,), _ = driver.hovering.card.shown
    assert card.problem == problem
    view = driver.editor.view
    top = view.viewport().mapTo(driver.window, view.line_area(problem.line - 1).topLeft()).y()
    height = view.line_area(problem.line - 1).height()
    place = driver.hovering.card.geometry()
    assert place.top() >= top + height or place.bottom() < top
    assert driver.window.rect().contains(place)
    driver.hovering.card._on_link_activated(card, "fix")
    assert driver.problem() is None
    assert not driver.hovering.card.isVisible()


def test_the_card_of_a_buffer_tells_shape_and_size(driver: Driver) -> None:
    line, name = allocation()
    assert driver.hovering.show_at(driver.editor, driver.point_of(line, name))
    problems, buffer = driver.hovering.card.shown
    assert (problems, buffer.name) == ((), name)
    assert "×" in buffer.summary
    assert dict(buffer.rows)["Lies in"] == "shared memory"


def test_nothing_is_known_beside_the_text(driver: Driver) -> None:
    line, name = allocation()
    point = driver.point_of(line, name)
    assert not driver.hovering.show_at(driver.editor, point + QPoint(4000, 0))


def test_the_card_opens_by_key_and_goes_with_the_next(driver: Driver) -> None:
    line, name = allocation()
    driver.point_of(line, name)
    driver.editor.go_to(line, driver.editor.buffer.lines()[line - 1].index(name) + 2)
    driver.controller.actions["show-hover"].trigger()
    assert driver.hovering.card.isVisible()
    QTest.keyClick(driver.editor.view, Qt.Key.Key_Right)
    assert not driver.hovering.card.isVisible()


def test_the_card_goes_when_the_pointer_does_and_stays_while_it_is_on_it(driver: Driver) -> None:
    line, name = allocation()
    driver.hovering.show_at(driver.editor, driver.point_of(line, name))
    card = driver.hovering.card
    driver.hovering._leaving.start()
    card.entered.emit()
    driver.qtbot.wait(400)
    assert card.isVisible()
    card.left.emit()
    driver.qtbot.waitUntil(lambda: not card.isVisible())
