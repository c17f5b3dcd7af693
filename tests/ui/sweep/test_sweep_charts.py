"""The charts of a large sweep: all are there, and each answers to the pointer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from tests.support.sweep_points import TIME, a_plan
from workbench.core.sweeps.model import Facts, Outcome, PointRecord, Stage, Sweep
from workbench.core.sweeps.space import Axis
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.states import SweepState
from workbench.ui.charts.curves import PicturedLines, SharpCurve, pen_of
from workbench.ui.sweep.page import SweepPage
from workbench.ui.theme.icons import Icons

COUNT = 1_000


def a_large_sweep(folder: Path) -> Shown:
    """Points of which each has a time of its own."""
    axes = (Axis("block_M", tuple(range(16, 656, 16))), Axis("threads", tuple(range(25))))
    plan = replace(a_plan(folder), axes=axes)
    points = tuple(plan.space.points())
    records = tuple(
        PointRecord(
            number,
            Stage.MEASURE,
            Outcome.MEASURED,
            facts=Facts(predicted_us=120.0 + number % 700, shared_bytes=number * 16),
            measured=replace(TIME, median_us=100.0 + (number * 7919) % 997),
        )
        for number in range(COUNT)
    )
    order = tuple(range(COUNT))
    return Shown(folder, Sweep(plan, records, None, 9.0), points, SweepState.RUNNING, order)


@pytest.fixture
def page(qtbot: QtBot, icons: Icons, tmp_path: Path) -> SweepPage:
    made = SweepPage(icons)
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.set_shown(a_large_sweep(tmp_path))
    made.show()
    qtbot.waitExposed(made)
    return made


def test_a_thousand_points_are_all_shown(page: SweepPage) -> None:
    for view in ("points", "map", "lines", "charts"):
        page.show_view(view)
        page.grab()
    assert page.points.table is not None
    assert page.points.table.row_count() == COUNT
    assert len(page.points.curve.view.plot.spots()) > COUNT
    assert len(page.lines.view.plot.spots()) == COUNT
    assert len(page.map.card.view.plot.spots()) == COUNT  # as many pairs of values


def test_a_sweep_with_one_time_is_a_line(page: SweepPage, tmp_path: Path) -> None:
    shown = a_large_sweep(tmp_path)
    first, *rest = shown.sweep.records
    failed = [PointRecord(each.number, Stage.LOWER, Outcome.FAILED) for each in rest]
    sweep = replace(shown.sweep, records=(first, *failed))
    page.set_shown(replace(shown, sweep=sweep, order=(0,)))
    for view in ("lines", "charts", "map"):
        page.show_view(view)
        page.grab()
    assert [spot.key for spot in page.lines.view.plot.spots()] == ["0"]


def test_a_line_answers_anywhere_along_it_and_stands_out(page: SweepPage) -> None:
    page.show_view("lines")
    plot = page.lines.view.plot
    frame = plot.frame()
    bundle = next(each for each in page.lines.chart.bundles if each.lines)  # type: ignore[union-attr]
    line = bundle.lines[-1]
    assert frame is not None
    x, y = frame.at(1.5, (line.heights[1] + line.heights[2]) / 2)
    place = plot.mapFromScene(plot.box.mapToScene(QPointF(x, y)))
    spot = plot.spot_at(QPointF(place))
    assert spot is not None
    assert spot.tip.startswith("block_M=")
    plot.show_current(spot)
    assert plot.layers is not None
    assert plot.layers.bundles is not None
    current = plot.layers.bundles._current
    assert len(current.getData()[0]) == len(line.heights)


def test_what_was_drawn_before_goes_when_a_sweep_goes_on(page: SweepPage, tmp_path: Path) -> None:
    page.show_view("lines")
    scene = page.lines.view.plot.scene()
    before = len(scene.items())
    for _ in range(3):
        page.set_shown(a_large_sweep(tmp_path))
    assert len(scene.items()) == before


def test_a_double_click_on_a_cell_opens_its_point(qtbot: QtBot, page: SweepPage) -> None:
    page.show_view("map")
    plot = page.map.card.view.plot
    spot = next(spot for spot in plot.spots() if spot.key == "0")
    place = plot.area_of(spot).center().toPoint()
    with qtbot.waitSignal(page.point_activated) as opened:
        qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.args == [0]


def test_zooming_stretches_the_picture_of_very_many_lines(page: SweepPage) -> None:
    page.show_view("lines")
    plot = page.lines.view.plot
    page.grab()
    kept = next(item for item in plot.layers.items if isinstance(item, PicturedLines))
    before = kept._picture
    assert before is not None
    plot.zoom(1.5)
    page.grab()
    assert kept._picture is before
    assert kept._rest.isActive()
    kept._rest.timeout.emit()
    page.grab()
    assert kept._picture is not before


@pytest.mark.parametrize("ratio", [1, 2])
def test_a_curve_is_as_wide_on_a_screen_of_more_pixels(
    qtbot: QtBot, icons: Icons, ratio: int
) -> None:
    image = QImage(20 * ratio, 20 * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("black"))
    curve = SharpCurve([0.0, 20.0], [10.0, 10.0], pen=pen_of(QColor("white"), 4.0))
    with QPainter(image) as painter:
        curve.paint(painter, None, None)
    column = image.copy(QRect(10 * ratio, 0, 1, 20 * ratio))
    lit = sum(column.pixelColor(0, y).lightness() > 128 for y in range(column.height()))
    assert lit == 4 * ratio
