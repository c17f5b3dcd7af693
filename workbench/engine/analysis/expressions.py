"""Index expressions as a small tree that numpy evaluates over axes of threads, loops and blocks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Values = int | npt.NDArray[Any]
_NOTHING: frozenset[Axis] = frozenset()
_numbers = itertools.count()


class UnknownValueError(Exception):
    """A value that the code alone does not tell; the message says why."""


@dataclass(frozen=True, eq=False)
class Node:
    """An expression; `axes` are those that it depends on, `unknown` why it has no value."""

    axes: frozenset[Axis] = field(default=_NOTHING, kw_only=True)
    unknown: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Const(Node):
    """A number; truth values are 0 and 1."""

    value: int


@dataclass(frozen=True, eq=False)
class Axis:
    """Something that counts from 0 to below `extent`: a thread, a block, the turns of a loop.

    `thread` axes differ between the lanes of a warp. An extent that is no constant is a bound
    that the turns are held to by a condition.
    """

    name: str
    extent: Node
    thread: bool = False
    number: int = field(default_factory=lambda: next(_numbers))


@dataclass(frozen=True, eq=False)
class Name(Node):
    """The value of an axis."""

    axis: Axis


@dataclass(frozen=True, eq=False)
class Op(Node):
    """A function of other expressions; `symbol` tells those that sums are split by."""

    symbol: str
    function: Callable[..., Any]
    inputs: tuple[Node, ...]


def const(value: int) -> Const:
    """A number."""
    return Const(int(value))


def name(axis: Axis) -> Name:
    """The value of an axis."""
    return Name(axis, axes=frozenset((axis,)))


def unknown(reason: str) -> Node:
    """A value that is not known, and why."""
    return Node(unknown=reason)


def apply(symbol: str, *inputs: Node) -> Node:
    """The operation `symbol` of FUNCTIONS; constants are folded, the unknown stays unknown."""
    function = FUNCTIONS[symbol]
    reason = next((node.unknown for node in inputs if node.unknown is not None), None)
    if reason is not None:
        return unknown(reason)
    if all(isinstance(node, Const) for node in inputs):
        return const(function(*(node.value for node in inputs if isinstance(node, Const))))
    folded = _neutral(symbol, inputs)
    if folded is not None:
        return folded
    axes = frozenset().union(*(node.axes for node in inputs))
    return Op(symbol, function, tuple(inputs), axes=axes)


def evaluate(node: Node, axes: Mapping[Axis, Values], known: Mapping[Node, Values]) -> Values:
    """The value where each axis has the given values, which broadcast; `known` nodes have theirs.

    Raises UnknownValueError.
    """
    memo: dict[Node, Values] = dict(known)

    def value(part: Node) -> Values:
        found = memo.get(part)
        if found is None:
            found = memo[part] = _value(part, axes, value)
        return found

    return value(node)


def _value(node: Node, axes: Mapping[Axis, Values], value: Callable[[Node], Values]) -> Values:
    if isinstance(node, Op):
        result: Values = node.function(*(value(part) for part in node.inputs))
        return result
    if isinstance(node, Const):
        return node.value
    if isinstance(node, Name) and node.axis in axes:
        return axes[node.axis]
    raise UnknownValueError(node.unknown or "a variable without a value")


def terms(node: Node) -> list[tuple[int, Node]]:
    """The summands of a sum with their signs."""
    if isinstance(node, Op) and node.symbol in ("add", "sub"):
        left, right = node.inputs
        sign = 1 if node.symbol == "add" else -1
        return [*terms(left), *((sign * s, part) for s, part in terms(right))]
    return [(1, node)]


def total(parts: Sequence[tuple[int, Node]]) -> Node:
    """The sum of signed summands."""
    result: Node = const(0)
    for sign, part in parts:
        result = apply("add" if sign > 0 else "sub", result, part)
    return result


def truncated_quotient(a: Any, b: Any) -> Any:
    """Division as C does it, towards zero."""
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return -quotient if (a < 0) != (b < 0) else quotient
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.asarray(a) < 0) != (np.asarray(b) < 0), -quotient, quotient)


def _chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    if isinstance(condition, (int, bool)):
        return then if condition else otherwise
    return np.where(condition, then, otherwise)


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(a, b) + 0  # truth as a number, so that it adds and masks


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "div": truncated_quotient,
    "mod": lambda a, b: a - truncated_quotient(a, b) * b,
    "min": lambda a, b: np.minimum(a, b),
    "max": lambda a, b: np.maximum(a, b),
    "eq": _compared(lambda a, b: a == b),
    "ne": _compared(lambda a, b: a != b),
    "lt": _compared(lambda a, b: a < b),
    "le": _compared(lambda a, b: a <= b),
    "gt": _compared(lambda a, b: a > b),
    "ge": _compared(lambda a, b: a >= b),
    "and": _compared(lambda a, b: (a != 0) & (b != 0)),
    "or": _compared(lambda a, b: (a != 0) | (b != 0)),
    "not": lambda a: (a == 0) + 0,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "bitnot": lambda a: ~a,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "select": _chosen,
}


def _neutral(symbol: str, inputs: tuple[Node, ...]) -> Node | None:
    """The other input where one changes nothing, which keeps trees small."""
    if symbol == "select" and isinstance(inputs[0], Const):
        return inputs[1] if inputs[0].value else inputs[2]
    if len(inputs) != 2:
        return None
    left, right = (node.value if isinstance(node, Const) else None for node in inputs)
    if (symbol in ("add", "sub") and right == 0) or (symbol in ("mul", "floordiv") and right == 1):
        return inputs[0]
    if (symbol == "add" and left == 0) or (symbol == "mul" and left == 1):
        return inputs[1]
    if symbol == "mul" and 0 in (left, right):
        return const(0)
    return const(0) if symbol == "and" and 0 in (left, right) else None


def common_divisor(modulus: int, factor: int) -> int:
    """What is left of `modulus` for a value that is multiplied by `factor`."""
    return modulus // math.gcd(modulus, factor)
