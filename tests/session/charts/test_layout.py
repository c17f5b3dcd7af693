"""Where the marks of a chart lie, and what is written as SVG and CSV."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest

from tests.support.chart_runs import run, subject
from workbench.session.charts.frame import Frame, View, scales_of
from workbench.session.charts.layout import lay_out
from workbench.session.charts.measuring import elided, text_width
from workbench.session.charts.model import Chart
from workbench.session.charts.scene import Box, Scene, Stroke, Text
from workbench.session.charts.speed import latency, speed_up
from workbench.session.charts.svg import to_svg
from workbench.session.charts.table import to_csv
from workbench.session.charts.ticks import Scale, tick_text


def _chart() -> Chart:
    first = run(0, {"time_us": 100.0, "time_us.p10": 98.0, "time_us.p90": 104.0}, {"time_us": 90.0})
    return latency(subject(first, run(1, {"time_us": 50.0})))


def _boxes(scene: Scene) -> list[Box]:
    return [shape for shape in scene.shapes if isinstance(shape, Box) and shape.is_clipped]


def test_bars_stand_on_the_axis_and_are_as_high_as_their_values() -> None:
    scene = lay_out(_chart(), 600, 300)
    first, twin, second = _boxes(scene)
    assert first.area.bottom == pytest.approx(scene.plot.bottom)
    assert first.area.height == pytest.approx(2 * second.area.height)
    assert (first.is_hatched, twin.is_hatched) == (False, True)
    assert first.area.right < twin.area.x


@pytest.mark.parametrize("width", [260, 620, 1400])
def test_every_text_lies_within_the_picture(width: int) -> None:
    scene = lay_out(_chart(), width, 280)
    for text in (shape for shape in scene.shapes if isinstance(shape, Text) and not shape.angle):
        left = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
        start = text.x - left * text_width(text.text, text.size, text.weight)
        assert start > -3, text
        assert start + text_width(text.text, text.size, text.weight) < width + 3, text


@pytest.mark.parametrize("time", [100.0, 102.0, 106.0])
def test_no_line_goes_through_a_number(time: float) -> None:
    runs = (run(0, {"time_us": 100.0}), run(1, {"time_us": time}))
    scene = lay_out(speed_up(subject(*runs)), 600, 300)
    (line,) = (s for s in scene.shapes if isinstance(s, Stroke) and s.dash and s.is_clipped)
    for text in (s for s in scene.shapes if isinstance(s, Text) and s.text.endswith("×")):
        assert abs(text.y - line.points[0][1]) > text.size / 2, text


def test_a_series_that_is_hidden_leaves_its_room_to_the_others() -> None:
    scene = lay_out(_chart(), 600, 300, View(hidden=frozenset({"H200/predicted"})))
    assert len(_boxes(scene)) == 2
    swatches = [s for s in scene.shapes if isinstance(s, Box) and not s.is_clipped]
    assert [(swatch.is_hatched, swatch.alpha < 1) for swatch in swatches] == [
        (False, False),
        (True, True),
    ]


def test_a_zoomed_view_shows_other_ticks_and_px_lead_back_to_values() -> None:
    chart, view = _chart(), View(y=(40.0, 60.0))
    scene = lay_out(chart, 600, 300, view)
    frame = Frame(chart, scene.plot, *scales_of(chart, view))
    assert frame.y.value((scene.plot.bottom - frame.down(50.0)) / scene.plot.height) == (
        pytest.approx(50.0)
    )
    ticks = [shape.text for shape in scene.shapes if isinstance(shape, Text)]
    assert "50" in ticks
    assert "100" not in ticks


def test_an_empty_chart_is_its_reason_in_lines() -> None:
    chart = latency(subject(run(0), run(1)))
    scene = lay_out(chart, 300, 200)
    words = " ".join(shape.text for shape in scene.shapes if isinstance(shape, Text))
    assert "No run has a time" in words


def test_an_svg_is_well_formed_escaped_and_refers_to_nothing_outside() -> None:
    odd = run(0, {"time_us": 3.0}, kernel="<b>&\"'")
    scene = lay_out(latency(subject(odd, run(1, {"time_us": 4.0}))), 600, 300)
    text = to_svg(scene, lambda token: f"var(--{token})", "p1")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert "url(#p1-plot)" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text


def test_predicted_bars_are_hatched_in_an_svg_too() -> None:
    text = to_svg(lay_out(_chart(), 600, 300), lambda token: "#123456", "q")
    assert text.count('fill="url(#q-target1)"') == 2  # the bar, and its swatch in the legend


def test_a_csv_holds_every_number_and_leaves_the_unknown_empty() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(_chart()))))
    assert [(r["series"], r["value"], r["low"]) for r in rows] == [
        ("H200 measured", "100.0", "98.0"),
        ("H200 measured", "50.0", ""),
        ("H200 predicted", "90.0", ""),
        ("H200 predicted", "", ""),
    ]


def test_ticks_are_round_and_lie_within() -> None:
    assert Scale(0, 1263).ticks(4) == (0, 500, 1000)
    assert Scale(1, 1000, is_log=True).ticks(4) == (1, 10, 100, 1000)
    assert Scale(512, 8192, is_log=True).ticks(6, 2) == (512, 1024, 2048, 4096, 8192)
    assert (tick_text(1200), tick_text(0.25), tick_text(0.5, True)) == ("1,200", "0.25", "50 %")


def test_a_text_is_cut_where_it_has_no_room() -> None:
    assert elided("transpose_padded", 11, 60).endswith("…")
    assert text_width(elided("transpose_padded", 11, 60), 11) <= 60
