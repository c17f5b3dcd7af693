"""The lane addresses of an access over all threads, blocks and loop turns, each kind once.

What is the same for all lanes of a warp (terms of blocks and loops) is evaluated without lanes,
each distinct value once with its number; only then are lanes put to it. Terms that do not share
an axis are evaluated apart and combined, so that a grid times a loop is not walked through.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.expressions import (
    Axis,
    Const,
    Name,
    Node,
    Op,
    UnknownValueError,
    apply,
    common_divisor,
    const,
    evaluate,
    name,
    terms,
    total,
)
from workbench.engine.analysis.launch import LaunchAxes

Ints = npt.NDArray[np.int64]
POINTS = 1 << 22  # values of the uniform part at once; more are sampled
ELEMENTS = 1 << 25  # lanes of all patterns; more are sampled
_LIFT = 1 << 16  # a multiple of every modulus that addresses are taken by


@dataclass(frozen=True)
class Patterns:
    """Byte addresses as patterns x lanes, -1 where inactive, and how often each occurs.

    `partner` are the addresses of the other side of a copy. `sampled` says that a part of a very
    large space stands for the whole.
    """

    addresses: Ints
    partner: Ints | None
    weights: npt.NDArray[Any]
    sampled: bool = False


@dataclass
class _Slot:
    """A value that is the same for all lanes: a sum of terms, perhaps modulo a number."""

    placeholder: Node
    parts: list[tuple[int, Node]]
    modulus: int | None


@dataclass(frozen=True)
class _Table:
    """Distinct rows of slot values with their weights."""

    rows: Ints
    weights: npt.NDArray[Any]
    sampled: bool = False


def lane_patterns(
    axes: LaunchAxes,
    address: Node,
    loops: Sequence[Axis],
    conditions: Sequence[Node],
    *,
    partner: Node | None = None,
    filled: Sequence[Node] = (),
    modulus: int | None = None,
) -> Patterns:
    """The patterns of an access that runs for every turn of `loops` where all `conditions` hold.

    The partner's address is -1 where one of `filled` does not hold, as a copy is then of zeros.
    With a `modulus` addresses may be moved, all lanes alike, by multiples of it. Raises
    UnknownValueError.
    """
    split = _Splitter()
    roots = [split.sum(node, modulus) for node in (address, partner) if node is not None]
    used = [address, *conditions, *filled, *([partner] if partner else [])]
    counted, bounds = _turns(loops, used)
    held = [split.alone(node) for node in (*conditions, *bounds)]
    read = [split.alone(node) for node in filled]
    uniform = [*axes.grid.values(), *(axis for axis in loops if axis not in counted)]
    table = _tabulate(uniform, split.slots, list(counted.values()))
    return _with_lanes(axes, roots, held, read, split.slots, table)


class _Splitter:
    """Rewrites expressions with placeholders for what is the same for all lanes of a warp."""

    def __init__(self) -> None:
        self.slots: list[_Slot] = []
        self._made: dict[Node, Node] = {}

    def sum(self, node: Node, modulus: int | None) -> Node:
        """The node, whose own value matters modulo `modulus` alone."""
        _refuse(node)
        parts = terms(node)
        varying = [(sign, part) for sign, part in parts if _varies(part)]
        same = [(sign, part) for sign, part in parts if not _varies(part)]
        rewritten = total([(sign, self._factor(part, modulus)) for sign, part in varying])
        constants = total([(s, p) for s, p in same if isinstance(p, Const)])
        moving = [(s, p) for s, p in same if not isinstance(p, Const)]
        if moving:
            rewritten = apply("add", rewritten, self._slot(moving, modulus))
        return apply("add", rewritten, constants)

    def alone(self, node: Node) -> Node:
        """The node, whose exact value matters."""
        _refuse(node)
        if isinstance(node, Const) or (isinstance(node, Name) and node.axis.thread):
            return node
        if not _varies(node):
            if node not in self._made:
                self._made[node] = self._slot([(1, node)], None)
            return self._made[node]
        if isinstance(node, Op) and node.symbol in ("add", "sub"):
            return self.sum(node, None)
        assert isinstance(node, Op)
        return apply(node.symbol, *(self.alone(part) for part in node.inputs))

    def _factor(self, node: Node, modulus: int | None) -> Node:
        if isinstance(node, Op) and node.symbol == "mul" and isinstance(node.inputs[1], Const):
            inner, factor = node.inputs
            assert isinstance(factor, Const)
            left = None if modulus is None else common_divisor(modulus, factor.value)
            return apply("mul", self.sum(inner, left), factor)
        return self.alone(node)

    def _slot(self, parts: list[tuple[int, Node]], modulus: int | None) -> Node:
        placeholder = name(Axis("uniform", const(0)))
        self.slots.append(_Slot(placeholder, parts, modulus))
        return placeholder


def _refuse(node: Node) -> None:
    if node.unknown is not None:
        raise UnknownValueError(node.unknown)


def _varies(node: Node) -> bool:
    return any(axis.thread for axis in node.axes)


def _turns(loops: Sequence[Axis], used: Sequence[Node]) -> tuple[dict[Axis, Node], list[Node]]:
    """Loops that nothing uses, with their number of turns, and what holds the others to theirs."""
    counted: dict[Axis, Node] = {}
    bounds: list[Node] = []
    needed = frozenset().union(*(node.axes for node in used))
    for axis in reversed(loops):  # an inner loop's extent may use an outer loop
        _refuse(axis.extent)
        if axis not in needed and not _varies(axis.extent):
            counted[axis] = axis.extent
        elif not isinstance(axis.extent, Const):
            bounds.append(apply("lt", name(axis), axis.extent))
        needed |= axis.extent.axes
    return counted, bounds


def _tabulate(axes: Sequence[Axis], slots: Sequence[_Slot], counts: Sequence[Node]) -> _Table:
    """The distinct values of all slots over the axes, with how often they occur."""
    parts = [(index, s, part) for index, slot in enumerate(slots) for s, part in slot.parts]
    factor = math.prod(node.value for node in counts if isinstance(node, Const))
    varying = [node for node in counts if not isinstance(node, Const)]
    table = _Table(np.zeros((1, len(slots)), np.int64), np.array([factor], np.int64))
    moduli = [slot.modulus for slot in slots]
    for group in _groups(axes, [*(part for _, _, part in parts), *varying]):
        own = [entry for entry in parts if entry[2].axes & group]
        own_counts = [node for node in varying if node.axes & group]
        table = _combine(table, _component(sorted_axes(group), own, own_counts, moduli), moduli)
    return table


def sorted_axes(axes: Iterable[Axis]) -> list[Axis]:
    """Axes in the order in which they were made, an outer one first."""
    return sorted(axes, key=lambda axis: axis.number)


def _groups(axes: Sequence[Axis], nodes: Sequence[Node]) -> list[set[Axis]]:
    """The axes in groups that no expression connects."""
    groups: list[set[Axis]] = [{axis} for axis in axes]
    for node in nodes:
        touched = [group for group in groups if group & node.axes]
        if len(touched) > 1:
            groups = [group for group in groups if not group & node.axes]
            groups.append(set().union(*touched))
    return groups


def _component(
    axes: list[Axis],
    parts: Sequence[tuple[int, int, Node]],
    counts: Sequence[Node],
    moduli: Sequence[int | None],
) -> _Table:
    """The slots' values over connected axes alone."""
    sizes = [extent_bound(axis) for axis in axes]
    if not parts and not counts:
        weight = np.array([math.prod(sizes)], np.int64)
        return _Table(np.zeros((1, len(moduli)), np.int64), weight)
    values, factor = _points(axes, sizes)
    points = math.prod(len(v.ravel()) for v in values.values())
    weights = np.full(points, factor, np.int64 if factor == int(factor) else np.float64)
    shape = np.broadcast_shapes(*(v.shape for v in values.values()))
    for node in counts:
        turns = np.broadcast_to(evaluate(node, values, {}), shape)
        weights = weights * np.maximum(turns, 0).ravel()
    rows = np.zeros((points, len(moduli)), np.int64)
    for slot, sign, part in parts:
        rows[:, slot] += sign * np.broadcast_to(evaluate(part, values, {}), shape).ravel()
    return _distinct(rows, weights, moduli, factor != 1)


