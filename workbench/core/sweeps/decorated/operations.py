"""What the operators of a decorator's source do, on operands that are not too large."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from workbench.core.sweeps.decorated.bounds import UnreadError, require_small_operands

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Invert: operator.invert,
}  # fmt: skip
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
_POWERS = (ast.Pow, ast.LShift)


def binary(op: ast.operator, left: Any, right: Any) -> Any:
    """The value of an operation; raises UnreadError, and what Python raises."""
    function = _BINARY.get(type(op))
    if function is None:
        raise UnreadError(f"{type(op).__name__} is not understood")
    if isinstance(left, str) and isinstance(op, ast.Mod):
        raise UnreadError("a text is formatted")
    require_small_operands(left, right, isinstance(op, _POWERS))
    return function(left, right)
