"""Which threads of a block go their own way: the roles of warp-specialised kernels."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.engine.simulator.lanes import LaneValues
from workbench.engine.simulator.tile_arguments import first_element
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit

Array = np.ndarray[Any, Any]
Members = frozenset[int]
WAITS = ("tl.mbarrier_wait_parity", "tl.named_barrier_arrive")
ARRIVALS = (
    "tirx.ptx_arrive_barrier",
    "tirx.ptx_arrive_barrier_expect_tx",
    "tirx.ptx_cp_async_barrier",
    "tl.ptx_cp_async_barrier_noinc",
)
_PRIVATE = ("local", "local.var")
_TOGETHER = ("tirx.tvm_storage_sync",)
_FILL = "tl.tileop.fill"


class Way(enum.Enum):
    """How a role does a statement that several can do together, or each its part of."""

    TOGETHER = enum.auto()  # it does all of it
    APART = enum.auto()  # it does its part
    DONE = enum.auto()  # another has done it for all


@dataclass(frozen=True)
class Apart:
    """How roles do a statement on tiles without each other, where they take turns.

    `statement` is the part of the role whose number among the `owners` is the value of `place`;
    where that is None each role does the whole, for itself. With `may_meet` they do it together
    where all can come, and apart only where nobody could go on else. Of T.Parallel a part has
    `size` iterations of `loop`.
    """

    owners: tuple[int, ...] = ()
    statement: Any = None
    place: Any = None
    may_meet: bool = False
    loop: str = ""
    size: int = 0


@dataclass(frozen=True)
class Roles:
    """The threads of each role, and what of a block's fragments belongs to which of them.

    `groups` tells for a fragment's data variable the sets of roles that have a copy each, `apart`
    for a statement how its roles do it where they take turns.
    """

    lanes: tuple[Array, ...]
    values: LaneValues
    groups: dict[Any, tuple[Members, ...]]
    apart: dict[Any, Apart] = field(default_factory=dict)

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
        return not _is_per_thread(node.value, values)
    return name in _TOGETHER and not is_named_barrier(node.value)


def _is_per_thread(call: Any, values: LaneValues) -> bool:
    """Whether a tile operation names another region for each thread.

    An index that threads hold in variables is the same in all of them, as for a stage of a ring.
    """
    args = list(call.args)[:1] if call_name(call) == _FILL else list(call.args)
    firsts = [each for each in map(first_element, args) if each is not None]
    if any(first.buffer.scope() in _PRIVATE for first in firsts):
        return True
    starts = [start for first in firsts for start in first.indices if static_int(start) is None]
    return any(_differs(values.of(start)) for start in starts)


def _differs(told: Array) -> bool:
    known = told[~np.isnan(told)]
    return bool(len(known)) and (len(known) < len(told) or bool((known != known[0]).any()))


def find_roles(body: Any, nodes: list[Any], threads: tuple[int, int, int]) -> Roles:
    """Return the coarsest division of the threads by the conditions that they diverge on.

    Only conditions count under which threads wait, or do something together, and the barriers that
    threads choose by their index.
    """
    bindings = {node.var: node.value for node in nodes if isinstance(node, tirx.Bind)}
    values = LaneValues(threads, bindings)
    for node in nodes:
        if isinstance(node, tirx.For) and node.thread_binding is not None:
            tag = str(node.thread_binding.thread_tag)
            if tag.startswith("threadIdx"):
                values.define(node.loop_var, values.index("xyz".index(tag[-1])))
    told = [values.of(node.condition) for node in nodes if _divides(node, values)]
    told += _chosen_barriers(body, values, np.ones(values.count, bool))
    keys = np.stack([np.zeros(values.count), *(np.nan_to_num(each, nan=2) for each in told)])
    _, first, role = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    lanes = tuple(np.flatnonzero(role.reshape(-1) == each).astype(np.int32) for each in order)
    roles = Roles(lanes, values, {})
    _find_fragments(roles, body)
    return roles


def _chosen_barriers(node: Any, values: LaneValues, reached: Array) -> list[Array]:
    """Return, for each statement at a barrier, which one each thread means (-1: it never comes)."""
    if isinstance(node, tirx.IfThenElse):
        told = values.of(node.condition)
        chosen = _chosen_barriers(node.then_case, values, reached & (told != 0))
        if node.else_case is not None:
            chosen += _chosen_barriers(node.else_case, values, reached & (told != 1))
        return chosen
    if isinstance(node, tirx.Evaluate):
        index = barrier_index(node.value)
        number = None if index is None else values.of(index)
        if number is None or len(np.unique(number[reached])) < 2 or np.isnan(number).any():
            return []
        return [np.where(reached, number, -1.0)]
    return [told for each in _children(node) for told in _chosen_barriers(each, values, reached)]


def barrier_index(call: Any) -> Any:
    """Return which of several barriers a call waits for or arrives at, None for other calls."""
    if not isinstance(call, tirx.Call):
        return None
    if is_named_barrier(call) or call_name(call) == "tl.named_barrier_arrive":
        numbers = [each for each in call.args if not isinstance(each, tirx.StringImm)]
        return numbers[0] if numbers else None
    if call_name(call) not in (*WAITS, *ARRIVALS):
        return None
    barrier = call.args[0]
    if isinstance(barrier, tirx.Call) and len(barrier.args):
        if call_name(barrier) == "tirx.tvm_access_ptr":
            return barrier.args[2]
        barrier = barrier.args[0]
    return barrier.indices[0] if isinstance(barrier, tirx.BufferLoad) else None


def _children(node: Any) -> list[Any]:
    """Return the statements right below one that does not branch."""
    if isinstance(node, tirx.SeqStmt):
        return list(node.seq)
    if isinstance(node, tirx.SBlockRealize):
        return [node.block.body]
    return [node.body] if hasattr(node, "body") else []


def _divides(node: Any, values: LaneValues) -> bool:
    if not isinstance(node, tirx.IfThenElse):
        return False
    inner = visit(node)
    return (
        blocks_wait(inner)
        or grids_wait(inner)
        or any(is_collective(each, values) for each in inner)
    )


def reached(roles: Roles, node: Any, members: Members) -> Iterator[tuple[Any, Members]]:
    """Yield the statements that do something, in order, and the roles that may reach each.

    A statement done together comes as a whole. Conditions come too: they may load what is tested.
    """
    if isinstance(node, tirx.IfThenElse):
        yield node.condition, members
        yes, no = roles.split(node.condition, members)
        yield from reached(roles, node.then_case, yes)
        if node.else_case is not None:
            yield from reached(roles, node.else_case, no)
        return
    below = [] if roles.is_collective(node) else _children(node)
    if not below:
        yield node, members
    for each in below:
        yield from reached(roles, each, members)


def fragments_in(node: Any) -> list[Any]:
    """Return the accesses of fragments below a statement."""
    return [
        each
        for each in visit(node)
        if isinstance(each, (tirx.BufferLoad, tirx.BufferStore))
        and each.buffer.scope() == "local.fragment"
    ]


def _find_fragments(roles: Roles, body: Any) -> None:
    uses: dict[Any, list[Members]] = {}
    for node, members in reached(roles, body, roles.everyone):
        for each in fragments_in(node):
            uses.setdefault(each.buffer.data, []).append(members)
    for data, found in uses.items():
        roles.groups[data] = _merged(found)


def _merged(found: list[Members]) -> tuple[Members, ...]:
    """Return the unions of the sets that overlap, directly or through others."""
    groups: list[Members] = []
    for members in found:
        touching = [group for group in groups if group & members]
        groups = [group for group in groups if not group & members]
        groups.append(members.union(*touching))
    return tuple(groups)
