"""A chart in the window: hover, legend, zoom, keys, scales and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from tests.support.chart_runs import run, subject
from workbench.session.charts.model import Chart
from workbench.session.charts.scene import Rect
from workbench.session.charts.speed import latency, reference, speed_up
from workbench.session.charts.subject import ChartSubject
from workbench.ui.charts.card import ChartCard
from workbench.ui.charts.panel import ChartsPanel
from workbench.ui.charts.view import ChartView
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme


def runs() -> ChartSubject:
    first = {"time_us": 100.0, "time_us.p10": 98.0, "time_us.p90": 104.0}
    return subject(run(0, first, {"time_us": 90.0}), run(1, {"time_us": 50.0}))


def chart() -> Chart:
    return latency(runs())


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> ChartView:
    made = ChartView(theme)
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.set_chart(chart())
    made.show()
    qtbot.waitExposed(made)
    return made


def middle(area: Rect) -> QPoint:
    return QPoint(round(area.x + area.width / 2 + 16), round(area.y + area.height / 2 + 4))


def test_a_measured_bar_is_solid_and_a_predicted_one_is_hatched(view: ChartView) -> None:
    scene = view.scene
    assert scene is not None
    solid, hatched = (spot.area for spot in scene.spots[:2])
    image = view.grab().toImage()
    at = middle(solid)
    assert image.pixelColor(at).name().upper() == view._theme.palette.target1
    row = {image.pixelColor(middle(hatched) + QPoint(n, 0)).name() for n in range(-8, 9)}
    assert len(row) > 3


def test_the_pointer_on_a_bar_tells_its_run_and_its_values(qtbot: QtBot, view: ChartView) -> None:
    scene = view.scene
    assert scene is not None
    spot = scene.spots[0]
    with qtbot.waitSignal(view.run_hovered) as told:
        qtbot.mouseMove(view, middle(spot.area))
    assert told.args == ["run0"]
    assert "100 µs, p10 to p90: 98.0 µs to 104 µs" in spot.tip


def test_arrows_go_from_mark_to_mark_and_enter_opens_the_run(qtbot: QtBot, view: ChartView) -> None:
    view.setFocus()
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    assert "B" in view.accessibleDescription()
    with qtbot.waitSignal(view.run_activated) as opened:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened.args == ["run1"]


def test_a_click_on_the_legend_hides_a_series_and_shows_it_again(
    qtbot: QtBot, view: ChartView
) -> None:
    scene = view.scene
    assert scene is not None
    place = middle(scene.legend[1].area)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert view.view.hidden == {"H200/predicted"}
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert view.view.hidden == frozenset()


def test_zoom_keeps_the_place_under_the_pointer_and_a_double_click_shows_all(
    qtbot: QtBot, view: ChartView
) -> None:
    view.zoom_at(QPointF(300, 150), 2.0)
    assert view.view.y is not None
    low, high = view.view.y
    assert 0 < low < high
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(40, 290))
    assert not view.view.is_zoomed


def test_nothing_is_zoomed_out_of_the_charts_own_ranges(view: ChartView) -> None:
    view.zoom_at(QPointF(300, 150), 0.2)
    assert not view.view.is_zoomed


def test_l_changes_the_scale_to_a_logarithmic_one_and_back(qtbot: QtBot, view: ChartView) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_L)
    assert view.view.log_y is True
    qtbot.keyClick(view, Qt.Key.Key_L)
    assert view.view.log_y is False


def test_dragging_moves_a_zoomed_chart(qtbot: QtBot, view: ChartView) -> None:
    view.zoom_at(QPointF(300, 150), 3.0)
    before = view.view.y
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 150))
    qtbot.mouseMove(view, QPoint(300, 190))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 190))
    assert view.view.y != before


@pytest.mark.parametrize("suffix", ["svg", "png", "csv"])
def test_a_chart_is_written_in_the_form_of_its_name(
    view: ChartView, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"latency.{suffix}"
    view.export(path)
    content = path.read_bytes()
    begin = {"svg": b"<svg", "png": b"\x89PNG", "csv": b"series,"}[suffix]
    assert content.startswith(begin)


def test_the_menu_offers_scales_files_and_other_charts(qtbot: QtBot, icons: Icons) -> None:
    card = ChartCard(icons)
    qtbot.addWidget(card)
    card.set_chart(chart())
    card.set_others([("latency", "Latency"), ("speed-up", "Speed-up")])
    titles = [action.text() for action in card.menu().actions()]
    assert titles[:2] == ["Show Instead", "Logarithmic scale: µs"]
    assert {"Export as SVG…", "Export as PNG…", "Export as CSV…"} <= set(titles)


def test_charts_without_a_mark_are_sentences_below_the_others(qtbot: QtBot, icons: Icons) -> None:
    panel = ChartsPanel(icons)
    qtbot.addWidget(panel)
    panel.resize(900, 700)
    panel.set_charts([chart(), reference(runs()), speed_up(runs())])
    assert [card.chart.key for card in panel.cards if card.chart] == ["latency", "speed-up"]
    assert "No run was timed beside a baseline" in panel._nothing.text()


def test_one_chart_is_shown_large_and_keys_lead_on_and_back(qtbot: QtBot, icons: Icons) -> None:
    panel = ChartsPanel(icons)
    qtbot.addWidget(panel)
    panel.resize(900, 700)
    panel.set_charts([chart(), speed_up(runs())])
    panel.cards[0].enlarge_requested.emit("latency")
    assert panel.large is not None
    assert panel.state() == {"version": 1, "large": "latency"}
    qtbot.keyClick(panel, Qt.Key.Key_PageDown)
    assert panel.state()["large"] == "speed-up"
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert panel.large is None
