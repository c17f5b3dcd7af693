"""Runs beside each other: what differs, what is better, and what is noise."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from workbench.core.comparison.comparing import ComparisonError, compare_runs
from workbench.core.comparison.rows import Mark
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus

MEASURED, PREDICTED = MetricSource.MEASURED, MetricSource.PREDICTED


def _run(number: int, metrics: dict[str, Metric], **changes: Any) -> Run:
    created = datetime(2026, 11, 30, tzinfo=timezone.utc) + timedelta(minutes=number)
    fields: dict[str, Any] = {"kernel": "matmul", "target": "h200", "args": {"M": 4096}, **changes}
    return Run(
        id=f"run{number}",
        created=created,
        kind=RunKind.PROFILE,
        status=RunStatus.DONE,
        metrics=metrics,
        **fields,
    )


def _time(value: float, source: MetricSource = MEASURED) -> Metric:
    return Metric(value, "us", source, "cuda events")


def _samples(*medians: float) -> dict[str, list[float]]:
    return {
        f"run{i}": [median * (1 + 0.001 * (n % 5 - 2)) for n in range(50)]
        for i, median in enumerate(medians)
    }


def test_what_differs_is_told_by_name_and_what_is_alike_is_named() -> None:
    found = compare_runs([_run(0, {}), _run(1, {}, args={"M": 4096, "N": 2}, target="a100")])
    assert {s.name: s.values for s in found.differing} == {
        "argument N": (None, "2"),
        "target": ("h200", "a100"),
    }
    assert {"kernel", "argument M"} <= set(found.alike)


def test_what_follows_from_a_time_within_noise_is_within_noise_too() -> None:
    def metrics(time: float) -> dict[str, Metric]:
        return {
            "time_us": _time(time),
            "time_us.p10": _time(time * 0.99),
            "time_us.p90": _time(time * 1.03),
            "share.copy": Metric(40.0 / time, "", MEASURED, "of the copy"),
            "baseline.ratio": Metric(50.0 / time, "", MEASURED, "torch over the kernel"),
        }

    found = compare_runs([_run(0, metrics(50.0)), _run(1, metrics(50.5))], _samples(50.0, 50.5))
    for name in metrics(1.0):
        row = found.row(name)
        assert row is not None
        assert (row.cells[1].mark, row.best) == (Mark.NOISE, ()), name


def test_a_ratio_to_the_baseline_that_sessions_do_not_explain_is_better() -> None:
    ratios = [{"baseline.ratio": Metric(r, "", MEASURED, "torch")} for r in (1.0, 1.1)]
    row = compare_runs([_run(i, each) for i, each in enumerate(ratios)]).row("baseline.ratio")
    assert row is not None
    assert (row.cells[1].mark, row.best) == (Mark.BETTER, (1,))


def test_a_time_within_noise_is_neither_better_nor_worse() -> None:
    runs = [_run(0, {"time_us": _time(50.0)}), _run(1, {"time_us": _time(50.5)})]
    row = compare_runs(runs, _samples(50.0, 50.5)).row("time_us")
    assert row is not None
    assert row.cells[1].mark is Mark.NOISE
    assert "chance explains" in row.cells[1].note
    assert row.best == ()


def test_a_tenth_more_time_is_worse_and_its_rate_too() -> None:
    rate = [Metric(v, "TFLOP/s", MEASURED, "") for v in (660.0, 600.0)]
    runs = [_run(i, {"time_us": _time(t), "tflops": rate[i]}) for i, t in enumerate((50.0, 55.0))]
    found = compare_runs(runs, _samples(50.0, 55.0))
    time, tflops = found.row("time_us"), found.row("tflops")
    assert time is not None and tflops is not None  # noqa: PT018 - for the type checker
    assert time.cells[1].mark is Mark.WORSE
    assert time.cells[1].change == pytest.approx(0.1)
    assert tflops.cells[1].mark is Mark.WORSE
    assert time.best == (0,)


def test_measured_and_predicted_figures_of_one_name_are_two_rows() -> None:
    both = {"time_us": _time(50.0), "predicted.time_us": _time(48.0, PREDICTED)}
    other = _run(1, {"time_us": _time(47.0, PREDICTED)}, target="a100")
    (group,) = compare_runs([_run(0, both), other]).groups
    assert [(r.name, r.source) for r in group.rows] == [
        ("time_us", MEASURED),
        ("time_us", PREDICTED),
    ]
    measured, predicted = group.rows
    assert measured.cells[1].mark is Mark.UNKNOWN
    assert predicted.cells[1].mark is Mark.BETTER


def test_that_no_block_fits_is_not_believed_of_a_kernel_that_was_timed() -> None:
    none = Metric(0, "", PREDICTED, "computed")
    ran = {"time_us": _time(363.0), "predicted.occupancy": none}
    found = compare_runs([_run(0, ran), _run(1, {"predicted.occupancy": none})])
    row = found.row("occupancy")
    assert row is not None
    assert [cell.value for cell in row.cells] == [None, 0]


def test_counts_are_compared_as_they_are() -> None:
    name = "shared.load.conflicts"
    counts = [Metric(v, "", PREDICTED, "bank rules") for v in (1024, 0, 1024)]
    runs = [_run(i, {name: each}) for i, each in enumerate(counts)]
    row = compare_runs(runs).row(name)
    assert row is not None
    assert [cell.mark for cell in row.cells] == [Mark.BASE, Mark.BETTER, Mark.SAME]
    assert row.best == (1,)
    assert row.title == "Shared load conflicts"


@pytest.mark.parametrize(
    ("name", "source", "marks", "best"),
    [
        ("l2.sectors", MEASURED, [Mark.BASE, Mark.NOISE, Mark.WORSE], (0, 1)),
        ("l2.sectors", PREDICTED, [Mark.BASE, Mark.WORSE, Mark.WORSE], (0,)),
        ("registers", MEASURED, [Mark.BASE, Mark.WORSE, Mark.WORSE], (0,)),
        ("profiled_time_us", MEASURED, [Mark.BASE, Mark.NOISE, Mark.NOISE], ()),
    ],
)
def test_counters_differ_by_more_than_from_launch_to_launch(
    name: str, source: MetricSource, marks: list[Mark], best: tuple[int, ...]
) -> None:
    counts = [Metric(v, "", source, "") for v in (1000, 1015, 1035)]
    row = compare_runs([_run(i, {name: each}) for i, each in enumerate(counts)]).row(name)
    assert row is not None
    assert ([cell.mark for cell in row.cells], row.best) == (marks, best)


def test_another_base_turns_the_marks() -> None:
    runs = [_run(i, {"registers": Metric(v, "", PREDICTED, "")}) for i, v in enumerate((64, 128))]
    row = compare_runs(runs, base=1).row("registers")
    assert row is not None
    assert [cell.mark for cell in row.cells] == [Mark.BETTER, Mark.BASE]


def test_a_value_beside_a_base_of_zero_has_no_relative_change() -> None:
    runs = [_run(i, {"spill_bytes": Metric(v, "B", PREDICTED, "")}) for i, v in enumerate((0, 8))]
    row = compare_runs(runs).row("spill_bytes")
    assert row is not None
    assert row.cells[1].change is None
    assert row.cells[1].mark is Mark.WORSE


@pytest.mark.parametrize("count", [0, 1, 9])
def test_two_to_eight_runs_are_compared(count: int) -> None:
    with pytest.raises(ComparisonError, match="2 to 8"):
        compare_runs([_run(i, {}) for i in range(count)])


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(ComparisonError, match="itself"):
        compare_runs([_run(0, {}), _run(0, {})])


def test_no_winner_is_named_among_times_that_noise_does_not_tell_apart() -> None:
    runs = [_run(i, {"time_us": _time(t)}) for i, t in enumerate((358.0, 205.7, 205.5))]
    row = compare_runs(runs, _samples(358.0, 205.7, 205.5)).row("time_us")
    assert row is not None
    assert row.best == (1, 2)


def test_nothing_is_ranked_of_runs_that_do_different_work() -> None:
    runs = []
    for number, (time, rate) in enumerate(((187.0, 537.0), (1574.0, 256.0))):
        rates = {"gb_s": Metric(rate, "GB/s", MEASURED, "")}
        runs.append(_run(number, {"time_us": _time(time), **rates}))
    found = compare_runs(runs, _samples(187.0, 1574.0))
    rows = [row for group in found.groups for row in group.rows]
    assert [row.cells[1].mark for row in rows] == [Mark.DIFFERS, Mark.DIFFERS]
    assert [row.best for row in rows] == [(), ()]
