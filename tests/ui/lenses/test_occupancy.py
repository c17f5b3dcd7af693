"""The occupancy lens paints its picture, leads to lines, and asks for what is unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.line_registers import LineRegisters
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Hit
from workbench.ui.lenses.occupancy.lens import OccupancyLens
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState

FLASH = BlockResources(128, 136, 0, 24 * 1024)
LINES = (LineRegisters(5, 90, 10), LineRegisters(6, 136, 30), LineRegisters(None, 140, 3))
H100 = lens_target("h100", 0, block_resources=FLASH, line_registers=LINES)
A100 = lens_target("a100", 1, block_resources=FLASH)
UNKNOWN = lens_target("h100", 0, level=1, block_resources=replace(FLASH, registers=None))


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> OccupancyLens:
    made = OccupancyLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    return made


def hit(lens: OccupancyLens, start: str) -> Hit:
    lens.view.grab()
    return next(each for each in lens.view.hits if each.tip.startswith(start))


def click(lens: OccupancyLens, place: QPointF, qtbot: Any) -> None:
    qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=place.toPoint())


def test_a_bar_leads_to_the_line_with_the_most_live_registers(
    lens: OccupancyLens, qtbot: Any
) -> None:
    lens.set_subject(lens_subject(H100, A100))
    assert lens.conclusion.startswith("Registers limit every target to 3 blocks per SM.")
    with qtbot.waitSignal(lens.selected) as selected:
        click(lens, hit(lens, "H100: 136 registers").area.center(), qtbot)
    assert selected.args == [Selection(line=6)]


def test_the_kernels_place_on_a_stair_leads_there_too(lens: OccupancyLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, A100))
    place = hit(lens, "H100, this kernel\nRegisters a thread: 136\n3 blocks, 18.8 %")
    with qtbot.waitSignal(lens.selected) as selected:
        click(lens, place.area.center(), qtbot)
    assert selected.args == [Selection(line=6)]


def test_a_stair_tells_the_occupancy_above_the_pointer(lens: OccupancyLens) -> None:
    lens.set_subject(lens_subject(H100))
    lens.view.grab()
    plot = next(each for each in lens.view.hits if each.resolve is not None)
    middle = QPointF(plot.area.left() + plot.area.width() * 96 / 255, plot.area.top() + 2)
    found = plot.at(middle)
    assert found is not None
    assert found.tip == "Registers a thread: 96\nH100: 31.2 %"


def test_what_is_selected_lights_up(lens: OccupancyLens) -> None:
    lens.set_subject(lens_subject(H100))
    dark = lens.view.grab().toImage()
    lens.set_selection(Selection(line=6))
    assert lens.view.grab().toImage() != dark
    lens.set_selection(Selection(line=99))
    assert lens.view.grab().toImage() == dark


def test_unknown_registers_can_be_asked_for(lens: OccupancyLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(UNKNOWN))
    action = hit(lens, "registers unknown: analyze")
    with qtbot.waitSignal(lens.analysis_requested):
        click(lens, action.area.center(), qtbot)


def test_a_target_without_rules_is_told(lens: OccupancyLens) -> None:
    lens.set_subject(lens_subject(lens_target("ascend910b", block_resources=FLASH)))
    (shown,) = (each for each in lens.findChildren(EmptyState) if each.isVisible())
    assert shown.sentence.startswith("The occupancy is unknown: the rules of")


def test_it_is_as_high_as_it_needs_to_be(lens: OccupancyLens) -> None:
    lens.set_subject(lens_subject(H100, A100))
    narrow, wide = lens.view.heightForWidth(480), lens.view.heightForWidth(900)
    assert narrow > wide > 200
    lens.resize(900, 700)
    assert lens.view.minimumHeight() == lens.view.heightForWidth(lens.view.width())


def test_it_is_exported(lens: OccupancyLens, tmp_path: Path) -> None:
    lens.set_subject(lens_subject(H100))
    lens.export(tmp_path / "occupancy.svg")
    assert b"Registers a thread" in (tmp_path / "occupancy.svg").read_bytes()