def _points(axes: Sequence[Axis], sizes: Sequence[int]) -> tuple[dict[Axis, Ints], float]:
    """Each axis' values on a dimension of its own, thinned evenly where they are too many."""
    taken, factor = list(sizes), 1.0
    while math.prod(taken) > POINTS:
        widest = max(range(len(taken)), key=taken.__getitem__)
        taken[widest] = max(1, taken[widest] // 2)
    values = {}
    for place, (axis, size, count) in enumerate(zip(axes, sizes, taken, strict=True)):
        chosen = np.arange(size) if count == size else np.linspace(0, size - 1, count).astype(int)
        factor *= size / count if count else 1.0  # a loop without a turn leaves no point
        values[axis] = chosen.reshape([-1 if p == place else 1 for p in range(len(axes))])
    return values, factor


def extent_bound(axis: Axis) -> int:
    """The most turns of an axis, over all that its extent depends on. Raises UnknownValueError."""
    if isinstance(axis.extent, Const):
        return max(0, axis.extent.value)
    outer = sorted_axes(axis.extent.axes)
    values, _ = _points(outer, [extent_bound(each) for each in outer])
    if any(v.size == 0 for v in values.values()):
        return 0
    return max(0, int(np.max(evaluate(axis.extent, values, {}))))


def _combine(left: _Table, right: _Table, moduli: Sequence[int | None]) -> _Table:
    count = len(left.rows) * len(right.rows)
    rows = (left.rows[:, None, :] + right.rows[None, :, :]).reshape(count, len(moduli))
    weights = np.multiply.outer(left.weights, right.weights).ravel()
    return _distinct(rows, weights, moduli, left.sampled or right.sampled)


def _distinct(
    rows: Ints, weights: npt.NDArray[Any], moduli: Sequence[int | None], sampled: bool
) -> _Table:
    for slot, modulus in enumerate(moduli):
        if modulus is not None:
            rows[:, slot] %= modulus
    if not moduli:
        return _Table(np.zeros((1, 0), np.int64), weights.sum(keepdims=True), sampled)
    found, which = np.unique(rows, axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), weights=weights, minlength=len(found))
    return _Table(found, sums.astype(weights.dtype), sampled)


