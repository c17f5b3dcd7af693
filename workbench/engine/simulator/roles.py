"""Which threads of a block go their own way: the roles of warp-specialised kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.engine.simulator.lanes import LaneValues
from workbench.engine.simulator.tir import call_name, tirx, visit

Array = np.ndarray[Any, Any]
Members = frozenset[int]
WAITS = ("tl.mbarrier_wait_parity", "tl.named_barrier_arrive")
_PRIVATE = ("local", "local.var")
_TOGETHER = ("tirx.tvm_storage_sync",)


@dataclass(frozen=True)
class Roles:
    """The threads of each role, and what of a block's fragments belongs to which of them.

    `groups` tells for a fragment's data variable the sets of roles that have a copy each.
    """

    lanes: tuple[Array, ...]
    values: LaneValues
    groups: dict[Any, tuple[Members, ...]]

    @property
    def everyone(self) -> Members:
        """All roles."""
        return frozenset(range(len(self.lanes)))

    def split(self, condition: Any, members: Members) -> tuple[Members, Members]:
        """Return which of the roles may take a condition's branch, and which its else branch."""
        told = self.values.of(condition)
        first = {role: told[self.lanes[role]] for role in members}
        return (
            frozenset(role for role in members if (first[role] != 0).any()),
            frozenset(role for role in members if (first[role] != 1).any()),
        )

    def is_collective(self, node: Any) -> bool:
        """Whether a statement is done by all threads that reach it together."""
        return is_collective(node, self.values)

    def is_private(self, buffer: Any) -> bool:
        """Whether each role has a buffer for itself (in it each of its threads)."""
        return buffer.scope() in _PRIVATE


def blocks_wait(nodes: list[Any]) -> bool:
    """Whether a kernel's threads wait for each other at barriers of memory or by name."""
    return any(
        isinstance(node, tirx.Call) and (call_name(node) in WAITS or is_named_barrier(node))
        for node in nodes
    )


def grids_wait(nodes: list[Any]) -> bool:
    """Whether the blocks of a launch wait for each other."""
    return any(
        is_poll(node) or (isinstance(node, tirx.Call) and call_name(node) == "tl.sync_grid")
        for node in nodes
    )


def is_poll(node: Any) -> bool:
    """Whether a loop looks at global memory until another thread has written it."""
    if not isinstance(node, tirx.While):
        return False
    return any(_reads_global(each) for each in visit(node.condition)) or any(
        isinstance(each, tirx.Call) and call_name(each) == "tl.atomic_load_elem_op"
        for each in visit(node.body)
    )


def _reads_global(node: Any) -> bool:
    if isinstance(node, tirx.Call):
        return call_name(node) == "tl.atomic_load_elem_op"
    return isinstance(node, tirx.BufferLoad) and node.buffer.scope() == "global"


def is_named_barrier(node: Any) -> bool:
    """Whether a call is a barrier among some of the threads: T.sync_threads with a number."""
    if call_name(node) == "tl.sync_threads_partial":
        return True
    return call_name(node) == "tirx.tvm_storage_sync" and len(node.args) > 2


def is_collective(node: Any, values: LaneValues) -> bool:
    """Whether a statement is done by all threads that reach it together."""
    if isinstance(node, tirx.For):
        return bool(tirx.ForKind(node.kind) == tirx.ForKind.PARALLEL)
    if not isinstance(node, tirx.Evaluate) or not isinstance(node.value, tirx.Call):
        return False
    name = call_name(node.value)
    if name.startswith("tl.tileop."):
        return not any(_is_per_thread(each, values) for each in visit(node.value))
    return name in _TOGETHER and not is_named_barrier(node.value)


def _is_per_thread(node: Any, values: LaneValues) -> bool:
    """Whether an access means another element for each thread."""
    if not isinstance(node, tirx.BufferLoad):
        return False
    return node.buffer.scope() in _PRIVATE or any(
        len(np.unique(values.of(index))) > 1 for index in node.indices
    )


def find_roles(body: Any, nodes: list[Any], threads: tuple[int, int, int]) -> Roles:
    """Return the coarsest division of the threads by the conditions that they diverge on.

    Only conditions count under which threads wait, or do something together.
    """
    bindings = {node.var: node.value for node in nodes if isinstance(node, tirx.Bind)}
    values = LaneValues(threads, bindings)
    for node in nodes:
        if isinstance(node, tirx.For) and node.thread_binding is not None:
            tag = str(node.thread_binding.thread_tag)
            if tag.startswith("threadIdx"):
                values.define(node.loop_var, values.index("xyz".index(tag[-1])))
    told = [values.of(node.condition) for node in nodes if _divides(node, values)]
    keys = np.stack([np.zeros(values.count), *(np.nan_to_num(each, nan=2) for each in told)])
    _, first, role = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    lanes = tuple(np.flatnonzero(role.reshape(-1) == each).astype(np.int32) for each in order)
    roles = Roles(lanes, values, {})
    _find_fragments(roles, body)
    return roles


def _divides(node: Any, values: LaneValues) -> bool:
    if not isinstance(node, tirx.IfThenElse):
        return False
    inner = visit(node)
    return (
        blocks_wait(inner)
        or grids_wait(inner)
        or any(is_collective(each, values) for each in inner)
    )


def _find_fragments(roles: Roles, body: Any) -> None:
    uses: dict[Any, list[Members]] = {}
    _walk(roles, body, roles.everyone, uses)
    for data, found in uses.items():
        roles.groups[data] = _merged(found)


def _walk(roles: Roles, node: Any, members: Members, uses: dict[Any, list[Members]]) -> None:
    """Collect who uses each fragment; only statements that branch need to be looked into."""
    if isinstance(node, tirx.IfThenElse):
        yes, no = roles.split(node.condition, members)
        _walk(roles, node.then_case, yes, uses)
        if node.else_case is not None:
            _walk(roles, node.else_case, no, uses)
    elif isinstance(node, tirx.SeqStmt):
        for each in node.seq:
            _walk(roles, each, members, uses)
    elif isinstance(node, tirx.SBlockRealize):
        _walk(roles, node.block.body, members, uses)
    elif hasattr(node, "body"):
        _walk(roles, node.body, members, uses)
    else:
        for each in visit(node):
            if isinstance(each, (tirx.BufferLoad, tirx.BufferStore)) and (
                each.buffer.scope() == "local.fragment"
            ):
                uses.setdefault(each.buffer.data, []).append(members)


def _merged(found: list[Members]) -> tuple[Members, ...]:
    """Return the unions of the sets that overlap, directly or through others."""
    groups: list[Members] = []
    for members in found:
        touching = [group for group in groups if group & members]
        groups = [group for group in groups if not group & members]
        groups.append(members.union(*touching))
    return tuple(groups)
