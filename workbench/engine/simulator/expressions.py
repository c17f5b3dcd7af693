"""Expressions: literals, variables, arithmetic, comparisons, selection and casts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.registry import call, expression, helper
from workbench.engine.simulator.tir import tirx
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import elements, is_register, lanes_of


@dataclass(frozen=True)
class _Operator:
    """How a binary node is written: with Python's operator, or as a numpy function."""

    symbol: str
    function: str


_ARITHMETIC = {
    tirx.Add: _Operator("+", "np.add"),
    tirx.Sub: _Operator("-", "np.subtract"),
    tirx.Mul: _Operator("*", "np.multiply"),
    tirx.FloorDiv: _Operator("//", "np.floor_divide"),
    tirx.FloorMod: _Operator("%", "np.mod"),
}
_COMPARISONS = {
    tirx.EQ: "==",
    tirx.NE: "!=",
    tirx.LT: "<",
    tirx.LE: "<=",
    tirx.GT: ">",
    tirx.GE: ">=",
}
# fmaxf and fminf return the operand that is not NaN (CUDA math API), as numpy's fmax and fmin do.
_EXTREMA = {tirx.Max: ("max", "np.fmax"), tirx.Min: ("min", "np.fmin")}


@expression(tirx.IntImm)
def _integer(t: Translator, node: Any) -> Value:
    value = int(node.value)
    if str(node.dtype) == "bool":
        return Value(str(bool(value)), "bool")
    return Value(str(value) if value >= 0 else f"({value})", str(node.dtype))


@expression(tirx.FloatImm)
def _float(t: Translator, node: Any) -> Value:
    return float_literal(t, float(node.value), str(node.dtype))


def float_literal(t: Translator, value: float, dtype: str) -> Value:
    """Return a literal rounded to its type; types that numpy does not have become objects."""
    rounded = t.numpy_dtype(dtype).type(value)
    if not dtypes.is_native(dtype):
        return Value(t.emitter.constant(rounded, ("literal", dtype, str(rounded))), dtype)
    number = float(rounded)
    if not math.isfinite(number):
        return Value({"nan": "np.nan", "inf": "np.inf", "-inf": "(-np.inf)"}[str(number)], dtype)
    return Value(repr(number) if number >= 0 else f"({number!r})", dtype)


@expression(tirx.Var, tirx.SizeVar)
def _variable(t: Translator, node: Any) -> Value:
    position = t.axis_position(node)
    if position is not None:
        return t.axis_index(position)
    if node in t.deferred:
        return t.expression(t.deferred[node])
    value = t.values.get(node)
    if value is None:
        raise t.unsupported(f"variable {node.name} without a value")
    if value.per_thread and t.in_parallel:
        if node in t.thread_dimensions:
            raise t.unsupported(f"the thread index {node.name} inside T.Parallel")
        return Value(f"uniform({value.code})", value.dtype)
    return t.aligned(value)


@expression(*_ARITHMETIC)
def _arithmetic(t: Translator, node: Any) -> Value:
    operator = _ARITHMETIC[type(node)]
    left, right = t.expression(node.a), t.expression(node.b)
    code = f"({left.code} {operator.symbol} {right.code})"
    return _combined(t, node, (left, right), code, operator.function)


def _combined(
    t: Translator, node: Any, operands: tuple[Value, ...], code: str, function: str
) -> Value:
    rank = max(value.rank for value in operands)
    if not rank and str(node.dtype).startswith("uint"):
        return Value(dtypes.wrapped(code, str(node.dtype)), str(node.dtype))
    if str(node.dtype) == "float16" and rank:
        # float32 holds any sum, product or quotient of two halves closely enough that rounding
        # its rounded value gives the correctly rounded half (24 >= 2 * 11 + 2 bits).
        wide = (t.cast(value, "float32").code for value in operands)
        return Value(f"float_to_half({function}({', '.join(wide)}))", "float16", rank)
    ufunc = (function, *(value.code for value in operands)) if rank else None
    return Value(code, str(node.dtype), rank, ufunc)


@expression(tirx.Div)
def _divide(t: Translator, node: Any) -> Value:
    left, right = t.expression(node.a), t.expression(node.b)
    if dtypes.is_integer(str(node.dtype)):
        code = f"truncated_quotient({left.code}, {right.code})"
        return Value(code, str(node.dtype), max(left.rank, right.rank))
    if not left.is_vector and not right.is_vector:
        code = f"np.divide({left.code}, {right.code}, dtype={t.dtype(str(node.dtype))})"
        return Value(code, str(node.dtype))
    code = f"({left.code} / {right.code})"
    return _combined(t, node, (left, right), code, "np.divide")


@expression(tirx.Mod)
def _remainder(t: Translator, node: Any) -> Value:
    left, right = t.expression(node.a), t.expression(node.b)
    code = f"truncated_remainder({left.code}, {right.code})"
    return Value(code, str(node.dtype), max(left.rank, right.rank))


@helper
def truncated_quotient(left: Any, right: Any) -> Any:
    """Divide integers towards zero, as C does."""
    quotient = abs(left) // abs(right)
    if isinstance(quotient, int):
        return quotient if (left < 0) == (right < 0) else -quotient
    return np.where((np.asarray(left) < 0) == (np.asarray(right) < 0), quotient, -quotient)[()]


