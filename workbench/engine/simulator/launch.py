"""Kernel launches: the grid, the threads of a block, and the memory that a block allocates."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.control_flow import RETURNS
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.memory import allocate
from workbench.engine.simulator.registry import binding, call, loop_kind, operation, statement
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Axis, Mask, Translator
from workbench.engine.simulator.warps import WARP_SIZE

_DEFAULT_THREADS = (128, 1, 1)  # what tilelang launches where T.Kernel names no threads
_THREADS = "tl.launch_threads"
_THREAD_INDEX = "tl.launch_thread_idx"


@loop_kind(tirx.ForKind.THREAD_BINDING)
def thread_loop(t: Translator, node: Any) -> None:
    """Translate a loop bound to block or thread indices."""
    tag = str(node.thread_binding.thread_tag)
    if tag.startswith("threadIdx"):
        _bind_thread(t, node.loop_var, "xyz".index(tag[-1]))
        t.statement(node.body)
        return
    loops, body = _grid(node)
    for loop in loops:
        t.bind_range(loop.loop_var, loop.min, loop.extent)
    extents = [t.scalar(loop.extent) for loop in loops]
    names = [t.emitter.fresh(loop.loop_var.name) for loop in loops]
    for loop, name in zip(loops, names, strict=True):
        t.values[loop.loop_var] = Value(name, str(loop.loop_var.dtype))
    block = t.emitter.fresh("block")
    with t.emitter.suite(f"def {block}({', '.join(names)}):"):
        _block(t, body)
    t.emitter.line(f"launch(rt, {block}, ({', '.join(extents)},))")


def _grid(node: Any) -> tuple[list[Any], Any]:
    loops, body = [], node
    while (
        isinstance(body, tirx.For)
        and body.thread_binding is not None
        and str(body.thread_binding.thread_tag).startswith("blockIdx")
    ):
        loops.append(body)
        body = body.body
    return loops, body


def _block(t: Translator, body: Any) -> None:
    nodes = visit(body)
    t.threads = _thread_extents(nodes)
    if _tells_threads_apart(nodes):
        count = int(np.prod(t.threads))
        one_dimensional = t.threads[1:] == (1, 1)
        t.set_lanes(Axis(tirx.Var("lane", "int32") if one_dimensional else None, count), count)
        t.divergent = _has_roles(nodes)
        if _holds_return(nodes):
            live = t.emitter.assign(f"np.ones({count}, bool)", "live")
            t.mask = t.returning = Mask(None, live, 1, live, t.emitter.block)
    t.statement(body)
    t.set_lanes(None, None)
    t.mask = t.returning = None


def _thread_extents(nodes: list[Any]) -> tuple[int, int, int]:
    extents = list(_DEFAULT_THREADS)
    for node in nodes:
        if isinstance(node, tirx.SBlock) and _THREADS in node.annotations:
            extents = [int(extent) for extent in node.annotations[_THREADS]]
    for loop in nodes:
        if isinstance(loop, tirx.For) and loop.thread_binding is not None:
            tag = str(loop.thread_binding.thread_tag)
            if tag.startswith("threadIdx"):
                extents["xyz".index(tag[-1])] = int(loop.extent)
    x, y, z = [*extents, 1, 1][:3]
    return x, y, z


def _tells_threads_apart(nodes: list[Any]) -> bool:
    indices = {
        node.var
        for node in nodes
        if isinstance(node, tirx.Bind)
        and isinstance(node.value, tirx.Call)
        and call_name(node.value) == _THREAD_INDEX
    }
    for node in nodes:
        if isinstance(node, tirx.For) and node.thread_binding is not None:
            if str(node.thread_binding.thread_tag).startswith("threadIdx"):
                return True
        elif (isinstance(node, tirx.Var) and node in indices) or (
            isinstance(node, tirx.Call) and call_name(node) in _LANE_CALLS
        ):
            return True
    return False


def _has_roles(nodes: list[Any]) -> bool:
    """Whether a tile operation stands under a condition, so that threads may take roles."""
    return any(
        isinstance(each, tirx.Call) and call_name(each).startswith("tl.tileop.")
        for node in nodes
        if isinstance(node, tirx.IfThenElse)
        for each in visit(node)
    )


def _holds_return(nodes: list[Any]) -> bool:
    return any(isinstance(node, tirx.Call) and call_name(node) in RETURNS for node in nodes)


def _bind_thread(t: Translator, variable: Any, dimension: int) -> None:
    extent = t.threads[dimension]
    t.bind_range(variable, 0, extent)
    if t.lanes is None:
        t.values[variable] = Value("0", "int32")
        return
    t.values[variable] = Value(_thread_index(t, dimension), "int32", 1, per_thread=True)
    if dimension == 0 and t.threads[1:] == (1, 1):
        t.set_lanes(Axis(variable, extent), extent)


def _thread_index(t: Translator, dimension: int) -> str:
    x, y, _ = t.threads
    lane = np.arange(int(np.prod(t.threads)), dtype=np.int32)
    index = (lane % x, lane // x % y, lane // (x * y))[dimension]
    return t.emitter.constant(index, ("thread", t.threads, dimension))


@binding(_THREAD_INDEX)
def _thread_variable(t: Translator, node: Any) -> None:
    _bind_thread(t, node.var, int(node.value.args[0]))


@call(_THREAD_INDEX)
def _launch_thread_index(t: Translator, node: Any) -> Value:
    if t.lanes is None:
        return Value("0", "int32")
    return Value(_thread_index(t, int(node.args[0])), "int32", 1)


_LANE_CALLS = {
    "tl.get_lane_idx": ("%", WARP_SIZE),
    "tl.get_warp_idx": ("//", WARP_SIZE),
    "tl.get_warp_idx_sync": ("//", WARP_SIZE),
}


@call(*_LANE_CALLS)
def _lane_index(t: Translator, node: Any) -> Value:
    operator, size = _LANE_CALLS[call_name(node)]
    if node.args:
        size = static_int(node.args[0]) or size
    return Value(f"({_flat_lane(t)} {operator} {size})", "int32", 1)


def _flat_lane(t: Translator) -> str:
    count = int(np.prod(t.threads))
    return t.emitter.constant(np.arange(count, dtype=np.int32), ("lanes", count))


@statement(tirx.SBlockRealize)
def _realize(t: Translator, node: Any) -> None:
    t.statement(node.block)


@statement(tirx.SBlock)
def _scope(t: Translator, node: Any) -> None:
    if len(node.match_buffers):
        raise t.unsupported("a matched buffer")
    annotations = node.annotations
    initial = annotations.get("tl.local_var_init", {})
    if "safe_value_map" in annotations:
        t.safe_values.update(dict(annotations["safe_value_map"].items()))
    for buffer in node.alloc_buffers:
        allocate(t, buffer, initial.get(buffer.data))
    t.statement(node.body)


@operation("tl.sync_grid")
def _grid_barrier(t: Translator, node: Any) -> None:
    raise t.unsupported("operation tl.sync_grid: blocks run one after another")
