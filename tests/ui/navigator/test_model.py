from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from workbench.ui.navigator.model import NavigatorModel
from workbench.ui.navigator.nodes import library_section, workspace_section
from workbench.ui.widgets.severity import GOOD

ROOT = Path("/k")
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def parent(qtbot: QtBot) -> QObject:
    return QObject()


@pytest.fixture
def model(parent: QObject) -> NavigatorModel:
    files = [ROOT / "a.py", ROOT / "b" / "c.py"]
    return NavigatorModel((workspace_section(ROOT, files), library_section([])), parent)


def test_the_model_keeps_qt_s_rules(model: NavigatorModel, parent: QObject) -> None:
    tester = QAbstractItemModelTester(model, FATAL, parent)
    model.set_section(workspace_section(ROOT, [ROOT / "x" / "y" / "z.py", ROOT / "b" / "c.py"]))
    model.set_mark("/k/b/c.py", GOOD)
    model.set_section(workspace_section(None, ()))
    model.set_section(workspace_section(ROOT, [ROOT / "a.py"]))
    assert tester.model().rowCount() == 2


def test_a_node_is_found_by_its_key(model: NavigatorModel) -> None:
    assert model.node(model.find("file:/k/b/c.py")).text == "c.py"
    assert not model.find("file:/k/nothing.py").isValid()


def test_a_mark_outlives_its_section(model: NavigatorModel) -> None:
    model.set_mark("/k/a.py", GOOD)
    model.set_section(workspace_section(ROOT, [ROOT / "a.py"]))
    assert model.mark(model.node(model.find("file:/k/a.py"))) is GOOD


def test_a_mark_is_spoken(model: NavigatorModel) -> None:
    model.set_mark("/k/a.py", GOOD)
    index = model.find("file:/k/a.py")
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == "a.py, Good"


def test_the_same_section_again_changes_nothing(model: NavigatorModel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(model.rowsRemoved):
        model.set_section(workspace_section(ROOT, [ROOT / "a.py", ROOT / "b" / "c.py"]))
