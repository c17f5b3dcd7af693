from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.search_field import SearchField


@pytest.fixture
def field(icons: Icons, qtbot: QtBot) -> SearchField:
    field = SearchField(icons, "Search actions", "Ctrl+Shift+P")
    qtbot.addWidget(field)
    field.resize(216, 28)
    return field


def test_escape_empties_it(field: SearchField, qtbot: QtBot) -> None:
    qtbot.keyClicks(field, "gemm")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""


def test_the_hint_goes_when_something_is_typed(
    field: SearchField, icons: Icons, qtbot: QtBot
) -> None:
    plain = SearchField(icons, "Search actions")
    qtbot.addWidget(plain)
    plain.resize(216, 28)
    assert field.grab().toImage() != plain.grab().toImage()
    field.setText("gemm")
    plain.setText("gemm")
    assert field.grab().toImage() == plain.grab().toImage()


def test_it_names_its_purpose_and_its_keys(field: SearchField) -> None:
    assert field.accessibleName() == "Search actions"
    assert field.toolTip() == "Search actions (Ctrl+Shift+P)"
