"""Follows sums in a narrow type beside the exact ones: what rounding at every step has cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from workbench.engine.simulator.checks.ranges import note_beyond
from workbench.engine.simulator.gemm import round_sum
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
NARROW_SUM = "low-precision-accumulator"
_STATE = "sums"
_ROWS, _ELEMENTS = 16, 4096  # of a tile, looked at
_LEAST_STEPS = 4
_MOST_ROUNDINGS = 2.0
"""Errors up to this many times one rounding's are no finding: rounding once cannot be avoided."""


@dataclass
class _Sum:
    """One accumulator: the exact sum, what it held after the last step, how many were added."""

    exact: Array
    left: Array
    steps: int


@dataclass(frozen=True)
class _Loss:
    """The worst that was seen at a site: the error in roundings, and where."""

    roundings: float
    relative: float
    steps: int
    block: tuple[int, ...]
    index: tuple[int, ...]
    held: float
    exact: float


@dataclass
class _Sums:
    """All accumulators by address and shape, and the worst loss of each site."""

    known: dict[Any, _Sum]
    losses: dict[int, _Loss]


@helper
def part_of_sum(values: Any, like: Array) -> Array:
    """Return the elements of a sum's tile that are followed, as float32."""
    whole = np.broadcast_to(values, like.shape)
    part = whole[:_ROWS] if like.ndim > 1 else whole[:_ELEMENTS]
    return np.array(part, np.float32)


@helper
def follow_sum(rt: Runtime, site: int, target: Array, before: Array | None, term: Array) -> None:
    """`target` holds before + term now; its exact sum goes on where nothing else changed it."""
    state: _Sums = rt.state.setdefault(_STATE, _Sums({}, {}))
    key = (target.__array_interface__["data"][0], target.shape)
    found = state.known.get(key)
    left = part_of_sum(target, target)
    goes_on = found is not None and before is not None and np.array_equal(found.left, before)
    if found is not None and goes_on:
        found.exact += term
        found.left, found.steps = left, found.steps + 1
    else:
        exact = term if before is None else before + term
        found = state.known[key] = _Sum(exact, left, 1)
    if found.steps >= _LEAST_STEPS:
        _measure(rt, state, site, target, found)


def _measure(rt: Runtime, state: _Sums, site: int, target: Array, found: _Sum) -> None:
    error = found.left - found.exact
    scale = float(np.sqrt(np.mean(np.square(found.exact, dtype=np.float64))))
    size = float(np.sqrt(np.mean(np.square(error, dtype=np.float64))))
    if not 0 < size < np.inf or not 0 < scale < np.inf:
        return
    # Rounding spreads errors evenly over half a unit in the last place on either side.
    unit = float(ml_dtypes.finfo(target.dtype).eps) / 2 / np.sqrt(3)  # type: ignore[no-untyped-call]
    roundings = size / scale / unit
    worst = state.losses.get(site)
    if roundings <= _MOST_ROUNDINGS or (worst is not None and worst.roundings >= roundings):
        return
    at = tuple(map(int, np.unravel_index(int(np.argmax(np.abs(error))), error.shape)))
    held, exact = float(found.left[at]), float(found.exact[at])
    state.losses[site] = _Loss(roundings, size / scale, found.steps, rt.block, at, held, exact)


@helper
def sum_narrowly(
    rt: Runtime, site: int, target: Array, before: Array | None, product: Array
) -> None:
    """Do what `round_sum` does, and look at what is lost by it."""
    if target.dtype.kind in "iu":
        total = product.astype(np.int64)
        note_beyond(rt, site, total if before is None else total + before, target.dtype, "a sum")
        round_sum(target, before, product)
        return
    held = None if before is None else part_of_sum(before, target)
    term = part_of_sum(product, target)
    round_sum(target, before, product)
    follow_sum(rt, site, target, held, term)


@helper
def note_narrow_sums(rt: Runtime) -> None:
    """At the end: tell the worst loss of each accumulator."""
    state: _Sums | None = rt.state.get(_STATE)
    for site, loss in state.losses.items() if state is not None else ():
        rt.block = loss.block
        _note(rt, site, loss)


def _note(rt: Runtime, site: int, loss: _Loss) -> None:
    place = rt.site(site)
    evidence = {
        "roundings": round(loss.roundings, 2),
        "relative_rms": loss.relative,
        "steps": loss.steps,
        "held": loss.held,
        "exact": loss.exact,
    }
    rt.note(
        NARROW_SUM,
        "warning",
        site,
        lambda: (
            f"{place.buffer} sums in {place.role}, rounded at each of {loss.steps} steps: its "
            f"error is {loss.relative:.2g} of the values (root mean square), {loss.roundings:.1f} "
            "times that of rounding the exact sum once; allocate it as float32"
        ),
        lambda: Where(loss.index, (), evidence),
    )
