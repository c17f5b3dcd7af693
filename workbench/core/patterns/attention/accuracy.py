"""How far roundings to the operands' format move the results of attention: tolerances of cases."""

from __future__ import annotations

import math
from typing import Any

from workbench.core.patterns.common import tolerances
from workbench.core.patterns.model import Values

_ROUNDINGS = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
_STATE = 4  # roundings of a result's size that the case of linear attention allows
_LINEAR_ERROR = 0.6  # roundings: 0.42 of the state's and as much of the result's own


def rounding(values: Values) -> float:
    """The most that rounding to the operands' format moves a number, over its size."""
    return _ROUNDINGS[values["dtype"]]


def causal_tolerances(values: Values) -> dict[str, Any]:
    """Those that were set; of causal attention what queries that see few keys need, else none.

    The rounding of their weights does not average out. On the inputs of the case of 4096 keys,
    fp16 weights put 405 elements of 67 million over the usual tolerance, by up to 2.03 times
    (computed in float32 otherwise); an NVIDIA H200 had 373 such elements. Where 8192 keys are
    sparse it is 51 of 34 million, of queries that see 2 to 36 keys, by up to 1.49 times; the H200
    had as many. The worst of them takes 0.39 of what is allowed here.
    """
    given = tolerances(values)
    if given or not values["causal"]:
        return given
    step = rounding(values)
    return {"rtol": round(4 * step, 4), "atol": round(1.5 * step, 5)}


def linear_tolerances(values: Values, tokens: int) -> dict[str, Any]:
    """Those that were set, else what linear attention over so many tokens needs.

    Of inputs of mean 0 and variance 1 the state has elements of the size of √n after n tokens, and
    so has a result: as a sum of either sign it may be near 0 all the same, with the error of its
    row. The state's rounding has that wander by 0.42 roundings of √n (its standard deviation), by
    up to 2.7 among 8 x 16 heads of 8192 tokens (emulated, against float64). `rtol` is for the
    result's own rounding, doubled. An `atol` of 0.02 whatever the length left 130,655 of those 134
    million elements over it, in spite of an `rtol` of 0.01; an NVIDIA H200 had 130,997.
    """
    step = rounding(values)
    allowed = {"rtol": 2 * step, "atol": _STATE * step * math.sqrt(tokens)}
    return {
        **{name: float(f"{value:.3g}") for name, value in allowed.items()},
        **tolerances(values),
    }


def linear_words(values: Values) -> str:
    """What the state's rounding does to results, and what the cases allow for it."""
    error, allowed = (f"{100 * n * rounding(values):.2g} %" for n in (_LINEAR_ERROR, _STATE))
    return (
        "the state is rounded to the operands' format for each product, not in its sum. Of inputs "
        "of variance 1 the results after n tokens have the size of √n and an error of "
        f"{error} of that, those near 0 too: the cases allow {allowed} of the root of their length."
    )
