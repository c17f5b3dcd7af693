"""Arithmetic on numbers and symbolic integers, as far as sizes and indices need it."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from workbench.core.doctor.values import Form

# Operands beyond these are no sizes, and could take for ever to work out.
_LARGEST = 1 << 64
_LARGEST_EXPONENT = 64

_BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_PLAIN = (bool, int, float, str, type(None))


def is_plain(value: object) -> bool:
    """Whether a value is known: a number, a text, None, or a tuple of such."""
    if isinstance(value, tuple):
        return all(is_plain(item) for item in value)
    return isinstance(value, _PLAIN)


def variables_of(values: Iterable[object]) -> frozenset[str]:
    """The loop variables that values depend on."""
    forms = (value.variables for value in values if isinstance(value, Form))
    return frozenset().union(*forms)


def opaque(text: str, *values: object) -> Form:
    """The form of something that is not worked out further."""
    return Form.atom(text, variables_of(values))


def compare(op: ast.cmpop, left: Any, right: Any) -> Any:
    """The truth of a comparison, None where it is not known."""
    if not (is_plain(left) and is_plain(right)):
        return None
    try:
        return bool(_COMPARE[type(op)](left, right))
    except TypeError:
        return None


def binary(op: ast.operator, left: Any, right: Any) -> Any:
    """The value of an operation: a constant, or a form."""
    symbol, function = _BINARY.get(type(op), ("@", None))
    if function is not None and _foldable(op, left, right):
        try:
            result = function(left, right)
        except (ArithmeticError, TypeError, ValueError):
            return opaque(f"({left}{symbol}{right})")
        return opaque("complex") if isinstance(result, complex) else result
    linear = _linear(op, left, right)
    return linear if linear is not None else opaque(f"({left}{symbol}{right})", left, right)


def _foldable(op: ast.operator, left: Any, right: Any) -> bool:
    if isinstance(left, (str, tuple)) and isinstance(right, type(left)):
        return isinstance(op, ast.Add) and is_plain(left) and is_plain(right)
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    shifts = isinstance(op, (ast.Pow, ast.LShift))
    limit = _LARGEST_EXPONENT if shifts else _LARGEST
    return numbers and abs(left) <= _LARGEST and abs(right) <= limit


def _linear(op: ast.operator, left: Any, right: Any) -> Any:
    first, second = _as_form(left), _as_form(right)
    if first is None or second is None:
        return None
    if isinstance(op, ast.Add):
        return combined(first, second, 1)
    if isinstance(op, ast.Sub):
        return combined(first, second, -1)
    if isinstance(op, ast.Mult) and not second.terms:
        return _scaled(first, second.constant)
    if isinstance(op, ast.Mult) and not first.terms:
        return _scaled(second, first.constant)
    return None


def _as_form(value: Any) -> Form | None:
    if isinstance(value, Form):
        return value
    return Form((), value) if type(value) is int else None


def combined(first: Form, second: Form, sign: int) -> Form | int:
    """The sum (or difference, by a sign of -1) of two forms."""
    terms = dict(first.terms)
    for atom, factor in second.terms:
        terms[atom] = terms.get(atom, 0) + sign * factor
    kept = tuple(sorted((atom, factor) for atom, factor in terms.items() if factor))
    constant = first.constant + sign * second.constant
    return Form(kept, constant, first.variables | second.variables) if kept else constant


def _scaled(form: Form, factor: int) -> Form | int:
    if factor == 0:
        return 0
    terms = tuple((atom, scale * factor) for atom, scale in form.terms)
    return Form(terms, form.constant * factor, form.variables)


def ceildiv(left: Any, right: Any) -> Any:
    """The quotient, rounded up."""
    numbers = type(left) is int and type(right) is int and right != 0
    return -(-left // right) if numbers else opaque(f"ceildiv({left},{right})", left, right)


def next_power_of_two(value: Any) -> Any:
    """The smallest power of two that is not less."""
    known = type(value) is int and value > 0
    return 1 << (value - 1).bit_length() if known else opaque(f"pow2({value})", value)


def rounded_log2(value: Any) -> Any:
    """The logarithm to base 2, of a number above 0."""
    known = isinstance(value, (int, float)) and value > 0
    return math.log2(value) if known else opaque(f"log2({value})", value)
