"""What is known of an expression for each thread of a block before the kernel runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from workbench.engine.simulator.tir import call_name, static_int, tirx

Array = np.ndarray[Any, Any]
WARP_SIZE = 32
_WARP_GROUP = 4 * WARP_SIZE

_BINARY: dict[type, Callable[[Array, Array], Array]] = {
    tirx.Add: operator.add,
    tirx.Sub: operator.sub,
    tirx.Mul: operator.mul,
    tirx.FloorDiv: np.floor_divide,
    tirx.Div: lambda a, b: np.trunc(a / b),
    tirx.FloorMod: np.mod,
    tirx.Mod: np.fmod,
    tirx.Max: np.maximum,
    tirx.Min: np.minimum,
}
_COMPARISONS: dict[type, np.ufunc] = {
    tirx.EQ: np.equal,
    tirx.NE: np.not_equal,
    tirx.LT: np.less,
    tirx.LE: np.less_equal,
    tirx.GT: np.greater,
    tirx.GE: np.greater_equal,
}
_PARTS: dict[str, Callable[[Array, int], Array]] = {
    "tl.get_lane_idx": lambda lane, size: lane % (size or WARP_SIZE),
    "tl.get_warp_idx": lambda lane, size: lane // (size or WARP_SIZE),
    "tl.get_warp_idx_sync": lambda lane, size: lane // (size or WARP_SIZE),
    "tl.get_warp_group_idx": lambda lane, size: lane // (size or _WARP_GROUP),
    "tl.tl_shuffle_elect": lambda lane, size: elected(lane, size),
}
LANE_CALLS = frozenset(_PARTS)


def elected(lane: Array, extent: int) -> Array:
    """Return which threads are the one chosen of each `extent` (0: of the whole block).

    tilelang's shuffle_elect takes the first thread.
    """
    return np.asarray(lane == 0 if extent == 0 else lane % extent == 0)


def lane_part(name: str, lane: Array, sizes: list[Any]) -> Array:
    """Return the value of one of LANE_CALLS for each thread."""
    size = static_int(sizes[0]) if sizes else None
    return np.asarray(_PARTS[name](lane, size or 0))


class LaneValues:
    """Evaluates expressions over the threads of a block; NaN where only a run could tell."""

    def __init__(self, threads: tuple[int, int, int], bindings: Mapping[Any, Any]) -> None:
        self._lane = np.arange(int(np.prod(threads)))
        self._threads = threads
        self._bindings = bindings  # variables and the expressions that they stand for
        self._known: dict[Any, Array] = {}

    @property
    def count(self) -> int:
        """How many threads a block has."""
        return len(self._lane)

    def index(self, dimension: int) -> Array:
        """Return the thread index of each thread in one dimension (0 is x)."""
        x, y, _ = self._threads
        lane = self._lane
        return np.asarray((lane % x, lane // x % y, lane // (x * y))[dimension])

    def define(self, variable: Any, values: Array) -> None:
        """Make the values of a variable known."""
        self._known[variable] = values.astype(float)

    def of(self, node: Any) -> Array:
        """Return a value for each thread as float64 (conditions: 0 or 1), NaN where unknown."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(self._evaluate(node), self._lane.shape)

    def _evaluate(self, node: Any) -> Array:
        for table, handler in ((_BINARY, self._binary), (_COMPARISONS, self._comparison)):
            if type(node) in table:
                return handler(node)
        handlers: dict[type, Callable[[Any], Array]] = {
            tirx.And: self._and,
            tirx.Or: self._or,
            tirx.Not: lambda each: 1 - self._evaluate(each.a),
            tirx.Cast: lambda each: self._evaluate(each.value),
            tirx.IntImm: lambda each: np.asarray(float(each.value)),
            tirx.Var: self._variable,
            tirx.Call: self._call,
        }
        return handlers.get(type(node), _unknown)(node)

    def _binary(self, node: Any) -> Array:
        return _BINARY[type(node)](self._evaluate(node.a), self._evaluate(node.b))

    def _comparison(self, node: Any) -> Array:
        left, right = self._evaluate(node.a), self._evaluate(node.b)
        told = _COMPARISONS[type(node)](left, right)
        return np.where(np.isnan(left) | np.isnan(right), np.nan, told)

    def _and(self, node: Any) -> Array:
        left, right = self._evaluate(node.a), self._evaluate(node.b)
        return np.where((left == 0) | (right == 0), 0.0, left * right)

    def _or(self, node: Any) -> Array:
        left, right = self._evaluate(node.a), self._evaluate(node.b)
        return np.where((left == 1) | (right == 1), 1.0, np.maximum(left, right))

    def _variable(self, node: Any) -> Array:
        if node not in self._known:
            value = self._bindings.get(node)
            self._known[node] = _unknown(node) if value is None else self._evaluate(value)
        return self._known[node]

    def _call(self, node: Any) -> Array:
        name = call_name(node)
        if name == "tl.launch_thread_idx":
            return self.index(int(node.args[0])).astype(float)
        if name not in LANE_CALLS:
            return _unknown(node)
        return lane_part(name, self._lane, list(node.args)).astype(float)


def _unknown(node: Any) -> Array:
    return np.asarray(np.nan)
