"""What is said of samples of a kernel's time."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from workbench.core.profiles import Clocks, Latency
from workbench.core.timing import (
    WRONG_RESULT,
    drift_of,
    modes_of,
    percentile,
    spread_of,
    trust_of,
)

FULL_CLOCK = Clocks(1980, 1980, 1980)


def latency(samples: list[float], clocks: Clocks | None = FULL_CLOCK, **other: float) -> Latency:
    spread = spread_of(samples)
    made = Latency(
        spread.median, spread.p10, spread.p90, tuple(samples), "cuda events", "cold", clocks=clocks
    )
    return replace(made, **other)  # type: ignore[arg-type]


def noisy(middle: float, share: float, count: int = 200) -> list[float]:
    chance = random.Random(7)
    return [middle * (1 + chance.uniform(-share / 2, share / 2)) for _ in range(count)]


def test_percentiles_are_interpolated() -> None:
    samples = [4.0, 1.0, 3.0, 2.0, 5.0]
    assert [percentile(samples, p) for p in (0, 0.1, 0.5, 0.9, 1)] == [1, 1.4, 3, 4.6, 5]
    assert percentile([7.0], 0.9) == 7


def test_steady_samples_are_good_and_nothing_else() -> None:
    (sentence,) = trust_of(latency(noisy(100, 0.01)), verified=True)
    assert sentence == "The middle 80 % of 200 samples lie within 0.8% of the median, at 1,980 MHz."


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (latency(noisy(100, 0.01, 7)), "7 samples say little"),
        (latency(noisy(100, 0.4)), "spread over 3"),
        (latency([100 + i * 0.1 for i in range(100)]), "is 7% slower than the first"),
        (latency([110 - i * 0.1 for i in range(100)]), "is 6% faster than the first"),
        (
            latency(noisy(100, 0.01) + noisy(120, 0.01)),
            "around two times, 99.9 µs and 120 µs",
        ),
        (
            latency(noisy(100, 0.01), Clocks(1200, 1410, 1980, ("power cap",))),
            "ran at 1,200 to 1,410 MHz, of 1,980 that they can (power cap)",
        ),
        (latency(noisy(100, 0.01), Clocks(1500, 1980, 1980)), "moved from 1,500 to 1,980 MHz"),
        (
            latency(noisy(8, 0.01), launch_overhead_us=2.0),
            "An empty kernel takes 2 µs by the same method, 25% of this",
        ),
    ],
)
def test_what_is_doubtful_is_said(measured: Latency, said: str) -> None:
    assert any(said in sentence for sentence in trust_of(measured, None)), trust_of(measured, None)


def test_a_wrong_result_comes_before_all_else() -> None:
    found = trust_of(latency(noisy(100, 0.4, 7)), verified=False)
    assert found[0] == WRONG_RESULT
    assert len(found) == 3


def test_noise_has_no_two_modes_and_no_drift() -> None:
    for seed_share in (0.001, 0.05, 0.3):
        samples = noisy(50, seed_share, 500)
        assert modes_of(samples) is None
        assert abs(drift_of(samples)) < 0.02
    assert modes_of([1.0, 1.0, 1.0]) is None
    assert modes_of([100.0] * 95 + [200.0] * 5) is None  # a few late ones are no mode
    assert drift_of([1.0]) == 0


def test_unknown_clocks_say_nothing() -> None:
    (sentence,) = trust_of(latency(noisy(100, 0.01), None), None)
    assert "MHz" not in sentence
