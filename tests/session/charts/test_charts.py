"""What each chart shows of runs with figures that can be worked by hand."""

from __future__ import annotations

from tests.support.chart_runs import run, subject, timed
from workbench.core.analysis.block_limits import Resource
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.runs import RunStatus
from workbench.session.charts import resources
from workbench.session.charts.catalog import all_charts
from workbench.session.charts.model import Bar, Chart
from workbench.session.charts.resources import occupancy, traffic
from workbench.session.charts.roofline import roofline
from workbench.session.charts.shapes import latency_shapes
from workbench.session.charts.speed import latency, reference, speed_up, throughput
from workbench.session.charts.stalls import stalls


def _bars(chart: Chart, series: str) -> dict[str, Bar]:
    return {bar.row: bar for bar in chart.bars if bar.series == series}


def test_a_measured_time_is_solid_and_its_prediction_a_hatched_twin() -> None:
    figures = {"time_us": 206.0, "time_us.p10": 205.0, "time_us.p90": 208.0}
    chart = latency(subject(run(0, figures, {"time_us": 190.0}), run(1, {"time_us": 300.0})))
    assert [(s.label, s.is_predicted) for s in chart.series] == [
        ("H200 measured", False),
        ("H200 predicted", True),
    ]
    bar = _bars(chart, "H200/measured")["A"]
    assert (bar.value, bar.low, bar.high, bar.text) == (206.0, 205.0, 208.0, "206")
    assert _bars(chart, "H200/predicted")["A"].low is None


def test_what_is_unknown_is_a_gap_that_says_so_and_never_a_bar() -> None:
    chart = latency(subject(run(0, {"time_us": 5.0}, {"time_us": 6.0}), run(1, {"time_us": 7.0})))
    assert set(_bars(chart, "H200/predicted")) == {"A"}
    (gap,) = chart.gaps
    assert (gap.place, gap.text) == (1, "unknown")
    assert chart.missing == ("B on H200: it was not predicted.",)


def test_a_target_that_a_kernel_does_not_fit_says_which_limit() -> None:
    over = Diagnostic("shared-memory-over-limit", Severity.ERROR, "144 KiB", None)
    other = run(
        1, target="rtx4090", status=RunStatus.FAILED, error="too large", diagnostics=(over,)
    )
    third = run(2, {}, {"time_us": 9.0}, target="rtx4090")
    chart = latency(subject(run(0, {"time_us": 5.0}), other, third, places=[0, 0, 1]))
    assert [(gap.text, gap.series) for gap in chart.gaps] == [("over limit", "RTX 4090/predicted")]
    assert "too large" in chart.gaps[0].tip


def test_targets_stand_beside_each_other_in_the_column_of_their_text() -> None:
    h200, a100 = run(0, {"time_us": 5.0}), run(1, {}, {"time_us": 9.0}, target="a100")
    chart = latency(subject(h200, a100, places=[0, 0]))
    assert chart.title == "Latency by target"
    assert [(bar.place, bar.series) for bar in chart.bars] == [
        (0, "H200/measured"),
        (0, "A100/predicted"),
    ]
    assert [series.mark for series in chart.series] == [0, 1]


def test_two_times_within_the_noise_are_called_equally_fast() -> None:
    (a, ca), (b, cb), (c, cc) = timed(0, 358.0), timed(1, 205.7), timed(2, 205.5)
    chart = latency(subject(a, b, c, contents={0: ca, 1: cb, 2: cc}))
    assert chart.conclusion == "B and C are equally fast, 206 µs: 1.74 × as fast as A."


def test_a_speed_up_is_held_against_the_same_source_and_target() -> None:
    first, second = run(0, {"time_us": 10.0}, {"time_us": 8.0}), run(1, {"time_us": 5.0})
    chart = speed_up(subject(first, second))
    assert {bar.row: bar.value for bar in chart.bars if bar.series == "H200/measured"} == {
        "A": 1.0,
        "B": 2.0,
    }
    assert {bar.row for bar in chart.bars if bar.series == "H200/predicted"} == {"A"}
    assert chart.guides[0].label == "A = 1"


def test_no_speed_up_is_told_of_other_work() -> None:
    rates = ((180.0, 545.0), (1574.0, 256.0), (190.0, 516.3))
    shown = subject(*(run(n, {"time_us": t, "gb_s": r}) for n, (t, r) in enumerate(rates)))
    chart = speed_up(shown)
    assert [bar.row for bar in chart.bars] == ["A", "C"]
    (gap,) = chart.gaps
    assert (gap.place, gap.text) == (1, "other work")
    assert "it does other work than A" in gap.tip
    assert chart.missing[0].startswith("B on H200: it does other work than A")
    assert latency(shown).conclusion.startswith("These runs do different work")


def test_predictions_for_other_targets_are_held_against_the_base_itself() -> None:
    chart = speed_up(
        subject(run(0, {}, {"time_us": 8.0}), run(1, {}, {"time_us": 2.0}, target="a100"))
    )
    assert {bar.row: bar.value for bar in chart.bars} == {"A": 1.0, "B": 4.0}


def test_without_a_baseline_there_is_no_speed_up_and_it_says_what_to_do() -> None:
    chart = speed_up(subject(run(0, {"time_us": 10.0}), base=None))
    assert chart.is_empty
    assert "pin one" in chart.empty


def test_a_kernel_slower_than_the_reference_is_not_called_as_fast() -> None:
    figures = {"baseline.ratio": 0.53, "baseline.time_us": 192.0}
    chart = reference(subject(run(0, figures), run(1, {"baseline.ratio": 0.4})))
    assert chart.conclusion == "A comes closest to graph replay, with 53 % of its speed."


