"""Searches for the constants of the estimate that come closest to what was measured.

Constants see the rows marked as fitted alone. The figure made small is the mean of the errors'
logarithms over the groups, whose weights make up for how few kernels some of them have.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections import defaultdict

import numpy as np
from estimates import Measured, estimated, rows_of

from workbench.core.analysis.estimate import CONSTANTS, EstimateConstants

# Kept: documented throughputs, and `barrier`, which few of the kernels tell.
FITTED = ("clock", "launch_us", "latency", "line", "wait", "vector_chain", "dram", "warp_tensor")
FITTED += ("spill_bytes", "atomic", "exposed", "kept")
WEIGHTS = {"runs": 1.0, "kernels": 1.0, "gemm": 1.5, "attention": 1.0}
MOST_ERROR = 0.5  # one miss counts no more than this
MOST_DRAM = 0.88  # of the bandwidth: what a copy of 1 GiB reached


def search(steps: int = 5000, seed: int = 7) -> EstimateConstants:
    """The best constants that random steps, smaller and smaller, find from the present ones."""
    chance, best = random.Random(seed), CONSTANTS
    rows = [row for row in rows_of() if row["fitted"]]
    least = loss([estimated(row, best) for row in rows])
    for step in range(steps):
        width = 0.25 * (1 - step / steps) + 0.01
        names = chance.sample(FITTED, chance.choice((1, 1, 2, 3, 4)))
        tried = {name: getattr(best, name) * math.exp(chance.gauss(0, width)) for name in names}
        if tried.get("dram", 0.0) > MOST_DRAM:
            continue
        constants = dataclasses.replace(best, **tried)
        found = loss([estimated(row, constants) for row in rows])
        if found < least:
            best, least = constants, found
    return best


def loss(rows: list[Measured]) -> float:
    """What a search makes small: 0 where all estimates are right."""
    errors: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        off = abs(math.log(row.predicted_us / row.measured_us))
        errors[row.group].append(min(off, MOST_ERROR))
    means = [WEIGHTS[group] * float(np.mean(each)) for group, each in errors.items()]
    return sum(means) / sum(WEIGHTS[group] for group in errors)
