"""Translates index expressions of the lowered IR into trees that numpy evaluates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm

from workbench.engine.analysis.expressions import Node, apply, const, name, unknown
from workbench.engine.analysis.launch import LaunchAxes

_ARITHMETIC = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "FloorDiv": "floordiv",
    "FloorMod": "floormod",
    "Div": "div",
    "Mod": "mod",
    "Min": "min",
    "Max": "max",
    "EQ": "eq",
    "NE": "ne",
    "LT": "lt",
    "LE": "le",
    "GT": "gt",
    "GE": "ge",
    "And": "and",
    "Or": "or",
}
_BITWISE = {
    "bitwise_and": "bitand",
    "bitwise_or": "bitor",
    "bitwise_xor": "bitxor",
    "bitwise_not": "bitnot",
    "shift_left": "shl",
    "shift_right": "shr",
}
_FOUR_WARPS = 128


def operator(call: Any) -> str:
    """A call's operator without its namespace: `ptx_ldmatrix`."""
    return str(getattr(call.op, "name", call.op)).rpartition(".")[2]


def class_of(node: Any) -> str:
    """The class of a node of the IR, by name."""
    return type(node).__name__


def dtype_bits(dtype: Any) -> int:
    """Bits of a value of a type, all its lanes together."""
    parsed = tvm.DataType(str(dtype))
    return int(parsed.bits) * int(parsed.lanes)


class Translator:
    """Expressions of one function; variables have the nodes that `bind` and `bind_node` gave."""

    def __init__(self, axes: LaunchAxes) -> None:
        self._axes = axes
        self._nodes: dict[Any, Node] = {}
        self._lets: dict[Any, Any] = {}

    def bind(self, variable: Any, value: Any) -> None:
        """Let a variable stand for an expression, translated when it is first used."""
        self._nodes.pop(variable, None)
        self._lets[variable] = value

    def bind_node(self, variable: Any, node: Node) -> None:
        """Let a variable stand for a node."""
        self._nodes[variable] = node

    def bound(self, variable: Any) -> Any | None:
        """The expression that a variable stands for."""
        return self._lets.get(variable)

    def thread_index(self, dimension: str) -> Node:
        """threadIdx along x, y or z."""
        divisor, modulus = self._axes.thread_index(dimension)
        number: Node = name(self._axes.thread)
        if divisor > 1:
            number = apply("floordiv", number, const(divisor))
        if divisor * modulus < self._axes.launch.threads:
            number = apply("floormod", number, const(modulus))
        return const(0) if modulus == 1 else number

    def __call__(self, expression: Any) -> Node:
        """The node of a scalar expression; what cannot be told is unknown, with the reason."""
        if isinstance(expression, (int, bool)):
            return const(int(expression))
        kind = class_of(expression)
        if kind in _ARITHMETIC:
            return apply(_ARITHMETIC[kind], self(expression.a), self(expression.b))
        handler = _KINDS.get(kind)
        return handler(self, expression) if handler else unknown(f"{kind} is not understood")

    def lanes(self, expression: Any, count: int) -> list[Node]:
        """The nodes of a vector expression's lanes."""
        return [self(_lane(expression, lane)) for lane in range(count)]

    def _variable(self, variable: Any) -> Node:
        if variable not in self._nodes and variable in self._lets:
            self._nodes[variable] = self(self._lets[variable])
        known = self._nodes.get(variable)
        return known if known is not None else unknown(f"{variable.name} is known at launch only")

    def _call(self, call: Any) -> Node:
        operation = operator(call)
        if operation in _BITWISE:
            return apply(_BITWISE[operation], *(self(each) for each in call.args))
        handler = _CALLS.get(operation)
        return handler(self, call.args) if handler else unknown(f"{operation} is not understood")

    def _warp_of(self, threads: int) -> Node:
        return apply("floordiv", name(self._axes.thread), const(threads))

    def elected(self, threads: int) -> Node:
        """Whether a thread is the one that is elected of every so many; of 0: of the block.

        Source: TileLang 0.1.15, tl_shuffle_elect in tl_templates/cuda/intrin.h: one lane of the
        first warp of each group; the hardware takes the lowest active one.
        """
        if threads == 0:
            return apply("eq", name(self._axes.thread), const(0))
        rest = apply("floormod", name(self._axes.thread), const(threads))
        return apply("eq", rest, const(0))


def _lane(expression: Any, lane: int) -> Any:
    """A lane of a vector expression, as a scalar expression."""
    kind = class_of(expression)
    if kind == "Ramp":
        return expression.base + expression.stride * lane
    if kind == "Broadcast":
        return expression.value
    if kind in _ARITHMETIC and tvm.DataType(str(expression.dtype)).lanes > 1:
        return type(expression)(_lane(expression.a, lane), _lane(expression.b, lane))
    return expression


def _select(translator: Translator, node: Any) -> Node:
    parts = (node.condition, node.true_value, node.false_value)
    return apply("select", *(translator(part) for part in parts))


def _let(translator: Translator, node: Any) -> Node:
    translator.bind(node.var, node.value)
    return translator(node.body)


def _loaded(translator: Translator, node: Any) -> Node:
    return unknown(f"it depends on the data in {node.buffer.data.name}")


_KINDS: dict[str, Callable[[Translator, Any], Node]] = {
    "IntImm": lambda translator, node: const(int(node.value)),
    "Var": Translator._variable,
    "SizeVar": Translator._variable,
    "Cast": lambda translator, node: translator(node.value),
    "Not": lambda translator, node: apply("not", translator(node.a)),
    "Select": _select,
    "Let": _let,
    "Call": Translator._call,
    "BufferLoad": _loaded,
}
_CALLS: dict[str, Callable[[Translator, Any], Node]] = {
    "if_then_else": lambda t, args: apply("select", *(t(each) for each in args)),
    "likely": lambda t, args: t(args[0]),
    "tl_shuffle_elect": lambda t, args: t.elected(int(args[0])),
    "get_warp_idx": lambda t, args: t._warp_of(32),
    "get_warp_idx_sync": lambda t, args: t._warp_of(32),
    "get_warp_group_idx": lambda t, args: t._warp_of(_FOUR_WARPS),
    "get_lane_idx": lambda t, args: apply("floormod", name(t._axes.thread), const(32)),
}
