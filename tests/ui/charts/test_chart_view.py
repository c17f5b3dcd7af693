"""A chart in the window: hover, legend, zoom, keys, scales and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.chart_runs import run, subject
from workbench.session.charts.model import Chart
from workbench.session.charts.scene import Spot
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


def middle(view: ChartView, spot: Spot) -> QPoint:
    """Of a mark, in px of the plot."""
    return view.plot.area_of(spot).center().toPoint()


def wheel(view: ChartView, keys: Qt.KeyboardModifier) -> QWheelEvent:
    """A turn of the wheel over the middle of the plot, as the plot took it."""
    place = QPointF(view.plot.rect().center())
    event = QWheelEvent(
        place,
        QPointF(view.plot.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.plot.viewport(), event)
    return event


def double_click(qtbot: QtBot, view: ChartView, place: QPoint) -> None:
    """The second click of two, to its end."""
    port = view.plot.viewport()
    qtbot.mouseDClick(port, Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=place)


def drag(qtbot: QtBot, view: ChartView, start: QPoint, end: QPoint) -> None:
    port = view.plot.viewport()
    qtbot.mouseMove(port, start)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    for step in (0.5, 1.0):
        qtbot.mouseMove(port, start + (end - start) * step)
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=end)


def test_a_measured_bar_is_solid_and_a_predicted_one_is_hatched(view: ChartView) -> None:
    solid, hatched = view.plot.spots()[:2]
    image = view.plot.grab().toImage()
    assert image.pixelColor(middle(view, solid)).name().upper() == view._theme.palette.target1
    at = middle(view, hatched)
    assert len({image.pixelColor(at + QPoint(n, 0)).name() for n in range(-8, 9)}) > 3


def test_another_theme_paints_the_plot_in_its_colours(view: ChartView) -> None:
    view._theme.set_choice("light")
    try:
        image = view.plot.grab().toImage()
        palette = view._theme.palette
        at = middle(view, view.plot.spots()[0])
        assert image.pixelColor(at).name().upper() == palette.target1
        assert image.pixelColor(image.width() - 3, 3).name().upper() == palette.bg1
    finally:
        view._theme.set_choice("dark")


def test_a_plot_that_has_become_narrow_ends_where_its_widget_ends(
    qtbot: QtBot, view: ChartView
) -> None:
    names = ("h200", "h100", "a100", "l40s", "rtx4090", "a10")
    many = subject(*(run(n, {}, {"time_us": 9.0}, target=name) for n, name in enumerate(names)))
    view.set_chart(latency(many))
    view.resize(760, 300)
    QApplication.processEvents()
    view.resize(440, 300)
    QApplication.processEvents()
    assert view.plot.box.sceneBoundingRect().right() <= view.plot.width()


def test_the_pointer_on_a_bar_tells_its_run_and_its_values(qtbot: QtBot, view: ChartView) -> None:
    spot = view.plot.spots()[0]
    with qtbot.waitSignal(view.run_hovered) as told:
        qtbot.mouseMove(view.plot.viewport(), middle(view, spot))
    assert told.args == ["run0"]
    assert "100 µs, p10 to p90: 98 µs to 104 µs" in spot.tip


def test_what_is_unknown_is_a_place_that_says_why(view: ChartView) -> None:
    gap = next(spot for spot in view.plot.spots() if not spot.key)
    found = view.plot.spot_at(QPointF(middle(view, gap)))
    assert found is not None
    assert "it was not predicted" in found.tip


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
    def click() -> None:
        sample = view.plot.legend.items[1][0]
        place = view.plot.mapFromScene(sample.sceneBoundingRect().center())
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click()
    assert view.view.hidden == {"H200/predicted"}
    assert {spot.series for spot in view.plot.spots()} == {"H200/measured"}
    click()
    assert view.view.hidden == frozenset()


def test_zoom_keeps_the_place_under_the_pointer_and_a_double_click_shows_all(
    qtbot: QtBot, view: ChartView
) -> None:
    view.zoom_at(QPointF(300, 150), 2.0)
    assert view.view.y is not None
    low, high = view.view.y
    assert 0 < low < high
    double_click(qtbot, view, QPoint(300, 40))
    assert not view.view.is_zoomed


def test_nothing_is_zoomed_out_of_the_charts_own_ranges(view: ChartView) -> None:
    view.zoom_at(QPointF(300, 150), 0.2)
    assert not view.view.is_zoomed


def test_the_wheel_zooms_with_ctrl_and_else_is_left_to_what_scrolls(view: ChartView) -> None:
    assert not wheel(view, Qt.KeyboardModifier.NoModifier).isAccepted()
    assert not view.view.is_zoomed
    assert wheel(view, Qt.KeyboardModifier.ControlModifier).isAccepted()
    assert view.view.is_zoomed


def test_keys_zoom_move_and_show_all(qtbot: QtBot, view: ChartView) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    before = view.view.x
    assert before is not None
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.view.x is not None
    assert view.view.x[1] > before[1]
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert not view.view.is_zoomed


def test_l_changes_the_scale_to_a_logarithmic_one_and_back(qtbot: QtBot, view: ChartView) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_L)
    assert view.view.log_y is True
    low, high = view.plot.box.viewRange()[1]
    assert (10**low, 10**high) == pytest.approx((chart().y.high / 1e3, chart().y.high))
    qtbot.keyClick(view, Qt.Key.Key_L)
    assert view.view.log_y is False


def test_dragging_moves_a_zoomed_chart(qtbot: QtBot, view: ChartView) -> None:
    view.zoom_at(QPointF(300, 150), 3.0)
    before = view.view.y
    drag(qtbot, view, QPoint(300, 120), QPoint(300, 160))
    assert view.view.y != before


def test_dragging_with_shift_zooms_into_what_is_drawn_around(
    qtbot: QtBot, view: ChartView, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier
    monkeypatch.setattr(QApplication, "keyboardModifiers", staticmethod(lambda: shift))
    drag(qtbot, view, QPoint(100, 100), QPoint(240, 160))
    assert view.view.x is not None
    assert view.view.x[1] < 0.5  # the first of two places


def test_the_same_chart_keeps_its_zoom_and_another_does_not(view: ChartView) -> None:
    view.zoom_at(QPointF(300, 150), 2.0)
    view.set_chart(chart())
    assert view.view.is_zoomed
    view.set_chart(speed_up(runs()))
    assert not view.view.is_zoomed


@pytest.mark.parametrize("suffix", ["svg", "png", "csv"])
def test_a_chart_is_written_in_the_form_of_its_name(
    view: ChartView, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"latency.{suffix}"
    view.export(path)
    content = path.read_bytes()
    begin = {"svg": b"<svg", "png": b"\x89PNG", "csv": b"series,"}[suffix]
    assert content.startswith(begin)


def test_an_svg_has_the_range_that_is_on_show(view: ChartView, tmp_path: Path) -> None:
    view.zoom_at(QPointF(300, 60), 4.0)
    view.export(tmp_path / "part.svg")
    view.reset_view()
    view.export(tmp_path / "all.svg")
    part, whole = ((tmp_path / name).read_text("utf-8") for name in ("part.svg", "all.svg"))
    assert ">0</text>" in whole
    assert ">0</text>" not in part


def test_the_menu_offers_scales_files_and_other_charts(qtbot: QtBot, icons: Icons) -> None:
    card = ChartCard(icons)
    qtbot.addWidget(card)
    card.set_chart(chart())
    card.set_others([("latency", "Latency"), ("speed-up", "Speed-up")])
    actions = {action.text(): action for action in card.menu().actions()}
    assert list(actions)[:3] == ["Show Instead", "Logarithmic scale: µs", "Reset zoom"]
    assert {"Export as SVG…", "Export as PNG…", "Export as CSV…"} <= set(actions)
    actions["Copy as Markdown"].trigger()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("**Latency**: B is fastest")
    assert "| H200 measured | measured | A t0 | 100 | 98 | 104 | µs | run0 |" in copied


def test_a_right_click_opens_the_charts_menu_alone(
    qtbot: QtBot, icons: Icons, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[QPoint] = []
    monkeypatch.setattr(ChartCard, "_pop_up", lambda _, place: asked.append(place))
    card = ChartCard(icons)
    qtbot.addWidget(card)
    card.resize(500, 300)
    card.set_chart(chart())
    card.show()
    qtbot.waitExposed(card)
    port, place = card.view.plot.viewport(), QPoint(200, 100)
    qtbot.mouseClick(port, Qt.MouseButton.RightButton, pos=place)
    assert QApplication.activePopupWidget() is None  # pyqtgraph has menus of its own
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(port, QContextMenuEvent(reason, place, port.mapToGlobal(place)))
    assert asked == [port.mapToGlobal(place)]


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