@helper
def truncated_remainder(left: Any, right: Any) -> Any:
    """Return the remainder with the dividend's sign, as C does."""
    return left - truncated_quotient(left, right) * right


@expression(*_EXTREMA)
def _extremum(t: Translator, node: Any) -> Value:
    plain, function = _EXTREMA[type(node)]
    left, right = t.expression(node.a), t.expression(node.b)
    if dtypes.is_integer(str(node.dtype)) and not (left.is_vector or right.is_vector):
        return Value(f"{plain}({left.code}, {right.code})", str(node.dtype))
    code = f"{function}({left.code}, {right.code})"
    return _combined(t, node, (left, right), code, function)


@expression(*_COMPARISONS)
def _comparison(t: Translator, node: Any) -> Value:
    left, right = t.expression(node.a), t.expression(node.b)
    code = f"({left.code} {_COMPARISONS[type(node)]} {right.code})"
    return Value(code, "bool", max(left.rank, right.rank))


@expression(tirx.And)
def _and(t: Translator, node: Any) -> Value:
    return _logical(t, node, "and", "&", negated=False)


@expression(tirx.Or)
def _or(t: Translator, node: Any) -> Value:
    return _logical(t, node, "or", "|", negated=True)


def _logical(t: Translator, node: Any, word: str, symbol: str, negated: bool) -> Value:
    """The right side runs only where the left leaves the answer open, so that it may guard it."""
    left = t.expression(node.a)
    if not left.is_vector:
        right = t.expression(node.b)
        sign = word if not right.is_vector else symbol
        return Value(f"({left.code} {sign} {right.code})", "bool", right.rank)
    left = Value(t.emitter.assign(left.code, "left"), "bool", left.rank)
    with t.under(left, negated):
        right = t.expression(node.b)
    return Value(f"({left.code} {symbol} {right.code})", "bool", left.rank)


@expression(tirx.Not)
def _not(t: Translator, node: Any) -> Value:
    value = t.expression(node.a)
    code = f"(~{value.code})" if value.is_vector else f"(not {value.code})"
    return Value(code, "bool", value.rank)


@expression(tirx.Cast)
def _cast(t: Translator, node: Any) -> Value:
    value, dtype = t.expression(node.value), str(node.dtype)
    exact = dtypes.is_integer(value.dtype) or value.dtype == "bool"
    if not value.is_vector and exact and dtype in ("int32", "int64"):
        fits = value.dtype == "bool" or dtypes.bit_width(value.dtype) < dtypes.bit_width(dtype)
        return Value(f"int({value.code})" if fits else dtypes.wrapped(value.code, dtype), dtype)
    return t.cast(value, dtype)


@expression(tirx.Let)
def _let(t: Translator, node: Any) -> Value:
    bind(t, node.var, node.value)
    return t.expression(node.body)


def bind(t: Translator, variable: Any, node: Any) -> None:
    """Emit an assignment that keeps the value even where the buffer it came from changes."""
    if lanes_of(variable) > 1 and not is_register(node):
        t.vectors[variable] = [
            replace(each, code=t.emitter.assign(f"np.copy({each.code})", variable.name), ufunc=None)
            for each in elements(t, node, lanes_of(variable))
        ]
        return
    value = t.expression(node)
    if value.is_vector and isinstance(node, tirx.BufferLoad):
        value = Value(f"np.array({value.code})", value.dtype, value.rank)
    t.bind(variable, value)


@expression(tirx.Call)
def _call(t: Translator, node: Any) -> Value:
    return t.call(node)


@expression(tirx.Select)
def _select(t: Translator, node: Any) -> Value:
    return _choice(t, node.condition, node.true_value, node.false_value, str(node.dtype))


@call("tirx.if_then_else")
def _if_then_else(t: Translator, node: Any) -> Value:
    condition, yes, no = node.args
    return _choice(t, condition, yes, no, str(node.dtype))


def _choice(t: Translator, condition: Any, yes: Any, no: Any, dtype: str) -> Value:
    chosen = t.expression(condition)
    if not chosen.is_vector:
        return _scalar_choice(
            t, chosen, (lambda: t.expression(yes)), (lambda: t.expression(no)), dtype
        )
    chosen = Value(t.emitter.assign(chosen.code, "chosen"), "bool", chosen.rank)
    with t.under(chosen):
        left = t.expression(yes)
    with t.under(chosen, negated=True):
        right = t.expression(no)
    code = f"choose({chosen.code}, {left.code}, {right.code}, {t.dtype(dtype)})"
    return Value(code, dtype, t.rank)


def _scalar_choice(
    t: Translator, chosen: Value, yes: Callable[[], Value], no: Callable[[], Value], dtype: str
) -> Value:
    """Only the chosen side runs: it is written as a statement, since sides may emit their own."""
    name = t.emitter.fresh("choice")
    ranks = []
    for header, side in ((f"if {chosen.code}:", yes), ("else:", no)):
        with t.emitter.suite(header):
            value = side()
            ranks.append(value.rank)
            t.emitter.line(f"{name} = {value.code}")
    return Value(name, dtype, max(ranks))


@helper
def choose(condition: Any, yes: Any, no: Any, dtype: np.dtype[Any]) -> Any:
    """Select by element, in the dtype of the expression."""
    result = np.where(condition, yes, no)
    return result if result.dtype == dtype else result.astype(dtype)