def _with_lanes(
    axes: LaunchAxes,
    roots: Sequence[Node],
    conditions: Sequence[Node],
    filled: Sequence[Node],
    slots: Sequence[_Slot],
    table: _Table,
) -> Patterns:
    table = _thinned(table, axes.launch.warps * axes.launch.warp)
    lanes = axes.lanes()
    count = len(table.rows)
    known = {slot.placeholder: table.rows[:, i, None] for i, slot in enumerate(slots)}
    shape = (count, axes.launch.warps * axes.launch.warp)
    values = {axes.thread: np.asarray(lanes)[None, :]}
    inside = np.broadcast_to(np.asarray(lanes)[None, :] < axes.launch.threads, shape)
    active = _where_all(conditions, inside, values, known)
    masks = [active, _where_all(filled, active, values, known)]
    patterns = []
    for root, mask in zip(roots, masks, strict=False):  # a partner is not always there
        address = np.broadcast_to(np.asarray(evaluate(root, values, known), np.int64), shape)
        patterns.append(_lifted(address, mask).reshape(-1, axes.launch.warp))
    weights = np.repeat(table.weights, axes.launch.warps)
    some = active.reshape(-1, axes.launch.warp).any(axis=1)
    partner = patterns[1][some] if len(patterns) > 1 else None
    return Patterns(patterns[0][some], partner, weights[some], table.sampled)


def _where_all(
    conditions: Sequence[Node], mask: npt.NDArray[np.bool_], values: Any, known: Any
) -> npt.NDArray[np.bool_]:
    for node in conditions:
        mask = mask & (np.asarray(evaluate(node, values, known)) != 0)
    return mask


def _lifted(addresses: Ints, active: npt.NDArray[np.bool_]) -> Ints:
    """The addresses of active lanes, -1 elsewhere; a row that began below 0 is moved up."""
    lowest = np.where(active, addresses, 0).min(axis=1, initial=0)
    return np.where(active, addresses - (lowest // _LIFT * _LIFT)[:, None], -1)


def _thinned(table: _Table, lanes: int) -> _Table:
    most = max(1, ELEMENTS // lanes)
    if len(table.rows) <= most:
        return table
    chosen = np.linspace(0, len(table.rows) - 1, most).astype(int)
    weights = table.weights[chosen]
    scaled = weights * (table.weights.sum() / weights.sum())
    return _Table(table.rows[chosen], scaled, True)
