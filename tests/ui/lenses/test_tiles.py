"""The tile map shows waves and tiles, goes through steps and blocks, and offers another order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.tile_regions import ALONE, gemm_regions
from workbench.core.diagnostics import Fix
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject
from workbench.ui.lenses.tiles.lens import TilesLens
from workbench.ui.theme.icons import Icons

TEXT = """\
def main():
    with T.Kernel(
        T.ceildiv(N, 256), T.ceildiv(M, 128)
    ) as (column, row):
        T.clear(C)
"""


def subject(name: str = "h100", **sizes: Any) -> LensSubject:
    target = lens_target(name, tiles=gemm_regions(**sizes), block_resources=ALONE)
    return lens_subject(target, text=TEXT)


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> TilesLens:
    made = TilesLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    return made


def cell(lens: TilesLens, row: int, column: int) -> QPointF:
    """A point in the middle of a cell of a grid of 32 by 16, as the view has it."""
    lens.view.grab()
    grid = next(hit for hit in lens.view.hits if hit.resolve is not None)
    x = grid.area.left() + (column + 0.5) * grid.area.width() / 16
    return QPointF(x, grid.area.top() + (row + 0.5) * grid.area.height() / 32)


def test_it_opens_on_its_conclusion_at_some_block(lens: TilesLens) -> None:
    lens.set_subject(subject())
    assert lens.conclusion.startswith("512 blocks run in 4 waves on H100")
    assert lens.at is not None
    assert lens.at.block == (9, 18, 0)
    assert lens.at.step_text == "k 23 of 64"


def test_a_click_goes_to_a_block_and_selects_it(lens: TilesLens, qtbot: Any) -> None:
    lens.set_subject(subject())
    place = cell(lens, 12, 9)
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert selected.args == [Selection(line=4, block=(9, 12, 0))]
    assert lens.at is not None
    assert (lens.at.block, lens.at.number, lens.at.wave) == ((9, 12, 0), 201, 1)
    hit = lens.view.hit_at(place)
    assert hit is not None
    assert hit.tip == "column 9, row 12 · number 201 · wave 2"


def test_arrow_keys_move_the_block(lens: TilesLens, qtbot: Any) -> None:
    lens.set_subject(subject())
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.keyClick(lens.view, Qt.Key.Key_Down)
    assert selected.args == [Selection(line=4, block=(9, 19, 0))]
    lens.set_block((15, 31, 0), 0)
    with qtbot.assertNotEmitted(lens.selected):
        qtbot.keyClick(lens.view, Qt.Key.Key_Right)  # there is none further on


def test_a_tensor_selects_its_line_and_lights_up(lens: TilesLens, qtbot: Any) -> None:
    lens.set_subject(subject())
    lens.view.grab()
    (hit,) = (each for each in lens.view.hits if each.tip.startswith("A: 4,000"))
    assert "reads rows 2,304 to 2,431, columns 1,472 to 1,535" in hit.tip
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=hit.area.center().toPoint())
    assert selected.args == [Selection(line=6, buffer="A")]
    before = lens.view.grab().toImage()
    lens.set_selection(Selection(line=6))
    assert lens.view.grab().toImage() != before


def test_a_block_selected_elsewhere_is_shown(lens: TilesLens) -> None:
    lens.set_subject(subject())
    lens.set_selection(Selection(block=(3, 4, 0)))
    assert lens.at is not None
    assert lens.at.block == (3, 4, 0)


def test_the_slider_goes_through_the_steps_and_plays_to_the_end(
    lens: TilesLens, qtbot: Any
) -> None:
    lens.set_subject(subject(k=128))
    player = lens.player
    assert player.slider.maximum() == 2  # two steps of k, and the store
    player.slider.setValue(0)
    assert lens.at is not None
    assert lens.at.step_text == "k 0 of 2"
    qtbot.keyClick(lens.view, Qt.Key.Key_Space)
    assert player.is_playing
    qtbot.waitUntil(lambda: not player.is_playing)
    assert lens.at.step_text == "writes, after the loops"
    player.toggle()
    assert (player.slider.value(), player.is_playing) == (0, True)
    lens.hide()
    assert not player.is_playing


def test_another_order_is_previewed_and_written(lens: TilesLens, qtbot: Any) -> None:
    lens.set_subject(subject(m=8192, n=8192))
    assert lens.at is not None
    number = lens.at.number
    lens.offer.preview.setChecked(True)
    assert lens.at.number != number
    with qtbot.waitSignal(lens.fix_requested) as wanted:
        lens.offer.apply.click()
    fix, revision = wanted.args
    assert isinstance(fix, Fix)
    assert fix.edits[0].range.line == 5
    assert revision == 0
    lens.set_subject(replace(subject(m=8192, n=8192), text="def"))
    assert not lens.offer.apply.isVisible()
    lens.set_subject(subject(m=128, n=256))
    assert not lens.offer.isVisible()


def test_it_says_what_is_unknown(lens: TilesLens) -> None:
    made = subject()
    assert made.targets[0].analysis is not None
    kernel = replace(made.targets[0].analysis.kernels[0], tiles=None)
    missing = {"tiles": "the grid is known at the launch only"}
    nothing = replace(made.targets[0].analysis, kernels=(kernel,), missing=missing)
    lens.set_subject(lens_subject(replace(made.targets[0], analysis=nothing)))
    assert lens.map is None
    assert lens.conclusion == ""
    lens.set_subject(made)
    assert lens.map is not None


def test_it_remembers_block_and_step_of_each_document(
    lens: TilesLens, icons: Icons, qtbot: Any
) -> None:
    lens.set_subject(subject())
    lens.set_block((2, 3, 0), 5)
    lens.set_subject(replace(subject(), path="other.py"))
    assert lens.at is not None
    assert lens.at.block == (9, 18, 0)
    again = TilesLens(icons.theme, icons)
    qtbot.addWidget(again)
    again.restore(lens.state())
    again.set_subject(subject())
    assert again.at is not None
    assert (again.at.block, again.at.step) == ((2, 3, 0), 5)
    again.set_subject(replace(subject(m=128, n=256), path="gemm.py"))
    assert again.at.block == (0, 0, 0)  # the grid has no other


def test_slices_of_a_grid_of_three_axes(lens: TilesLens, qtbot: Any) -> None:
    regions = replace(gemm_regions(), grid=(16, 32, 4))
    target = lens_target("h100", tiles=regions, block_resources=ALONE)
    lens.set_subject(lens_subject(target))
    assert lens.at is not None
    assert lens.at.block[2] == 2
    (onwards,) = (
        b for b in lens.findChildren(type(lens._slices._next)) if b.toolTip() == "The next slice"
    )
    onwards.click()
    assert lens.at.block[2] == 3
    assert not onwards.isEnabled()


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_writes_what_it_shows(lens: TilesLens, tmp_path: Path, suffix: str) -> None:
    lens.set_subject(subject())
    lens.export(tmp_path / f"tiles.{suffix}")
    content = (tmp_path / f"tiles.{suffix}").read_bytes()
    assert content.startswith(b"<?xml" if suffix == "svg" else b"\x89PNG")


def test_it_follows_the_theme(lens: TilesLens, qapp: QApplication) -> None:
    lens.set_subject(subject())
    dark = lens.view.grab().toImage()
    choice = lens.theme.choice
    lens.theme.set_choice("light" if lens.theme.scheme == "dark" else "dark")
    qapp.processEvents()
    assert lens.view.grab().toImage() != dark
    lens.theme.set_choice(choice)
