"""The parts of the window's frame: the titles of docks, the rail, and fields."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QStyledItemDelegate
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.dock_title import DockTitle
from workbench.ui.widgets.fields import ComboBox, StepField
from workbench.ui.widgets.rail import Rail


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def title(window: QMainWindow, icons: Icons) -> DockTitle:
    dock = QDockWidget("Runs", window)
    title = DockTitle(dock, icons)
    dock.setTitleBarWidget(title)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    return title


def button(title: DockTitle, tip: str) -> FlatToolButton:
    return next(b for b in title.findChildren(FlatToolButton) if b.toolTip() == tip)


def dock_of(title: DockTitle) -> QDockWidget:
    dock = title.parent()
    assert isinstance(dock, QDockWidget)
    return dock


def test_a_title_follows_the_dock(title: DockTitle) -> None:
    dock_of(title).setWindowTitle("Runs of gemm")
    assert title.findChild(QLabel).text() == "Runs of gemm"


def test_a_title_closes_the_dock(title: DockTitle) -> None:
    button(title, "Close this panel").click()
    assert dock_of(title).isHidden()


def test_a_title_tears_the_dock_off_and_puts_it_back(
    title: DockTitle, window: QMainWindow, qtbot: QtBot
) -> None:
    window.show()
    qtbot.waitExposed(window)
    tear_off = button(title, "Tear off or put back")
    tear_off.click()
    assert dock_of(title).isFloating()
    tear_off.click()
    assert not dock_of(title).isFloating()


def test_a_dock_that_must_stay_has_no_cross(title: DockTitle) -> None:
    dock_of(title).setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
    assert button(title, "Close this panel").isHidden()


def test_the_tools_of_a_view_stand_in_its_title(title: DockTitle, icons: Icons) -> None:
    title.add_tool(FlatToolButton(icons, "Filter"))
    assert button(title, "Filter").parent() is title


@pytest.fixture
def rail(window: QMainWindow, icons: Icons) -> Rail:
    rail = Rail(icons, "Navigator", window)
    window.addToolBar(rail)
    return rail


def test_a_button_of_the_rail_switches_its_action(rail: Rail) -> None:
    action = QAction("Kernels", rail)
    action.setCheckable(True)
    rail.add(action, "file").click()
    assert action.isChecked()


def test_a_button_of_the_rail_shows_its_action(rail: Rail) -> None:
    action = QAction("Kernels", rail)
    action.setCheckable(True)
    shown = rail.add(action, "file")
    rest = shown.grab().toImage()
    action.setChecked(True)
    assert shown.isChecked()
    assert shown.grab().toImage() != rest


def test_the_rail_is_as_wide_as_its_buttons(rail: Rail) -> None:
    rail.add(QAction("Kernels", rail), "file")
    rail.ensurePolished()
    margins = rail.layout().contentsMargins()
    assert (margins.left(), margins.right()) == (0, 0)
    assert rail.sizeHint().width() in range(METRICS.rail_width, METRICS.rail_width + 3)


def test_numbers_stand_in_from_the_edge(theme: Theme, qtbot: QtBot) -> None:
    field = StepField()
    qtbot.addWidget(field)
    assert field.lineEdit().textMargins().left() > 4
    field.ensurePolished()
    assert field.maximumHeight() == METRICS.control_height


def test_the_rows_of_a_combo_box_heed_the_style_sheet(theme: Theme, qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    assert type(box.itemDelegate()) is QStyledItemDelegate
