"""Every combination of agreement has one reading, and near misses are matters of tolerance."""

from __future__ import annotations

import itertools

import pytest

from workbench.core.verification.three_way import Pair, three_way, together

SAME = Pair(0, 1000, 0.4)
FAR = Pair(900, 1000, 250.0)
NEAR = Pair(3, 1000, 1.6)
NAN = Pair(3, 1000, 0.9, lone=3)
FAR_BY_LITTLE = Pair(900, 1000, 1.6)
FEW_BUT_FAR = Pair(3, 1000, 90.0)
EXACT = Pair(1, 1000, None)  # integers have no tolerance to be near to


@pytest.mark.parametrize(
    ("reference_simulator", "reference_device", "simulator_device", "verdict"),
    [
        (SAME, SAME, SAME, "agree"),
        (SAME, SAME, NEAR, "agree"),
        (FAR, FAR, SAME, "kernel"),
        (FAR_BY_LITTLE, FAR_BY_LITTLE, SAME, "kernel"),
        (SAME, FAR, FAR, "device"),
        (SAME, NAN, NAN, "device"),
        (SAME, FEW_BUT_FAR, FEW_BUT_FAR, "device"),
        (SAME, EXACT, EXACT, "device"),
        (FAR, SAME, FAR, "simulator"),
        (NAN, SAME, NAN, "simulator"),
        (NEAR, NEAR, SAME, "tolerance"),
        (NEAR, NEAR, NEAR, "tolerance"),
        (SAME, NEAR, NEAR, "tolerance"),
        (SAME, NEAR, SAME, "tolerance"),
        (NEAR, SAME, SAME, "tolerance"),
        (FAR, FAR, FAR, "unclear"),
        (NEAR, FAR, FAR, "device"),
        (FAR, NEAR, FAR, "simulator"),
        (FAR, FAR, NEAR, "kernel"),
    ],
)
def test_who_is_at_fault(
    reference_simulator: Pair, reference_device: Pair, simulator_device: Pair, verdict: str
) -> None:
    found = three_way(reference_simulator, reference_device, simulator_device)
    assert found.verdict == verdict
    assert (found.hint is None) == (verdict == "agree")


def test_every_combination_has_a_sentence() -> None:
    for pairs in itertools.product((SAME, NEAR, FAR), repeat=3):
        found = three_way(*pairs)
        assert found.sentence.endswith(".")
        assert (found.verdict == "agree") == (pairs[0].agrees and pairs[1].agrees)


def test_a_result_that_moves_between_launches_is_a_race_whatever_else_agrees() -> None:
    for pairs in ((FAR, FAR, SAME), (SAME, FAR, FAR), (FAR, FAR, FAR), (SAME, NEAR, NEAR)):
        found = three_way(*pairs, repeats=False)
        assert found.verdict == "device"
        assert "racecheck" in (found.hint or "")
    assert three_way(SAME, SAME, SAME, repeats=False).verdict == "agree"
    assert three_way(FAR, FAR, SAME, repeats=True).verdict == "kernel"


def test_outputs_are_judged_together() -> None:
    assert together([SAME, NEAR]) == Pair(3, 2000, 1.6)
    assert together([SAME, FAR, NAN]) == Pair(903, 3000, 250.0, lone=3)
    assert together([NEAR, EXACT]).max_share is None
    assert together([]).agrees
