"""Finds warps of a block that compute something else than others do beside them: their roles."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from tvm import tirx

from workbench.engine.analysis.accesses import Walk
from workbench.engine.analysis.expressions import (
    Axis,
    Node,
    UnknownValueError,
    apply,
    const,
    evaluate,
    name,
)
from workbench.engine.analysis.launch import LaunchAxes
from workbench.engine.analysis.translation import class_of, dtype_bits

Threads = range
Mask = npt.NDArray[np.bool_]
Conditions = Sequence[Node]
_LOCAL = ("local", "local.fragment")


def within(thread: Axis, threads: Threads) -> Node:
    """The condition that a thread is one of some."""
    number = name(thread)
    from_first = apply("ge", number, const(threads.start))
    return apply("and", from_first, apply("lt", number, const(threads.stop)))


def threads_at(conditions: Conditions, axes: LaunchAxes) -> Mask:
    """The threads of a block for which those conditions hold that are about threads alone."""
    mask = np.ones(axes.launch.threads, np.bool_)
    for node in conditions:
        if node.axes == frozenset((axes.thread,)):
            try:
                values = evaluate(node, {axes.thread: np.arange(len(mask))}, {})
            except UnknownValueError:
                continue
            mask = mask & (np.asarray(values) != 0)
    return mask


def roles_of(
    axes: LaunchAxes, tensor: Iterable[Conditions], other: Iterable[Conditions]
) -> tuple[Threads, ...]:
    """The threads of each role that computes; nothing where not two do.

    `tensor` are the conditions around each product, `other` those around other operations. Warps
    that come to the same product have one role; those that come to none have another where they
    compute what none of the first does. Roles that are not threads one after the other are none.
    """
    launch = axes.launch
    if launch.threads % launch.warp:
        return ()
    products = {_warps(each, axes) for each in tensor}
    groups = _joined([each for each in products if each])
    multiply = frozenset().union(*groups)
    apart = [each for each in (_warps(c, axes) for c in other) if each and not each & multiply]
    groups += _joined(apart) if groups else []
    found = [_threads(sorted(group), launch.warp) for group in groups]
    roles = sorted((each for each in found if each is not None), key=lambda each: each.start)
    return tuple(roles) if len(roles) == len(groups) > 1 else ()


def _warps(conditions: Conditions, axes: LaunchAxes) -> frozenset[int]:
    """The warps that come to a place; none where it is one thread that comes for all."""
    mask = threads_at(conditions, axes)
    by_warp = mask.reshape(-1, axes.launch.warp).any(axis=1)
    return frozenset(np.flatnonzero(by_warp).tolist() if mask.sum() > 1 else ())


def _joined(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Sets that share something as one."""
    groups: list[frozenset[int]] = []
    for each in sets:
        touched = [group for group in groups if group & each]
        groups = [group for group in groups if not group & each]
        groups.append(each.union(*touched))
    return groups


def _threads(warps: Sequence[int], warp: int) -> Threads | None:
    if warps[-1] - warps[0] + 1 != len(warps):
        return None
    return range(warps[0] * warp, (warps[-1] + 1) * warp)


class _Uses(Walk):
    """A walk that keeps which threads use which variables."""

    def __init__(self, func: Any, document: str, warp: int) -> None:
        super().__init__(func, document, warp, {})
        self.uses: list[tuple[frozenset[Any], Mask]] = []

    def _visit(self, node: Any) -> None:
        if class_of(node) in ("Evaluate", "BufferStore"):
            mask = threads_at((*self._remaining, *self._conditions), self.axes)
            self.uses.append((_variables(node), mask))
        else:
            super()._visit(node)


def _variables(node: Any) -> frozenset[Any]:
    found: set[Any] = set()

    def visit(each: Any) -> None:
        if class_of(each) == "Var":
            found.add(each)
        elif class_of(each) in ("BufferLoad", "BufferStore"):
            found.add(each.buffer.data)

    tirx.stmt_functor.post_order_visit(node, visit)
    return frozenset(found)


def role_bits(
    func: Any, document: str, warp: int, roles: Sequence[Threads]
) -> list[tuple[int, int]]:
    """`local_bits` of what the threads of each role use."""
    walk = _Uses(func, document, warp)
    walk.statement(func.body)
    used = [
        frozenset().union(*(own for own, mask in walk.uses if mask[role.start : role.stop].any()))
        for role in roles
    ]
    return [local_bits(func.body, each) for each in used]


def local_bits(node: Any, used: Container[Any] | None = None) -> tuple[int, int]:
    """Bits of a thread's local arrays of 32 bits and of less: all of one scope, and the most of
    those within. With `used` those of its variables alone."""
    children = list(node.seq) if class_of(node) == "SeqStmt" else []
    for part in ("body", "then_case", "else_case"):
        child = getattr(node, part, None)
        children += [child] if child is not None else []
    inner = [local_bits(child, used) for child in children]
    own = [_allocated(child, used) for child in children]
    wide = sum(each[0] for each in own) + max((each[0] for each in inner), default=0)
    narrow = sum(each[1] for each in own) + max((each[1] for each in inner), default=0)
    return wide, narrow


def _allocated(node: Any, used: Container[Any] | None) -> tuple[int, int]:
    if class_of(node) != "AllocBuffer" or node.buffer.scope() not in _LOCAL:
        return 0, 0
    if used is not None and node.buffer.data not in used:
        return 0, 0
    bits = math.prod(int(extent) for extent in node.buffer.shape) * dtype_bits(node.buffer.dtype)
    return (bits, 0) if dtype_bits(node.buffer.dtype) >= 32 else (0, bits)
