"""The roofline lens paints its picture, leads to the line, and brings a target into focus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.support.analysis_results import GEMM
from tests.support.lens_subjects import lens_subject
from tests.support.roofline_subjects import no_work, product
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Hit
from workbench.ui.lenses.roofline.lens import RooflineLens
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState

H100, A100 = product("h100", 0), product("a100", 1)
MI300X = product("mi300x", 2, estimate=None)


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> RooflineLens:
    made = RooflineLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 600)
    made.show()
    return made


def hits(lens: RooflineLens, start: str) -> list[Hit]:
    lens.view.grab()
    return [each for each in lens.view.hits if each.tip.startswith(start)]


def click(lens: RooflineLens, place: QPointF, qtbot: Any) -> None:
    qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=place.toPoint())


def test_the_kernels_place_leads_to_what_computes_most(lens: RooflineLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, A100, MI300X))
    place = next(each for each in hits(lens, "H100\n2.00 GFLOP") if each.selection is not None)
    with qtbot.waitSignal(lens.selected) as selected:
        click(lens, place.area.center(), qtbot)
    assert selected.args == [Selection(line=GEMM)]


def test_a_row_brings_the_ceilings_of_its_target(lens: RooflineLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, A100))
    assert not hits(lens, "A100: DRAM")
    (row,) = (each for each in hits(lens, "A100\n") if each.key == "a100")
    click(lens, row.area.center(), qtbot)
    assert hits(lens, "A100: DRAM 2.04 TB/s\nNVIDIA, A100 Tensor Core GPU data sheet")
    assert not hits(lens, "H100: DRAM")


def test_the_focus_is_remembered_for_the_document(
    lens: RooflineLens, qtbot: Any, icons: Icons
) -> None:
    lens.set_subject(lens_subject(H100, A100))
    lens.choose_target("a100")
    again = RooflineLens(icons.theme, icons)
    qtbot.addWidget(again)
    again.restore(lens.state())
    again.set_subject(lens_subject(H100, A100))
    again.resize(520, 600)
    assert hits(again, "A100: DRAM")


def test_the_plot_tells_what_is_allowed_under_the_pointer(lens: RooflineLens) -> None:
    lens.set_subject(lens_subject(H100))
    lens.view.grab()
    plot = next(each for each in lens.view.hits if each.resolve is not None)
    found = plot.at(QPointF(plot.area.right() - 1, plot.area.bottom() - 3))
    assert found is not None
    assert found.tip.endswith("H100: up to 989 TFLOP/s")


def test_what_is_selected_lights_up(lens: RooflineLens) -> None:
    lens.set_subject(lens_subject(H100))
    dark = lens.view.grab().toImage()
    lens.set_selection(Selection(line=GEMM))
    assert lens.view.grab().toImage() != dark


def test_a_target_without_a_time_has_no_point(lens: RooflineLens) -> None:
    lens.set_subject(lens_subject(MI300X))
    assert hits(lens, "MI300X\n2.00 GFLOP")[0].tip.count("unknown")
    lens.set_subject(lens_subject(product("sm_90a")))
    (shown,) = (each for each in lens.findChildren(EmptyState) if each.isVisible())
    assert "choose one of its models" in shown.sentence


def test_marks_that_would_meet_stand_side_by_side(lens: RooflineLens) -> None:
    lens.set_subject(lens_subject(H100, A100, MI300X, product("mi355x", 3, estimate=None)))
    places = [
        each.area.center()
        for label in ("H100", "A100", "MI300X", "MI355X")
        for each in hits(lens, f"{label}\n2.00 GFLOP")
        if each.selection is not None
    ]
    assert len(places) == 4
    assert abs(places[0].x() - places[1].x()) == pytest.approx(13)
    assert abs(places[2].y() - places[3].y()) == pytest.approx(13)


def test_a_kernel_that_moves_data_has_bars_of_bandwidth(lens: RooflineLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(product("h100", work=no_work())))
    assert hits(lens, "H100: 24 % of DRAM 3.35 TB/s, predicted")
    (bar,) = hits(lens, "H100: 12 % of Shared 33.5 TB/s, predicted")
    with qtbot.waitSignal(lens.selected) as selected:
        click(lens, bar.area.center(), qtbot)
    assert selected.args == [Selection(line=GEMM)]


def test_it_is_exported(lens: RooflineLens, tmp_path: Path) -> None:
    lens.set_subject(lens_subject(H100))
    lens.export(tmp_path / "roofline.svg")
    assert b"tensor cores, float16" in (tmp_path / "roofline.svg").read_bytes()
