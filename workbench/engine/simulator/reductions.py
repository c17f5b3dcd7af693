"""Reductions and scans of tiles.

Source of the semantics: tilelang's reduce.cc and its device templates. The accumulator has the
destination's dtype, so that a float16 sum rounds and overflows at every step; max and min start
from the lowest and highest value and drop NaN unless `nan_propagate` is set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from workbench.engine.simulator.access import index_codes
from workbench.engine.simulator.copies import emit_copy
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import Update
from workbench.engine.simulator.memory import note_write, spread
from workbench.engine.simulator.regions import emit_store, loaded, region_of, squeezed_tile, tile
from workbench.engine.simulator.registry import helper, operation
from workbench.engine.simulator.tile_arguments import is_region
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
Reduction = Callable[[Array, int], Array]


@operation("tl.tileop.reduce")
def _reduce(t: Translator, node: Any) -> None:
    """The arguments are source, destination, kind, dimension, clear."""
    source = tile(t, region_of(t, node.args[0]), reads=True)
    kind, axis, clear = str(node.args[2].value), int(node.args[3]), t.scalar(node.args[4])
    keep = clear not in ("True", "1")
    target = squeezed_tile(t, region_of(t, node.args[1]), reads=keep, writes=True)
    propagate = bool(dict(node.annotations or {}).get("nan_propagate", False))
    table = "maximum" if propagate and kind.endswith(("max", "min")) else "number"
    name = f"{kind}_{table}" if kind.endswith(("max", "min")) else kind
    if name not in REDUCTIONS:
        raise t.unsupported(f"reduction {kind}")
    before = loaded(t, target) if keep else "None"
    if keep and clear not in ("False", "0"):
        before = f"None if {clear} else {before}"
    emit_store(
        t,
        target,
        f"reduce_tile({loaded(t, source)}, {axis}, {name!r}, {t.dtype(target.place.dtype)},"
        f" {target.shape}, {before})",
    )


def _halving_sum(values: Array, axis: int) -> Array:
    """Add in pairs, rounding to the array's dtype at each level, as threads and shuffles do."""
    values = np.moveaxis(values, axis, 0)
    while len(values) > 1:
        half = len(values) // 2
        paired = values[:half] + values[half : 2 * half]
        values = paired if len(values) % 2 == 0 else np.concatenate([paired, values[-1:]])
    return np.asarray(values[0])


@cache
def _ones(count: int) -> Array:
    return np.ones(count, np.float32)


def _sum(values: Array, axis: int) -> Array:
    if values.dtype.itemsize < 4 and values.dtype.kind not in "iu":
        return _halving_sum(values, axis)
    if values.dtype == np.float32 and values.ndim == 2 and axis == 1 and values.flags.c_contiguous:
        return np.asarray(values @ _ones(values.shape[1]))  # three times as fast as numpy's sum
    return np.asarray(values.sum(axis=axis, dtype=values.dtype))


def _limit(dtype: np.dtype[Any], largest: bool) -> Any:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.max if largest else info.min
    return dtype.type(np.inf if largest else -np.inf)


def _extremum(combine: np.ufunc, from_largest: bool) -> Reduction:
    def reduce(values: Array, axis: int) -> Array:
        initial = _limit(values.dtype, from_largest)
        return np.asarray(combine.reduce(values, axis=axis, initial=initial))

    return reduce


def _of_absolute(reduction: Reduction) -> Reduction:
    return lambda values, axis: reduction(np.abs(values), axis)


def _bitwise(combine: np.ufunc) -> Reduction:
    return lambda values, axis: np.asarray(combine.reduce(values, axis=axis))


REDUCTIONS: dict[str, tuple[Reduction, np.ufunc]] = {
    "sum": (_sum, np.add),
    "abssum": (_of_absolute(_sum), np.add),
    "max_number": (_extremum(np.fmax, False), np.fmax),
    "min_number": (_extremum(np.fmin, True), np.fmin),
    "absmax_number": (_of_absolute(_extremum(np.fmax, False)), np.fmax),
    "max_maximum": (_extremum(np.maximum, False), np.maximum),
    "min_maximum": (_extremum(np.minimum, True), np.minimum),
    "absmax_maximum": (_of_absolute(_extremum(np.maximum, False)), np.maximum),
    "bitand": (_bitwise(np.bitwise_and), np.bitwise_and),
    "bitor": (_bitwise(np.bitwise_or), np.bitwise_or),
    "bitxor": (_bitwise(np.bitwise_xor), np.bitwise_xor),
}


