"""Writes expressions of the host's code in Python's syntax, numbers where they are constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.core.exporting.model import Size
from workbench.engine.simulator.tir import call_name, tirx

_INFIX = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "FloorDiv": "//",
    "FloorMod": "%",
    "EQ": "==",
    "NE": "!=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "And": "and",
    "Or": "or",
    # Of sizes, which are not negative: there truncating and flooring are one.
    "Div": "//",
    "Mod": "%",
}
_CHOICES = {"Min": "min", "Max": "max"}
_BITWISE = {
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "shift_left": "<<",
    "shift_right": ">>",
}
_CONSTANTS = (tirx.IntImm, tirx.FloatImm)
NameOf = Callable[[Any], "str | Any"]


class UndescribedError(Exception):
    """The host does something that a description of the launch cannot say; the message says it."""


def size_of(expression: Any, name_of: NameOf) -> Size:
    """An integer, or the text of an expression of dimensions; else as `value_of`."""
    value = value_of(expression, name_of)
    return int(value) if isinstance(value, float) else value


def value_of(expression: Any, name_of: NameOf) -> Size | float:
    """A number where the expression is one, else its text. Raises UndescribedError.

    `name_of` gives the name of a variable, or the expression that it stands for.
    """
    if isinstance(expression, (int, float)):
        return expression
    if isinstance(expression, _CONSTANTS):
        number: int | float = expression.value
        return number
    return _text(expression, name_of, False)


def _text(node: Any, name_of: NameOf, inner: bool) -> str:
    """The text, in parentheses where it is a part of another and not a name, number or call."""
    kind = type(node).__name__
    if isinstance(node, _CONSTANTS):
        return str(node.value)
    if isinstance(node, tirx.Var):
        named = name_of(node)
        return named if isinstance(named, str) else _text(named, name_of, inner)
    if isinstance(node, tirx.Cast):
        return _text(node.value, name_of, inner)
    if kind in _CHOICES:
        return f"{_CHOICES[kind]}({_text(node.a, name_of, False)}, {_text(node.b, name_of, False)})"
    text = _compound(node, kind, name_of)
    return f"({text})" if inner else text


def _compound(node: Any, kind: str, name_of: NameOf) -> str:
    def part(each: Any) -> str:
        return _text(each, name_of, True)

    if kind in _INFIX:
        return f"{part(node.a)} {_INFIX[kind]} {part(node.b)}"
    if kind == "Not":
        return f"not {part(node.a)}"
    if kind == "Select":
        return f"{part(node.true_value)} if {part(node.condition)} else {part(node.false_value)}"
    operator = call_name(node).rpartition(".")[2] if isinstance(node, tirx.Call) else ""
    if operator == "if_then_else":
        condition, yes, no = map(part, node.args)
        return f"{yes} if {condition} else {no}"
    if operator in _BITWISE:
        return f"{part(node.args[0])} {_BITWISE[operator]} {part(node.args[1])}"
    raise UndescribedError(f"the host's code computes {node}, which cannot be said in launch.json")
