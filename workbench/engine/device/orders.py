"""Times two launches beside each other, in both orders and in turns.

A GPU that works at its power cap clocks by what ran before. Each order alone favours one side, and
even both pass for fair only while the clock drifts evenly: a GPU warms fast at first and slowly
later. Short turns give both sides the same share of every clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from workbench.core.profiles import Latency
from workbench.engine.device.launches import Launch
from workbench.engine.device.measuring import Plan, together

ROUNDS = 3  # rounds of: kernel, baseline, baseline, kernel


def shared(plan: Plan) -> Plan:
    """What one of the measurements of each side has of a plan's samples and seconds."""
    parts = 2 * ROUNDS
    return replace(
        plan,
        seconds=plan.seconds / parts,
        min_samples=max(1, math.ceil(plan.min_samples / parts)),
    )


def beside_each_other(
    measured: Callable[[int, Launch], Latency], kernel: Launch, baseline: Launch
) -> tuple[Latency, Latency, tuple[float, float]]:
    """The times of both, and baseline over kernel by medians: kernel first, and baseline first.

    `measured` takes the number of the measurement, from 0, and what to measure.
    """
    first: list[Latency] = []
    second: list[Latency] = []
    for turn in range(0, 4 * ROUNDS, 4):
        for step, launch in enumerate((kernel, baseline, baseline, kernel), turn):
            side = first if launch is kernel else second
            side.append(measured(step, launch))
    ratios = (
        _joined(second[::2]).median_us / _joined(first[::2]).median_us,
        _joined(second[1::2]).median_us / _joined(first[1::2]).median_us,
    )
    return _joined(first), _joined(second), ratios


def _joined(latencies: list[Latency]) -> Latency:
    return reduce(together, latencies)
