"""Kernel launches: the grid, the threads of a block, and the memory that a block allocates."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.ascend import vector_cores
from workbench.engine.simulator.control_flow import RETURNS
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.lanes import LANE_CALLS, lane_part
from workbench.engine.simulator.memory import allocate
from workbench.engine.simulator.registry import binding, call, loop_kind, statement
from workbench.engine.simulator.roles import Roles, blocks_wait, find_roles, grids_wait
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Axis, Mask, Translator
from workbench.engine.simulator.turns import with_turns

_DEFAULT_THREADS = (128, 1, 1)  # what tilelang launches where T.Kernel names no threads
_THREADS = "tl.launch_threads"
_THREAD_INDEX = "tl.launch_thread_idx"
_ORDERED_ACCESSES = ("tl.atomic_load_elem_op", "tl.atomic_store_elem_op")


@loop_kind(tirx.ForKind.THREAD_BINDING)
def thread_loop(t: Translator, node: Any) -> None:
    """Translate a loop bound to block or thread indices."""
    tag = str(node.thread_binding.thread_tag)
    if tag.startswith("threadIdx"):
        _bind_thread(t, node.loop_var, "xyz".index(tag[-1]))
        t.statement(node.body)
        return
    t.launch_line = t.line
    loops, body = _grid(node)
    for loop in loops:
        t.bind_range(loop.loop_var, loop.min, loop.extent)
    extents = [t.scalar(loop.extent) for loop in loops]
    names = [t.emitter.fresh(loop.loop_var.name) for loop in loops]
    for loop, name in zip(loops, names, strict=True):
        t.values[loop.loop_var] = Value(name, str(loop.loop_var.dtype))
    block = t.emitter.fresh("block")
    nodes = visit(body)
    t.threads = _thread_extents(nodes)
    t.roles = _roles(t, body, nodes)
    if t.roles is not None:
        _cooperating_block(t, block, names, body, nodes)
        roles = t.emitter.constant(t.roles.lanes)
        t.emitter.line(
            f"launch_together(rt, {block}, ({', '.join(extents)},), {roles},"
            f" {_cluster(nodes)}, {grids_wait(nodes)})"
        )
        t.roles = None
        return
    with t.emitter.suite(f"def {block}({', '.join(names)}):"):
        if _tells_threads_apart(nodes) or _each_thread_updates(nodes):
            count = int(np.prod(t.threads))
            one_dimensional = t.threads[1:] == (1, 1)
            variable = tirx.Var("lane", "int32") if one_dimensional else None
            t.set_lanes(Axis(variable, count), count)
        _block(t, body, nodes)
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


def _roles(t: Translator, body: Any, nodes: list[Any]) -> Roles | None:
    """Return who goes which way through a block, None where all go together."""
    if blocks_wait(nodes) or grids_wait(nodes) or int(np.prod(_cluster(nodes))) > 1:
        return with_turns(find_roles(body, nodes, t.threads), body)
    return vector_cores(nodes)


def _cooperating_block(
    t: Translator, block: str, names: list[str], body: Any, nodes: list[Any]
) -> None:
    """Emit a block whose threads wait for each other: a generator, run once for each role."""
    assert t.roles is not None
    t.members = t.roles.everyone
    with t.emitter.suite(f"def {block}({', '.join([*names, 'role'])}):"):
        t.emitter.line("yield from ()")
        if _tells_threads_apart(nodes) or _each_thread_updates(nodes):
            count = t.emitter.assign("len(role.lanes)", "lane_count")
            t.set_lanes(Axis(tirx.Var("lane", "int32"), count), t.roles.values.count)
        _bind_places(t, t.roles)
        _block(t, body, nodes)


def _bind_places(t: Translator, roles: Roles) -> None:
    """Emit which part a role has of what several divide among themselves."""
    for apart in roles.apart.values():
        if apart.place is not None and apart.place not in t.values:
            owners = t.emitter.constant(apart.owners)
            t.values[apart.place] = Value(
                t.emitter.assign(f"role.place({owners})", "place"), "int32"
            )
            t.bind_range(apart.place, 0, len(apart.owners))


def _block(t: Translator, body: Any, nodes: list[Any]) -> None:
    if t.lanes is not None and _holds_return(nodes):
        live = t.emitter.assign(f"np.ones({t.shape_code()}, bool)", "live")
        t.mask = t.returning = Mask(None, live, 1, live, t.emitter.block)
    t.statement(body)
    t.set_lanes(None, None)
    t.mask = t.returning = t.random_states = None


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


def _cluster(nodes: list[Any]) -> tuple[int, int, int]:
    """Return how many blocks form a cluster in each dimension."""
    for node in nodes:
        if isinstance(node, tirx.SBlock) and "cluster_dims" in node.annotations:
            x, y, z = [*(int(each) for each in node.annotations["cluster_dims"]), 1, 1][:3]
            return x, y, z
    return 1, 1, 1


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
            isinstance(node, tirx.Call) and call_name(node) in LANE_CALLS
        ):
            return True
    return False


def _holds_return(nodes: list[Any]) -> bool:
    return any(isinstance(node, tirx.Call) and call_name(node) in RETURNS for node in nodes)


def _each_thread_updates(nodes: list[Any]) -> bool:
    """Whether an element is updated atomically outside of T.Parallel: each thread does it then."""
    shared = {
        hash(inner)
        for node in nodes
        if isinstance(node, tirx.For) and node.kind == tirx.ForKind.PARALLEL
        for inner in visit(node)
    }
    return any(
        isinstance(node, tirx.Call)
        and call_name(node).startswith("tl.atomic_")
        and call_name(node) not in _ORDERED_ACCESSES
        and hash(node) not in shared
        for node in nodes
    )


def _bind_thread(t: Translator, variable: Any, dimension: int) -> None:
    extent = t.threads[dimension]
    t.thread_dimensions[variable] = dimension
    t.bind_range(variable, 0, extent)
    if t.lanes is None:
        t.values[variable] = Value("0", "int32")
        return
    index = _thread_index(t, dimension)
    if t.roles is not None:
        index = t.emitter.assign(index, variable.name)
    t.values[variable] = Value(index, "int32", 1, per_thread=True)
    if t.roles is None and dimension == 0 and t.threads[1:] == (1, 1):
        t.set_lanes(Axis(variable, extent), extent)


def _thread_index(t: Translator, dimension: int) -> str:
    x, y, _ = t.threads
    lane = np.arange(int(np.prod(t.threads)), dtype=np.int32)
    index = (lane % x, lane // x % y, lane // (x * y))[dimension]
    name = t.emitter.constant(index, ("thread", t.threads, dimension))
    return name if t.roles is None else f"role.thread({name})"


@binding(_THREAD_INDEX)
def _thread_variable(t: Translator, node: Any) -> None:
    _bind_thread(t, node.var, int(node.value.args[0]))


@call(_THREAD_INDEX)
def _launch_thread_index(t: Translator, node: Any) -> Value:
    if t.lanes is None:
        return Value("0", "int32")
    return Value(_thread_index(t, int(node.args[0])), "int32", 1)


@call(*LANE_CALLS)
def _lane_part(t: Translator, node: Any) -> Value:
    """Where a thread stands in its warp or group, or whether it is the one elected of them."""
    if t.lanes is None:
        raise t.unsupported(f"{call_name(node)} inside T.Parallel")
    name, sizes = call_name(node), list(node.args)
    values = lane_part(name, np.arange(t.lanes, dtype=np.int32), sizes)
    code = t.emitter.constant(values, (name, t.lanes, *map(static_int, sizes)))
    return Value(code if t.roles is None else f"role.thread({code})", str(node.dtype), 1)


@statement(tirx.SBlockRealize)
def _realize(t: Translator, node: Any) -> None:
    t.statement(node.block)


@statement(tirx.SBlock)
def _scope(t: Translator, node: Any) -> None:
    if len(node.match_buffers):
        raise t.unsupported("a matched buffer")
    annotations = node.annotations
    initial = annotations.get("tl.local_var_init", {})
    outer_values = t.safe_values  # a block's values end with it
    if "safe_value_map" in annotations:
        t.safe_values = outer_values | dict(annotations["safe_value_map"].items())
    t.barrier_counts.update(
        {data: list(map(int, each)) for data, each in annotations.get("barrier_init", {}).items()}
    )
    t.reducers.update(
        {data: str(each["op"]) for data, each in annotations.get("reducer_info_v2", {}).items()}
    )
    for buffer in node.alloc_buffers:
        allocate(t, buffer, initial.get(buffer.data))
    t.statement(node.body)
    t.safe_values = outer_values
