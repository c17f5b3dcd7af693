"""What is shown of a sweep: measured and predicted are never mixed, unknown is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.sweep_points import TIME, a_plan
from workbench.core.sweeps.model import Facts, Outcome, PointRecord, Stage, Sweep
from workbench.core.sweeps.space import parse_axis
from workbench.session.charts.cell_shapes import CellGrid
from workbench.session.charts.frame import View, frame_of, x_ticks
from workbench.session.charts.layout import lay_out
from workbench.session.charts.scene import Box, Mark, Rect, Stroke, Text
from workbench.session.charts.table import to_csv, to_markdown
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.states import SweepState
from workbench.session.sweeps.views.curves import (
    accuracy_chart,
    best_so_far_chart,
    trade_off_chart,
)
from workbench.session.sweeps.views.heat import heat_chart, map_of, varied
from workbench.session.sweeps.views.parallel import parallel_chart
from workbench.session.sweeps.views.rows import point_rows
from workbench.session.sweeps.views.summary import summary


def shown(tmp_path: Path, *records: PointRecord, state: SweepState = SweepState.DONE) -> Shown:
    plan = a_plan(tmp_path)
    known = {record.number: record for record in records}
    points = tuple(plan.space.points())
    every = tuple(known.get(p.number) or PointRecord(p.number) for p in points)
    order = tuple(r.number for r in records if r.best is not None)
    predicted = tuple(r.number for r in records if r.facts.predicted_us is not None)
    return Shown(tmp_path, Sweep(plan, every, "done", 90.0), points, state, order, predicted)


def predicted(number: int, time: float, shared: int = 4096) -> PointRecord:
    facts = Facts(predicted_us=time, shared_bytes=shared)
    return PointRecord(number, Stage.COMPILE, Outcome.PREDICTED, facts=facts)


def measured(number: int, time: float, shared: int = 4096) -> PointRecord:
    facts = Facts(predicted_us=time * 0.9, shared_bytes=shared)
    taken = replace(TIME, median_us=time)
    return PointRecord(number, Stage.MEASURE, Outcome.MEASURED, facts=facts, measured=taken)


FAILED = PointRecord(5, Stage.COMPILE, Outcome.FAILED, reason="too much shared memory", code="x")


def test_the_head_says_what_was_found_on_which_device_and_when(tmp_path: Path) -> None:
    told = summary(shown(tmp_path, measured(3, 200.0), predicted(1, 100.0), FAILED))
    assert told.conclusion.startswith("Fastest: block_M=128 num_stages=1, 200 µs measured")
    assert "10.0 TFLOP/s" in told.conclusion
    assert "1 failed" in told.conclusion
    assert told.notes == "measured on a GPU; case square; 2026-11-30 05:00, 1 min 30 s"
    assert told.can_apply
    assert not told.can_resume


def test_a_sweep_without_a_gpu_says_that_its_times_are_predicted(tmp_path: Path) -> None:
    told = summary(shown(tmp_path, predicted(1, 100.0), state=SweepState.INTERRUPTED))
    assert told.conclusion.startswith("Fastest predicted: block_M=64 num_stages=2, 100 µs, not")
    assert told.notes.startswith("predicted for h200")
    assert told.can_resume


def test_nothing_is_applied_of_a_sweep_in_which_nothing_worked(tmp_path: Path) -> None:
    told = summary(shown(tmp_path, FAILED))
    assert not told.can_apply
    assert told.conclusion.startswith("No configuration could be")


def test_rows_stand_beside_their_like_alone(tmp_path: Path) -> None:
    rows = point_rows(shown(tmp_path, measured(3, 200.0), measured(4, 400.0), predicted(1, 100.0)))
    assert [row.number for row in rows if row.is_best] == [3]
    assert rows[4].share == 0.5
    assert rows[1].share is None
    assert rows[0].stands == "waiting"
    assert rows[5].stands == "waiting"


def test_the_curve_falls_in_the_order_of_measurement(tmp_path: Path) -> None:
    chart = best_so_far_chart(
        shown(tmp_path, measured(3, 300.0), measured(0, 400.0), measured(1, 200.0))
    )
    each, best = chart.curves
    assert [point.key for point in each.points] == ["3", "0", "1"]
    assert [point.y for point in best.points] == [300.0, 200.0]
    assert "number 3" in chart.conclusion
    hollow = best_so_far_chart(shown(tmp_path, predicted(1, 100.0)))
    assert all(series.is_predicted for series in hollow.series)
    assert best_so_far_chart(shown(tmp_path)).is_empty


def test_the_front_has_what_no_other_beats_in_both(tmp_path: Path) -> None:
    found = shown(
        tmp_path, measured(0, 300.0, 1024), measured(1, 200.0, 4096), measured(2, 400.0, 2048)
    )
    chart = trade_off_chart(found, "shared_bytes")
    front = next(curve for curve in chart.curves if curve.series == "front")
    assert [point.key for point in front.points] == ["0", "1"]
    assert trade_off_chart(found, "registers").empty.startswith("Registers and time are known")


def test_predicted_and_measured_of_a_point_stand_against_each_other(tmp_path: Path) -> None:
    chart = accuracy_chart(shown(tmp_path, measured(0, 300.0), predicted(1, 100.0)))
    assert [(p.x, p.y) for p in chart.curves[0].points] == [(270.0, 300.0)]
    assert "10 %" in chart.conclusion
    assert accuracy_chart(shown(tmp_path, predicted(1, 100.0))).is_empty


def test_the_line_of_equal_times_is_named_where_the_slow_points_are(tmp_path: Path) -> None:
    scene = lay_out(accuracy_chart(shown(tmp_path, measured(0, 300.0))), 600, 300)
    (name,) = (s for s in scene.shapes if isinstance(s, Text) and s.text == "equal")
    assert name.angle
    assert name.x > scene.plot.x + scene.plot.width / 2
    assert name.x + 30 < scene.plot.right


def test_a_map_fills_what_was_measured_and_hatches_what_is_predicted(tmp_path: Path) -> None:
    found = shown(tmp_path, measured(0, 300.0), predicted(1, 100.0), FAILED)
    chart = heat_chart(map_of(found, "block_M", "num_stages"))
    scene = lay_out(chart, 500, 400)
    boxes = [s for s in scene.shapes if isinstance(s, Box) and s.is_clipped]
    texts = [shape.text for shape in scene.shapes if isinstance(shape, Text)]
    assert len(boxes) == 7  # the predicted cell has two
    assert sum(box.is_hatched for box in boxes) == 1
    assert {"out", "unknown", "measured", "predicted"} <= set(texts)
    assert chart.conclusion == "Fastest at block_M=64 num_stages=1: 300 µs measured."
    assert [spot.key for spot in scene.spots][:1] == ["0"]
    assert set(varied(found)) == {"block_M", "num_stages"}


def test_the_first_value_down_stands_above_and_the_first_across_at_the_left(tmp_path: Path) -> None:
    found = map_of(shown(tmp_path, measured(0, 300.0)), "block_M", "num_stages")
    chart = heat_chart(found)
    first = next(cell for cell in chart.cells if cell.is_best)
    assert (chart.x.places[first.x].name, chart.y.places[first.y].name) == ("64", "1")
    area = CellGrid(chart, frame_of(chart, Rect(0, 0, 500, 400), View())).area(first)
    assert area.x < 250
    assert area.y < 100


def test_a_maps_numbers_are_written_with_both_their_values(tmp_path: Path) -> None:
    chart = heat_chart(map_of(shown(tmp_path, measured(0, 300.0)), "block_M", "num_stages"))
    assert "measured,measured,64 × 1,,300.0,,,µs,0" in to_csv(chart).splitlines()
    assert "| no time is known | measured | 128 × 3 |  | µs |" in to_markdown(chart)


def test_lines_across_the_arguments_end_at_the_time(tmp_path: Path) -> None:
    chart = parallel_chart(shown(tmp_path, predicted(0, 300.0), predicted(4, 100.0)))
    scene = lay_out(chart, 600, 300)
    lines = [s for s in scene.shapes if isinstance(s, Stroke) and len(s.points) == 3]
    assert len(lines) == 2
    assert all(line.dash for line in lines)
    slower, best = lines
    assert best.points[-1][1] < slower.points[-1][1]  # the fastest above
    assert chart.conclusion == "1 of 2 predicted points are within 5 % of the fastest."
    assert parallel_chart(shown(tmp_path)).empty == "No time is known yet."


def test_every_point_of_a_large_sweep_is_in_its_charts(tmp_path: Path) -> None:
    axes = (parse_axis("block_M=1..50"), parse_axis("num_stages=1..40"))
    plan = replace(a_plan(tmp_path), axes=axes)
    points = tuple(plan.space.points())
    records = tuple(measured(point.number, 100.0 + point.number % 97) for point in points)
    sweep = Sweep(plan, records, "done", 9.0)
    found = Shown(tmp_path, sweep, points, SweepState.DONE, tuple(p.number for p in points), ())
    chart = best_so_far_chart(found)
    assert len(chart.curves[0].points) == 2000
    assert sum(len(bundle.lines) for bundle in parallel_chart(found).bundles) == 2000
    marks = [shape for shape in lay_out(chart, 400, 200).shapes if isinstance(shape, Mark)]
    assert len(marks) < 2000  # those that hide behind others are not written
    assert chart.tip_of(chart.curves[0].points[3]).startswith("block_M=1 num_stages=4\n103 µs")


def test_an_order_is_counted_in_whole_numbers(tmp_path: Path) -> None:
    chart = best_so_far_chart(shown(tmp_path, measured(3, 200.0)))
    ticks = x_ticks(frame_of(chart, Rect(0, 0, 900, 400), View()))
    assert ticks
    assert all(float(tick.value).is_integer() for tick in ticks)
