"""Two launches beside each other: turns, shares, and what a drifting clock does to their ratio."""

from __future__ import annotations

from workbench.core.profiles import Latency
from workbench.engine.device.measuring import Plan, latency_of
from workbench.engine.device.orders import ROUNDS, beside_each_other, shared
from workbench.engine.device.timing_methods import Samples


def kernel() -> None:
    """Stands for a launch."""


def baseline() -> None:
    """Stands for another."""


def test_each_side_has_its_share_of_samples_and_seconds() -> None:
    share = shared(Plan("events", "cold", 50, 1.2))
    assert share.min_samples * 2 * ROUNDS >= 50
    assert share.seconds * 2 * ROUNDS == 1.2
    assert shared(Plan("graph", "warm", 1, 1.0)).min_samples == 1


def test_sides_take_turns_in_both_orders() -> None:
    order: list[str] = []

    def measured(step: int, launch: object) -> Latency:
        assert step == len(order)
        order.append("k" if launch is kernel else "b")
        own = 10.0 if launch is kernel else 11.0
        return latency_of(Samples((own, own + 1)), "cuda events", "cold")

    own, other, ratios = beside_each_other(measured, kernel, baseline)
    assert "".join(order) == "kbbk" * ROUNDS
    assert len(own.samples_us) == len(other.samples_us) == 4 * ROUNDS
    assert ratios == (11.5 / 10.5, 11.5 / 10.5)


def test_a_gpu_that_warms_favours_neither_side() -> None:
    """Equal kernels on a clock that falls fast at first and then slowly."""

    def measured(step: int, launch: object) -> Latency:
        slower = 100.0 * (1.1 - 0.1 * 0.5**step)
        return latency_of(Samples((slower,) * 20), "cuda events", "cold")

    own, other, ratios = beside_each_other(measured, kernel, baseline)
    assert abs(other.median_us / own.median_us - 1) < 0.005
    assert ratios[0] > 1 > ratios[1]  # each order alone favours what runs first
