from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from workbench.session.problems import Problem
from workbench.ui.panes.problems.model import ProblemModel
from workbench.ui.panes.problems.rows import ProblemFilter, rows_of

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def test_the_model_keeps_qt_s_rules(problems: tuple[Problem, ...], qtbot: QtBot) -> None:
    parent = QObject()
    model = ProblemModel(parent)
    tester = QAbstractItemModelTester(model, FATAL, parent)
    model.set_rows(rows_of(problems, ProblemFilter(), ()))
    model.set_rows(())
    model.set_rows(rows_of(problems[:1], ProblemFilter(), ()))
    assert tester.model().rowCount() == 1


def test_a_row_is_spoken_with_severity_and_place(
    problems: tuple[Problem, ...], qtbot: QtBot
) -> None:
    model = ProblemModel()
    model.set_rows(rows_of(problems, ProblemFilter(), ()))
    spoken = model.data(model.index(0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Error, flash.py, line 33, column 5: 24 is no multiple of 16."
