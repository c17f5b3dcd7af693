"""The choice of what to measure, on two sweeps that an H200 measured in full."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.core.analysis.estimate import estimate
from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.plain import from_plain
from workbench.core.sweeps.choosing import Ranking, candidates
from workbench.core.sweeps.model import (
    Budget,
    Facts,
    Measured,
    Outcome,
    PointRecord,
    Stage,
)
from workbench.core.sweeps.space import Point
from workbench.core.targets.table import load_targets

DATA = Path(__file__).parents[2] / "data" / "analysis" / "h200-estimates.json"


def measured_sweep(group: str) -> tuple[list[Point], list[PointRecord], list[float]]:
    """The points of a sweep, compiled and estimated, and what an H200 took for each."""
    held = json.loads(DATA.read_bytes())
    rows = [dict(zip(held["columns"], row, strict=True)) for row in held["rows"]]
    target = load_targets().resolve("h200")
    mine = [row for row in rows if row["group"] == group]
    points, records = [], []
    for number, row in enumerate(mine):
        facts = from_plain(KernelFacts, row)
        found = estimate(facts, target, row["blocks_per_sm"])
        assert found is not None
        predicted = Facts(predicted_us=found.time_us)
        points.append(Point(number, _arguments(row), "case", "h200"))
        records.append(PointRecord(number, Stage.COMPILE, Outcome.PREDICTED, facts=predicted))
    return points, records, [row["measured_us"] for row in mine]


def _arguments(row: dict[str, Any]) -> dict[str, int]:
    return {f"a{i}": int(text) for i, text in enumerate(re.findall(r"\d+", row["name"]))}


def with_time(record: PointRecord, time_us: float) -> PointRecord:
    found = Measured(time_us, time_us, time_us, 20, "NVIDIA H200", "this machine")
    return replace(record, stage=Stage.MEASURE, outcome=Outcome.MEASURED, measured=found)


@pytest.mark.parametrize("group", ["gemm", "attention"])
def test_a_quarter_of_the_measurements_finds_the_best(group: str) -> None:
    points, records, times = measured_sweep(group)
    allowed = Budget().measurements(len(points))
    assert allowed <= len(points) / 4
    for taken in range(allowed):
        ranking = Ranking(points, records)
        left = [c for c in candidates(points, records) if ranking.is_worth_it(c)]
        chosen = ranking.next(left, taken)
        if chosen is None:
            break
        number = chosen.point.number
        records[number] = with_time(records[number], times[number])
    found = min(r.time_us for r in records if r.time_us is not None)
    assert found <= 1.02 * min(times)


def two_points() -> tuple[list[Point], list[PointRecord]]:
    points = [Point(i, {"a": value}, "case", "h200") for i, value in enumerate((1, 2, 64))]
    facts = Facts(predicted_us=10.0)
    return points, [PointRecord(i, Stage.COMPILE, Outcome.PREDICTED, facts=facts) for i in range(3)]


def test_a_measurement_corrects_its_neighbours_most() -> None:
    points, records = two_points()
    records[0] = with_time(records[0], 20.0)
    near, far = candidates(points, records)
    ranking = Ranking(points, records)
    expected_near, expected_far = (ranking.expected_us(c) for c in (near, far))
    assert expected_near is not None
    assert expected_far is not None
    assert 15.0 < expected_near <= 20.0
    assert ranking.nearness(points[0], points[1]) > ranking.nearness(points[0], points[2])


def test_cases_do_not_tell_of_each_other() -> None:
    points, records = two_points()
    points[1] = Point(1, {"a": 2}, "another", "h200")
    records[0] = with_time(records[0], 100.0)
    other = candidates(points, records)[0]
    ranking = Ranking(points, records)
    assert ranking.nearness(points[0], other.point) == 0.0
    assert ranking.expected_us(other) == pytest.approx(10.0)
    assert ranking.is_worth_it(other)


def test_a_point_without_an_estimate_comes_last_and_is_worth_it() -> None:
    points, records = two_points()
    records[0] = replace(records[0], facts=Facts())
    ranking = Ranking(points, records)
    chosen = ranking.next(candidates(points, records), 0)
    assert chosen is not None
    assert chosen.point.number != 0
    assert ranking.expected_us(candidates(points, records)[0]) is None
    assert ranking.is_worth_it(candidates(points, records)[0])
    assert ranking.next([], 3) is None


def test_words_are_unlike_or_alike() -> None:
    points = [Point(i, {"order": o}, "case", "h200") for i, o in enumerate(("rows", "columns"))]
    records = [PointRecord(i) for i in range(2)]
    ranking = Ranking(points, records)
    assert ranking.nearness(points[0], points[0]) == 1.0
    assert math.isclose(ranking.nearness(*points), math.exp(-(0.5**2) / (2 * 0.35**2)))


def test_the_budget_never_asks_for_more_than_there_is() -> None:
    assert Budget().measurements(48) == 12
    assert Budget().measurements(3) == 3
    assert Budget(points=100).measurements(48) == 48
    assert Budget(points=5).measurements(48) == 5
