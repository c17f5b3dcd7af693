"""The Ascend dialect: copies between its memories, and SIMT regions with threads of their own.

Source: TileLang's Ascend language. A kernel that copies with `dual_copy` runs on one cube core and
two vector cores, each with a Unified Buffer of its own: they are two roles here. What fills L1 or
L0, or multiplies, is the cube's and done once; everything else both vector cores do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.engine.simulator.copies import copy_regions
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.lanes import LaneValues
from workbench.engine.simulator.regions import region_of
from workbench.engine.simulator.registry import attribute, operation
from workbench.engine.simulator.roles import Members, Roles
from workbench.engine.simulator.tile_arguments import Region
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Axis, Translator
from workbench.engine.simulator.vectors import named

_COPY = "tl.tileop.ascend_copy"
_VECTOR_CORES = 2
_VECTOR_MEMORY = ("shared", "shared.dyn", "local", "local.var", "local.fragment")
_UNSUPPORTED = {"transpose", "data_select", "sub_blockid"}
_SPLIT_AXIS = {1: -2, 2: -1}  # dual_dst_ctl: rows, or columns


def vector_cores(nodes: list[Any]) -> Roles | None:
    """Return the two vector cores where a kernel divides its tiles between them."""
    if not any(_is_dual(node) for node in nodes):
        return None
    lanes = tuple(np.arange(1, dtype=np.int32) for _ in range(_VECTOR_CORES))
    return VectorCores(lanes, LaneValues((1, 1, 1), {}), {})


class VectorCores(Roles):
    """The two vector cores, which differ in their Unified Buffers and in no condition."""

    def split(self, condition: Any, members: Members) -> tuple[Members, Members]:
        """No condition tells them apart."""
        return members, members

    def is_collective(self, node: Any) -> bool:
        """Whether the cube core does it: multiply, or move what no Unified Buffer holds."""
        if not isinstance(node, tirx.Evaluate) or not isinstance(node.value, tirx.Call):
            return False
        buffers = [each.buffer for each in visit(node.value) if isinstance(each, tirx.BufferLoad)]
        is_tile = call_name(node.value).startswith("tl.tileop.")
        return is_tile and not any(self.is_private(buffer) for buffer in buffers)

    def is_private(self, buffer: Any) -> bool:
        """Whether each vector core has the buffer for itself."""
        return buffer.scope() in _VECTOR_MEMORY


def _is_dual(node: Any) -> bool:
    return (
        isinstance(node, tirx.Call)
        and call_name(node) == _COPY
        and "dual_dst_ctl" in (node.annotations or {})
    )


@operation(_COPY)
def _copy(t: Translator, node: Any) -> None:
    source, target = region_of(t, node.args[0]), region_of(t, node.args[1])
    annotations = dict(node.annotations or {})
    for name in sorted(_UNSUPPORTED & set(annotations)):
        raise t.unsupported(f"a copy with {name}")
    if "dual_dst_ctl" in annotations:
        axis = _SPLIT_AXIS[int(annotations["dual_dst_ctl"])]
        if bool(annotations.get("double", False)):
            target = _half(t, target, axis)
        else:
            source = _half(t, source, axis)
    copy_regions(t, source, target)


def _half(t: Translator, region: Region, axis: int) -> Region:
    """Return this vector core's half of a region."""
    at = axis % len(region.extents)
    size = t.analyzer.simplify(region.extents[at] // _VECTOR_CORES)
    starts, extents = list(region.starts), list(region.extents)
    core = named(t, Value("role.number", "int32"))
    t.bind_range(core, 0, _VECTOR_CORES)
    starts[at] = starts[at] + core * size
    extents[at] = size
    return replace(region, starts=tuple(starts), extents=tuple(extents))


@attribute("thread_extent")
def _threads(t: Translator, node: Any) -> None:
    """A region with threads of its own: the attributes of all its dimensions, one in the other."""
    loops, body = [], node
    while isinstance(body, tirx.AttrStmt) and body.attr_key == "thread_extent":
        loops.append((body.node.var, static_int(body.value)))
        body = body.body
    if t.lanes is not None:
        raise t.unsupported("threads inside of threads")
    used = {each for each in visit(body) if isinstance(each, tirx.Var)}
    variables = [variable for variable, _ in loops if variable in used]
    extents = [extent for _, extent in loops]
    if None in extents:
        raise t.unsupported("a number of threads that is not constant")
    if variables:
        _with_lanes(t, loops, body)
    else:
        t.statement(body)


def _with_lanes(t: Translator, loops: list[tuple[Any, Any]], body: Any) -> None:
    outer = t.lane_axes, t.lanes, t.threads
    x, y, z = [*(extent for _, extent in loops), 1, 1][:3]
    t.threads = (x, y, z)
    lane = np.arange(x * y * z, dtype=np.int32)
    t.set_lanes(Axis(tirx.Var("lane", "int32"), len(lane)), len(lane))
    indices = (lane % x, lane // x % y, lane // (x * y))
    for (variable, extent), index in zip(loops, indices, strict=False):
        t.bind_range(variable, 0, extent)
        name = t.emitter.constant(index, ("thread", t.threads, variable.name))
        t.values[variable] = Value(name, "int32", 1, per_thread=True)
    t.statement(body)
    t.set_lanes(outer[0][0] if outer[0] else None, outer[1])
    t.threads = outer[2]
