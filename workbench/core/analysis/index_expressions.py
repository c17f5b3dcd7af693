"""Index expressions over the block's indices and the turns of loops, written as text.

The text is a small part of Python: whole numbers, names, `+ - * // %`, comparisons, `and`, `or`,
`not`, and the functions of FUNCTIONS. It travels as it is, reads as it is, and is evaluated for one
block or for all of them at once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Value = int | npt.NDArray[np.int64]
Values = Mapping[str, Value]
_Evaluate = Callable[[Values], Any]


class ExpressionError(ValueError):
    """The text is no index expression; the message has it."""


def evaluate(text: str, values: Values) -> Any:
    """The value of an expression: an int, or an array where a name stands for one.

    Raises ExpressionError where the text is no expression, KeyError for a name without a value.
    """
    return _compiled(text)(values)


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[str]:
    """The names that a value depends on. Raises ExpressionError."""
    return frozenset(n.id for n in ast.walk(_parsed(text)) if _is_variable(n))  # type: ignore[attr-defined]


def whole(text: str) -> int | None:
    """The number that an expression is, None where it depends on something."""
    return None if names(text) else int(evaluate(text, {}))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"{text!r} is no index expression") from error


@lru_cache(maxsize=4096)
def _compiled(text: str) -> _Evaluate:
    return _compile(_parsed(text), text)


def _is_variable(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id not in FUNCTIONS


def _compile(node: ast.expr, text: str) -> _Evaluate:
    compiler = _COMPILERS.get(type(node))
    if compiler is None:
        raise ExpressionError(f"{text!r} is no index expression")
    return compiler(node, text)


def _constant(node: Any, text: str) -> _Evaluate:
    if type(node.value) is not int:
        raise ExpressionError(f"{text!r} has something other than whole numbers")
    number = node.value
    return lambda values: number


def _name(node: Any, text: str) -> _Evaluate:
    name = node.id
    return lambda values: values[name]


def _binary(node: Any, text: str) -> _Evaluate:
    return _applied(_of(_OPERATORS, node.op, text), (node.left, node.right), text)


def _unary(node: Any, text: str) -> _Evaluate:
    return _applied(_of(_OPERATORS, node.op, text), (node.operand,), text)


def _compare(node: Any, text: str) -> _Evaluate:
    if len(node.ops) > 1:
        raise ExpressionError(f"{text!r} compares several things at once")
    return _applied(_of(_OPERATORS, node.ops[0], text), (node.left, node.comparators[0]), text)


def _boolean(node: Any, text: str) -> _Evaluate:
    function = _of(_OPERATORS, node.op, text)
    parts = [_compile(part, text) for part in node.values]

    def value(values: Values) -> Any:
        result = parts[0](values)
        for part in parts[1:]:
            result = function(result, part(values))
        return result

    return value


def _call(node: Any, text: str) -> _Evaluate:
    function = FUNCTIONS.get(getattr(node.func, "id", ""))
    if function is None or node.keywords:
        raise ExpressionError(f"{text!r} calls something that is no function of index expressions")
    return _applied(function, tuple(node.args), text)


def _applied(function: Callable[..., Any], parts: tuple[ast.expr, ...], text: str) -> _Evaluate:
    inputs = [_compile(part, text) for part in parts]
    return lambda values: function(*(part(values) for part in inputs))


def _of(table: Mapping[type[Any], Callable[..., Any]], node: Any, text: str) -> Callable[..., Any]:
    found = table.get(type(node))
    if found is None:
        raise ExpressionError(f"{text!r} has an operator that index expressions do not have")
    return found


def _least(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else np.minimum(a, b)


def _most(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else np.maximum(a, b)


def _chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    if isinstance(condition, (int, bool)):
        return then if condition else otherwise
    return np.where(condition, then, otherwise)


def _quotient(a: Any, b: Any) -> Any:
    """Division as C does it, towards zero."""
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return -quotient if (a < 0) != (b < 0) else quotient
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.asarray(a) < 0) != (np.asarray(b) < 0), -quotient, quotient)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": _least,
    "max": _most,
    "select": _chosen,
    "div": _quotient,
    "mod": lambda a, b: a - _quotient(a, b) * b,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
}
"""The functions by name; `div` and `mod` round as C does."""

_OPERATORS: dict[type[Any], Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.USub: lambda a: -a,
    ast.Eq: lambda a, b: (a == b) + 0,
    ast.NotEq: lambda a, b: (a != b) + 0,
    ast.Lt: lambda a, b: (a < b) + 0,
    ast.LtE: lambda a, b: (a <= b) + 0,
    ast.Gt: lambda a, b: (a > b) + 0,
    ast.GtE: lambda a, b: (a >= b) + 0,
    ast.And: lambda a, b: ((np.asarray(a) != 0) & (np.asarray(b) != 0)) + 0,
    ast.Or: lambda a, b: ((np.asarray(a) != 0) | (np.asarray(b) != 0)) + 0,
    ast.Not: lambda a: (np.asarray(a) == 0) + 0,
}
_COMPILERS: dict[type[Any], Callable[[Any, str], _Evaluate]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.Call: _call,
}