def test_a_kernel_that_computes_nothing_is_told_in_bytes_a_second() -> None:
    assert throughput(subject(run(0, {"gb_s": 3300.0}))).unit == "GB/s"
    assert throughput(subject(run(0, {"tflops": 379.0, "gb_s": 3.0}))).unit == "TFLOP/s"


def test_the_resource_with_the_fewest_blocks_is_the_limit_and_long_bars_go_on() -> None:
    limits = {"warps": 8, "blocks": 32, "registers": 1, "shared_memory": 2}
    chart = occupancy(subject(run(0, {f"occupancy_limit.{k}": v for k, v in limits.items()})))
    marked = [bar.series for bar in chart.bars if bar.is_marked]
    assert marked == ["registers"]
    assert chart.conclusion == "A is limited by registers to 1 block an SM."
    blocks = next(bar for bar in chart.bars if bar.series == "blocks")
    assert (blocks.goes_on, blocks.text) == (True, "32")


def test_a_limit_of_no_block_of_a_kernel_that_ran_is_no_bar() -> None:
    limits = {"warps": 8, "registers": 2, "shared_memory": 0}
    counted = {f"occupancy_limit.{name}": value for name, value in limits.items()}
    chart = occupancy(subject(run(0, counted, {"occupancy_limit.shared_memory": 1})))
    marked = {bar.series: bar for bar in chart.bars if bar.is_marked}
    assert set(marked) == {"shared_memory"}
    assert "the profiler says 0, the kernel runs" in marked["shared_memory"].tip


def test_an_old_prediction_of_no_block_is_not_believed_of_a_kernel_that_was_timed() -> None:
    figures = {"time_us": 363.0, "occupancy_limit.registers": 1}
    chart = occupancy(subject(run(0, figures, {"occupancy_limit.shared_memory": 0})))
    assert {bar.series for bar in chart.bars} == {"registers"}


def test_traffic_is_bytes_of_each_level_from_its_own_counters() -> None:
    figures = {
        "dram.read_bytes": 3 * 2**30,
        "dram.write_bytes": 2**30,
        "l2.sm_sectors": 2**28,
        "shared.wavefronts": 2**26,
    }
    chart = traffic(subject(run(0, figures), run(1, {"time_us": 1.0})))
    assert {bar.series: bar.value for bar in chart.bars} == {
        "hbm/measured": 4.0,
        "l2/measured": 8.0,
        "shared/measured": 8.0,
    }
    assert "B: bytes at HBM were not counted." in chart.missing


def test_counted_bytes_and_the_operations_of_its_case_place_a_run_under_its_roofs() -> None:
    figures = {
        "time_us": 200.0,
        "tflops": 600.0,
        "dram.read_bytes": 10**8,
        "dram.write_bytes": 2 * 10**7,
        "l2.sm_sectors": 10**8 / 8,
    }
    chart = roofline(subject(run(0, figures), run(1, {"time_us": 1.0})))
    (curve,) = chart.curves
    assert [(p.x, p.y, p.label) for p in curve.points] == [(300.0, 600.0, ""), (1000.0, 600.0, "A")]
    # Which unit computes is known of analyzed code alone, so there is no peak to be below.
    assert [guide.label for guide in chart.guides] == ["L2 10.5 TB/s, assumed", "HBM 4.80 TB/s"]
    assert chart.missing == ("B: the time, the operations or the bytes are not known.",)


def test_stalls_are_parts_of_one_and_the_small_ones_are_told_together() -> None:
    reasons = {f"stall.reason{n}": 1.0 for n in range(8)} | {"stall.long_scoreboard": 8.0}
    chart = stalls(subject(run(0, {**reasons, "stall.cycles_per_instruction": 16.0})))
    assert chart.bars[0].value == 0.5
    assert chart.bars[-1].value == 1.0
    assert chart.bars[-1].series == "others"
    assert "global, local or texture memory, 50 %" in chart.conclusion


def test_runs_over_shapes_are_a_curve_with_its_spread() -> None:
    runs = [
        run(n, {"time_us": t, "time_us.p10": t - 1, "time_us.p90": t + 1}, args=shape(m))
        for n, (m, t) in enumerate([(1024, 14.0), (4096, 360.0), (2048, 60.0)])
    ]
    chart = latency_shapes(subject(*runs))
    assert chart.x.title == "M = N"
    assert [(p.x, p.y, p.low) for p in chart.curves[0].points] == [
        (1024.0, 14.0, 13.0),
        (2048.0, 60.0, 59.0),
        (4096.0, 360.0, 359.0),
    ]
    assert chart.y.is_log


def shape(m: int) -> dict[str, int]:
    return {"M": m, "N": m, "block_M": 128}


def test_tiles_that_all_change_at_once_form_no_curve() -> None:
    first = run(0, {"time_us": 5.0}, args={"block_M": 64, "block_N": 128})
    second = run(1, {"time_us": 6.0}, args={"block_M": 128, "block_N": 256})
    assert latency_shapes(subject(first, second)).is_empty


def test_each_chart_without_a_mark_says_why() -> None:
    for chart in all_charts(subject(run(0), run(1))):
        assert chart.is_empty, chart.key
        assert chart.empty.endswith("."), chart.key


def test_every_limit_that_an_analysis_knows_has_a_bar_of_its_own() -> None:
    named = {name for name, _, _ in resources._LIMITERS}
    assert {resources._ANALYZED.get(each.value, each.value) for each in Resource} <= named
