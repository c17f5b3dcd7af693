"""Evaluates a formula of a document, such as `2 * M * N * K`, without running code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

MOST_CHARACTERS = 500
_MOST_POWER = 64

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "log2": math.log2,
    "sqrt": math.sqrt,
}


class FormulaError(ValueError):
    """A formula that has no value; the message says why."""


def evaluate(formula: str, names: Mapping[str, Any]) -> float:
    """The value of arithmetic over the numbers in `names`: + - * / // % **, and min, max, ceil,
    floor, log2, sqrt. Raises FormulaError."""
    if len(formula) > MOST_CHARACTERS:
        raise FormulaError(f"the formula is longer than {MOST_CHARACTERS} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval")
        value = float(_value(tree.body, names))
    except FormulaError:
        raise
    except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise FormulaError(f"{formula!r} has no value: {error}") from error
    if not math.isfinite(value):
        raise FormulaError(f"{formula!r} is {value}")
    return value


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and _is_number(node.value):
        return node.value
    if isinstance(node, ast.Name):
        return _named(node.id, names)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, names), _value(node.right, names)
        if isinstance(node.op, ast.Pow) and abs(right) > _MOST_POWER:
            raise FormulaError(f"the exponent {right} is larger than {_MOST_POWER}")
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _called(node.func.id, [_value(each, names) for each in node.args])
    raise FormulaError(f"{ast.unparse(node)!r} is no arithmetic")


def _named(name: str, names: Mapping[str, Any]) -> Any:
    value = names.get(name)
    if value is None:
        known = ", ".join(sorted(names)) or "none"
        raise FormulaError(f"{name!r} is no argument or dimension (there are: {known})")
    if not _is_number(value):
        raise FormulaError(f"{name!r} is {value!r}, which is no number")
    return value


def _called(name: str, arguments: list[Any]) -> Any:
    if name not in _FUNCTIONS:
        raise FormulaError(f"there is no function {name!r}; there are {', '.join(_FUNCTIONS)}")
    return _FUNCTIONS[name](*arguments)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
