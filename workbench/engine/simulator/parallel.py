"""T.Parallel: its variables become axes, and each statement runs for all iterations at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.engine.simulator.registry import helper, loop_kind
from workbench.engine.simulator.tir import static_int, tirx, visit
from workbench.engine.simulator.translator import Axis, Place, Translator

Array = np.ndarray[Any, Any]
_PRIVATE_SCOPES = ("local", "local.var")


@loop_kind(tirx.ForKind.PARALLEL)
def parallel_loop(t: Translator, node: Any) -> None:
    """Translate a nest of parallel loops."""
    loops, body = _nest(node)
    axes = tuple(_axis(t, loop) for loop in loops)
    outer_axes, outer_mask = t.axes, t.mask
    nested = t.in_parallel
    t.axes = outer_axes + axes if nested else axes
    if not nested:
        t.mask = None  # a tile statement is the block's, whichever thread reaches it
    shared = _privatize(t, body)
    if not nested:
        t.checks.enters_parallel(t, body)
    t.statement(body)
    _restore(t, shared)
    if not nested:
        t.checks.leaves_parallel(t, list(shared.values()))
    t.axes, t.mask = outer_axes, outer_mask


def _nest(node: Any) -> tuple[list[Any], Any]:
    loops, body = [], node
    while isinstance(body, tirx.For) and tirx.ForKind(body.kind) == tirx.ForKind.PARALLEL:
        loops.append(body)
        body = body.body
    return loops, body


def _axis(t: Translator, loop: Any) -> Axis:
    if static_int(loop.min) != 0:
        raise t.unsupported("T.Parallel that does not start at 0")
    t.bind_range(loop.loop_var, loop.min, loop.extent)
    extent: int | str | None = static_int(loop.extent)
    if extent is None:
        extent = t.emitter.assign(t.scalar(loop.extent), "extent")
    return Axis(loop.loop_var, extent)


def _privatize(t: Translator, body: Any) -> dict[Any, Place]:
    """Give each iteration its own copy of the per-thread buffers that the loop writes."""
    shared: dict[Any, Place] = {}
    for node in visit(body):
        if not isinstance(node, tirx.BufferStore) or node.buffer.scope() not in _PRIVATE_SCOPES:
            continue
        place = t.places.get(node.buffer)
        if place is None or node.buffer in shared or _is_private(t, place):
            continue
        shared[node.buffer] = place
        name = t.emitter.fresh(place.name)
        t.emitter.line(f"{name} = private({place.name}, {t.shape_code()}, {len(place.leading)})")
        t.places[node.buffer] = replace(place, name=name, leading=t.axes)
    return shared


def _is_private(t: Translator, place: Place) -> bool:
    return bool(place.leading) and all(axis in t.axes for axis in place.leading)


def _restore(t: Translator, shared: dict[Any, Place]) -> None:
    """The last iteration's values are what stays; no order of iterations is promised."""
    for buffer, place in shared.items():
        private = t.places[buffer]
        last = ", ".join(["-1"] * len(private.leading))
        t.emitter.line(f"{place.name}[...] = {private.name}[{last}]")
        t.places[buffer] = place


@helper
def private(shared: Array, iterations: tuple[int, ...], leading: int) -> Array:
    """Return a copy for each iteration, starting from what the block (its thread 0) has."""
    own = shared[(0,) * leading]
    return np.array(np.broadcast_to(own, iterations + own.shape))
