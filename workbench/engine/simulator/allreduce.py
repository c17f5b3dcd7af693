"""The old reduction over the threads of a block: tvm_thread_allreduce, and TIR's warp shuffles."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.registry import attribute, call, helper, operation
from workbench.engine.simulator.tir import call_name, static_int, tirx
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
_COMBINE: dict[type, np.ufunc] = {
    tirx.Add: np.add,
    tirx.Mul: np.multiply,
    tirx.Max: np.fmax,
    tirx.Min: np.fmin,
}
_SHUFFLES = {
    "tirx.tvm_warp_shuffle": "tl.shfl_sync",
    "tirx.tvm_warp_shuffle_up": "tl.shfl_up_sync",
    "tirx.tvm_warp_shuffle_down": "tl.shfl_down_sync",
}


@attribute("reduce_scope")
def _scope(t: Translator, node: Any) -> None:
    """The attribute names how the reduction inside combines."""
    outer, t.combiner = t.combiner, node.node
    t.statement(node.body)
    t.combiner = outer


@operation("tirx.tvm_thread_allreduce")
def _reduce(t: Translator, node: Any) -> None:
    """The arguments are 1, a value, whether it counts, the result's place and thread indices."""
    count, value, counts, result, *indices = node.args
    results = list(t.combiner.result) if t.combiner is not None else []
    if static_int(count) != 1 or len(results) != 1 or type(results[0]) not in _COMBINE:
        raise t.unsupported("an allreduce of several values, or with an unknown combination")
    if t.roles is not None or static_int(counts) != 1:
        raise t.unsupported("an allreduce over some of the threads")
    combine = _COMBINE[type(results[0])]
    dimensions = tuple(sorted(t.thread_dimensions[each] for each in indices))
    wide = f"np.broadcast_to({t.expression(value).code}, {t.shape_code()})"
    name = t.emitter.constant(combine, ("combine", combine.__name__))
    code = f"reduce_over_threads({wide}, {name}, {t.threads}, {dimensions})"
    stored = tirx.Var("reduced", result.dtype)
    t.values[stored] = Value(t.emitter.assign(code, "reduced"), str(result.dtype), t.rank)
    t.statement(tirx.BufferStore(result.buffer, stored, result.indices))


@helper
def reduce_over_threads(
    values: Array, combine: np.ufunc, threads: tuple[int, int, int], dimensions: tuple[int, ...]
) -> Array:
    """Return for each thread the combination over the named dimensions (0 is x) of the block."""
    x, y, z = threads
    cube = values.reshape(z, y, x)
    for dimension in dimensions:
        axis = 2 - dimension
        cube = np.repeat(combine.reduce(cube, axis=axis, keepdims=True), cube.shape[axis], axis)
    return cube.reshape(-1)


@call(*_SHUFFLES)
def _shuffle(t: Translator, node: Any) -> Value:
    """The arguments are mask, value, lane operand, width and the size of a warp."""
    name = tirx.op.Op.get(_SHUFFLES[call_name(node)])
    return t.expression(tirx.Call(node.dtype, name, list(node.args)[:4]))
