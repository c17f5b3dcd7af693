"""Two measured times: when they are equal, and when they are not."""

from __future__ import annotations

import random

import pytest

from workbench.core.comparison.noise import (
    BETWEEN_RUNS,
    Verdict,
    compare_times,
    relative_error,
    resolution,
)


def _samples(median: float, spread: float, seed: int, count: int = 60) -> list[float]:
    draw = random.Random(seed)
    return [median * (1 + spread * draw.gauss(0, 1)) for _ in range(count)]


@pytest.mark.parametrize("spread", [0.0, 0.005, 0.03])
def test_two_draws_of_one_time_are_equal(spread: float) -> None:
    for seed in range(20):
        found = compare_times(_samples(50, spread, seed), _samples(50, spread, seed + 100))
        assert found.verdict is Verdict.EQUAL, found


@pytest.mark.parametrize("spread", [0.0, 0.005, 0.03])
def test_a_tenth_more_is_slower(spread: float) -> None:
    for seed in range(20):
        found = compare_times(_samples(50, spread, seed), _samples(55, spread, seed + 100))
        assert found.verdict is Verdict.SLOWER, found


def test_swapping_the_runs_swaps_the_verdict() -> None:
    slow, fast = _samples(55, 0.01, 1), _samples(50, 0.01, 2)
    assert compare_times(slow, fast).verdict is Verdict.FASTER
    assert compare_times(fast, slow).verdict is Verdict.SLOWER


def test_drift_within_a_run_widens_what_chance_explains() -> None:
    steady = [50.0 + 0.01 * (i % 3) for i in range(60)]
    drifting = [45.0 + 10.0 * i / 59 for i in range(60)]
    drawn = random.Random(0).sample(drifting, 60)
    assert relative_error(drifting) > 1.5 * relative_error(drawn)
    assert compare_times(steady, [s * 1.04 for s in drifting]).verdict is Verdict.EQUAL


def test_the_timers_step_counts_where_a_kernel_is_short() -> None:
    short = [2.0, 2.5] * 10
    assert resolution(short) == pytest.approx(0.5 / 2.25)
    assert compare_times(short, [s + 0.4 for s in short]).verdict is Verdict.EQUAL


def test_a_steady_run_is_judged_by_the_difference_between_sessions() -> None:
    found = compare_times([50.0] * 20, [50.0 * (1 + 0.9 * BETWEEN_RUNS)] * 20)
    assert found.verdict is not Verdict.UNKNOWN
    assert found.noise is not None
    assert found.noise >= BETWEEN_RUNS


def test_few_samples_decide_nothing_and_say_so() -> None:
    found = compare_times([1.0] * 4, [1.0] * 20)
    assert found.verdict is Verdict.UNKNOWN
    assert "4 samples" in found.sentence


def test_times_of_zero_decide_nothing() -> None:
    assert compare_times([0.0] * 9, [1.0] * 9).verdict is Verdict.UNKNOWN


def test_the_sentence_has_the_change_and_the_noise() -> None:
    found = compare_times(
        [50.0 + 0.01 * i for i in range(20)], [56.0 + 0.01 * i for i in range(20)]
    )
    assert "12.0 % slower" in found.sentence
