"""The best so far, trade-offs, maps and groups of a sweep, on points made by hand."""

from __future__ import annotations

import pytest

from workbench.core.sweeps import findings
from workbench.core.sweeps.model import Facts, Measured, Outcome, PointRecord, Stage
from workbench.core.sweeps.space import Point

POINTS = [Point(i, {"m": 64 * (1 + i % 2), "n": 32 * (1 + i // 2)}, "c", "h200") for i in range(6)]


def a_record(number: int, time_us: float, shared: int, outcome: Outcome) -> PointRecord:
    found = Measured(time_us, time_us, time_us, 20, "NVIDIA H200", "this machine")
    facts = Facts(predicted_us=time_us * 1.1, shared_bytes=shared, occupancy=number / 10)
    return PointRecord(number, Stage.MEASURE, outcome, facts=facts, measured=found)


RECORDS = [
    a_record(0, 20.0, 1000, Outcome.MEASURED),
    a_record(1, 10.0, 4000, Outcome.MEASURED),
    a_record(2, 12.0, 4000, Outcome.MEASURED),
    PointRecord(3, Stage.LEGALITY, Outcome.RULED_OUT, "too large: 1", code="shared-over-limit"),
    PointRecord(4, Stage.LEGALITY, Outcome.RULED_OUT, "too large: 2", code="shared-over-limit"),
    PointRecord(5, Stage.COMPILE, Outcome.FAILED, "nvcc", code="kernel"),
]


def test_best_so_far_never_rises() -> None:
    measured = tuple(r.time_us for r in RECORDS if r.time_us is not None)
    assert measured == (20.0, 10.0, 12.0)
    assert findings.running_least(measured) == (20.0, 10.0, 10.0)


def test_a_confirmed_point_comes_before_a_faster_one_measured_shortly() -> None:
    assert findings.fastest(RECORDS) is RECORDS[1]
    confirmed = a_record(2, 12.0, 4000, Outcome.CONFIRMED)
    assert findings.fastest([*RECORDS[:2], confirmed]) is confirmed
    assert findings.fastest(RECORDS[3:]) is None


def test_what_another_beats_in_both_is_not_on_the_front() -> None:
    front = findings.pareto_front(findings.weighed(RECORDS, "shared_bytes"), "shared_bytes")
    assert [r.number for r in front] == [1, 0]
    assert [
        r.number for r in findings.pareto_front(findings.weighed(RECORDS, "occupancy"), "occupancy")
    ] == [1, 2]
    assert findings.pareto_front(findings.weighed(RECORDS, "registers"), "registers") == ()


def test_heat_map_has_the_best_of_each_pair() -> None:
    found = findings.heat_map(POINTS, RECORDS, "m", "n")
    assert found.x_values == (64, 128)
    assert found.y_values == (32, 64, 96)
    assert found.cells[0][1].measured == 10.0
    assert found.cells[1][1].measured is None
    assert found.cells[1][1].out == 1
    assert found.cells[2][0].points == 1


def test_reasons_of_one_rule_are_one_group() -> None:
    first, second = findings.fates(RECORDS)
    assert (first.code, first.numbers) == ("shared-over-limit", (3, 4))
    assert (second.stage, second.numbers) == (Stage.COMPILE, (5,))


def test_accuracy_of_the_estimates() -> None:
    found = findings.accuracy(RECORDS)
    assert found.median_error == pytest.approx(0.1)
    assert found.rank == pytest.approx(1.0)
    assert findings.accuracy(RECORDS[:2]).rank is None


def test_tally_leaves_out_what_is_none() -> None:
    assert findings.tally(RECORDS).text == "6 points: 3 measured, 2 ruled out, 1 failed"
    assert findings.tally([]).text == "0 points"
