"""Conditions on the arguments of a configuration, evaluated without running code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

MOST_CHARACTERS = 500
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}
_FORMS = "comparisons, and, or, not, in, + - * / // %, min, max and abs over the arguments"


class ConditionError(ValueError):
    """A condition that has no value; the message says why and what is understood."""


def holds(condition: str, args: Mapping[str, Any]) -> bool:
    """Whether a condition such as `block_M * block_N <= 32768` is true of arguments.

    Raises ConditionError.
    """
    tree = parse_condition(condition)
    try:
        return bool(_value(tree.body, args))
    except ConditionError as error:
        raise ConditionError(f"--when {condition!r}: {error}") from error
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ConditionError(f"--when {condition!r} has no value: {error}") from error


def parse_condition(condition: str) -> ast.Expression:
    """The syntax tree of a condition; raises ConditionError."""
    if len(condition) > MOST_CHARACTERS:
        raise ConditionError(f"a condition is longer than {MOST_CHARACTERS} characters")
    try:
        return ast.parse(condition.strip(), mode="eval")
    except SyntaxError as error:
        where = f"at character {error.offset}" if error.offset else "at its end"
        why = f"{error.msg} {where}; known are {_FORMS}"
        raise ConditionError(f"--when {condition!r} cannot be read: {why}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"--when {condition!r} cannot be read: {error}") from error


def names_in(condition: str) -> tuple[str, ...]:
    """The arguments that a condition speaks of; raises ConditionError."""
    found = (n.id for n in ast.walk(parse_condition(condition)) if isinstance(n, ast.Name))
    return tuple(dict.fromkeys(name for name in found if name not in _FUNCTIONS))


def _value(node: ast.expr, args: Mapping[str, Any]) -> Any:
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise ConditionError(f"`{ast.unparse(node)}` is not understood; known are {_FORMS}")
    return handler(node, args)


def _name(node: ast.Name, args: Mapping[str, Any]) -> Any:
    if node.id not in args:
        known = ", ".join(args) or "none"
        raise ConditionError(f"there is no argument {node.id}; known are {known}")
    return args[node.id]


def _compare(node: ast.Compare, args: Mapping[str, Any]) -> bool:
    left = _value(node.left, args)
    for operation, other in zip(node.ops, node.comparators, strict=True):
        compare = _COMPARE.get(type(operation))
        if compare is None:
            raise ConditionError(f"`is` is not understood; known are {_FORMS}")
        right = _value(other, args)
        if not compare(left, right):
            return False
        left = right
    return True


def _logic(node: ast.BoolOp, args: Mapping[str, Any]) -> Any:
    stops_at = isinstance(node.op, ast.Or)
    value: Any = not stops_at
    for each in node.values:
        value = _value(each, args)
        if bool(value) is stops_at:
            break
    return value


def _binary(node: ast.BinOp, args: Mapping[str, Any]) -> Any:
    operation = _BINARY.get(type(node.op))
    if operation is None:
        raise ConditionError(f"`{ast.unparse(node)}` is not understood; known are {_FORMS}")
    left, right = _value(node.left, args), _value(node.right, args)
    if isinstance(left, (str, list, tuple)) or isinstance(right, (str, list, tuple)):
        raise ConditionError(f"`{ast.unparse(node)}` calculates with what is no number")
    return operation(left, right)


def _unary(node: ast.UnaryOp, args: Mapping[str, Any]) -> Any:
    operation = _UNARY.get(type(node.op))
    if operation is None:
        raise ConditionError(f"`{ast.unparse(node)}` is not understood; known are {_FORMS}")
    return operation(_value(node.operand, args))


def _call(node: ast.Call, args: Mapping[str, Any]) -> Any:
    function = _FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if function is None or node.keywords:
        raise ConditionError(f"`{ast.unparse(node)}` is not understood; known are {_FORMS}")
    return function(*(_value(each, args) for each in node.args))


_HANDLERS: dict[type[ast.expr], Callable[[Any, Mapping[str, Any]], Any]] = {
    ast.Constant: lambda node, args: node.value,
    ast.Name: _name,
    ast.Compare: _compare,
    ast.BoolOp: _logic,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Call: _call,
    ast.Tuple: lambda node, args: tuple(_value(each, args) for each in node.elts),
    ast.List: lambda node, args: [_value(each, args) for each in node.elts],
}