@helper
def reduce_tile(
    source: Array,
    axis: int,
    name: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    before: Array | None,
) -> Array:
    """Reduce a tile along an axis in `dtype`, combined with `before` where it is given."""
    reduction, combine = REDUCTIONS[name]
    values = source if source.dtype == dtype else source.astype(dtype)
    result = reduction(values, axis).reshape(shape)
    return result if before is None else np.asarray(combine(before, result))


@operation("tl.tileop.finalize_reducer")
def _finalize(t: Translator, node: Any) -> None:
    """The threads' parts are one array here, so that only a named destination needs a copy."""
    if len(node.args) > 1 and is_region(node.args[1]):
        source = squeezed_tile(t, region_of(t, node.args[0]), reads=True)
        emit_copy(t, source, squeezed_tile(t, region_of(t, node.args[1]), writes=True))


# op -> the ufunc, and the value that changes nothing: a number, or the type's own limit.
_REDUCERS: dict[str, tuple[np.ufunc, Any]] = {
    "sum": (np.add, 0),
    "max": (np.fmax, "lowest"),
    "min": (np.fmin, "highest"),
    "bitand": (np.bitwise_and, -1),
    "bitor": (np.bitwise_or, 0),
    "bitxor": (np.bitwise_xor, 0),
}


def _reducer(t: Translator, buffer: Any) -> tuple[np.ufunc, Any]:
    found = t.reducers.get(buffer.data)
    if found is None:
        raise t.unsupported(f"reducer {buffer.name} without an operation")
    return _REDUCERS[found]


def _neutral(kind: Any, dtype: np.dtype[Any]) -> Any:
    """Return the value that an operation starts from."""
    if isinstance(kind, str):
        return _limit(dtype, kind == "highest")
    return np.array(kind).astype(dtype)[()]


@operation("tl.tileop.reducer_init")
def _reducer_init(t: Translator, node: Any) -> None:
    """The arguments are the reducer and, where the result has one, a starting value."""
    target = squeezed_tile(t, region_of(t, node.args[0]), writes=True)
    dtype = target.place.dtype
    if len(node.args) > 1:
        emit_store(t, target, t.cast(t.expression(node.args[1]), dtype).code)
        return
    _, kind = _reducer(t, target.region.buffer)
    emit_store(t, target, t.emitter.constant(_neutral(kind, t.numpy_dtype(dtype))))


@operation("tl.reducer_update")
def _reducer_update(t: Translator, node: Any) -> None:
    """Each iteration of T.Parallel contributes once; outside of it the statement does."""
    element, value = node.args
    place = t.place(element.buffer)
    combine, _ = _reducer(t, element.buffer)
    name = t.emitter.constant(combine, ("combine", combine.__name__))
    contribution = spread(t, t.cast(t.expression(value), place.dtype), place)
    t.touches.reads.add(place.data)
    note_write(t, place, element.indices)
    t.checks.updates(t, Update(place, element.indices, value, atomic=True))
    t.emitter.line(
        f"accumulate(rt, {name}, {place.name}, {index_codes(t, place, element.indices)},"
        f" {contribution}, {t.mask_code()}, {t.site(place)})"
    )


@operation("tl.tileop.finalize_reducer_v2")
def _reducer_result(t: Translator, node: Any) -> None:
    source = squeezed_tile(t, region_of(t, node.args[0]), reads=True)
    emit_copy(t, source, squeezed_tile(t, region_of(t, node.args[1]), writes=True))


_SCANS: dict[str, np.ufunc] = {"tl.tileop.cumsum": np.add, "tl.tileop.cummax": np.maximum}


@operation(*_SCANS)
def _scan(t: Translator, node: Any) -> None:
    """The arguments are source, destination, dimension, reverse."""
    source = tile(t, region_of(t, node.args[0]), reads=True)
    target = tile(t, region_of(t, node.args[1]), writes=True)
    combine = t.emitter.constant(_SCANS[call_name(node)], call_name(node))
    code = (
        f"scan_tile({loaded(t, source)}, {combine}, {int(node.args[2])}, {t.scalar(node.args[3])})"
    )
    emit_store(t, target, t.cast(Value(code, source.place.dtype, 1), target.place.dtype).code)


@helper
def scan_tile(source: Array, combine: np.ufunc, axis: int, reverse: bool) -> Array:
    """Return the inclusive scan along an axis, from the end with `reverse`."""
    values = np.flip(source, axis) if reverse else source
    result = combine.accumulate(values, axis=axis, dtype=source.dtype)
    return np.flip(result, axis) if reverse else np.asarray(result)
