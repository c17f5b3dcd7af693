"""Calls that compute: elementary functions, bit operations, constants and thread indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.expressions import float_literal
from workbench.engine.simulator.registry import HELPERS, call, helper
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import joined_bits, lanes_of

# Fast-math variants (tl.__exp ...) differ from these in their last bits only.
_UNARY = {
    "exp": "np.exp",
    "exp2": "np.exp2",
    "log": "np.log",
    "log2": "np.log2",
    "log10": "np.log10",
    "log1p": "np.log1p",
    "sqrt": "np.sqrt",
    "sin": "np.sin",
    "cos": "np.cos",
    "tan": "np.tan",
    "asin": "np.arcsin",
    "acos": "np.arccos",
    "atan": "np.arctan",
    "sinh": "np.sinh",
    "cosh": "np.cosh",
    "tanh": "np.tanh",
    "floor": "np.floor",
    "ceil": "np.ceil",
    "trunc": "np.trunc",
    "fabs": "np.abs",
    "round": "np.rint",
    "nearbyint": "np.rint",
}
_UNARY_CALLS = {f"tirx.{name}": code for name, code in _UNARY.items()} | {
    f"tl.__{name}": _UNARY[name] for name in ("exp", "log", "log2", "log10", "sin", "cos", "tan")
}
_FORMULAS = {
    "tirx.rsqrt": ("rsqrt({0})", 1),
    "tl.ieee_frsqrt": ("rsqrt({0})", 1),
    "tl.ieee_fsqrt": ("np.sqrt({0})", 1),
    "tl.ieee_frcp": ("np.reciprocal({0})", 1),
    "tl.fast_rcp": ("np.reciprocal({0})", 1),
    "tl.__exp10": ("np.power(10.0, {0})", 1),
    "tirx.exp10": ("np.power(10.0, {0})", 1),
    "tirx.sigmoid": ("(1 / (1 + np.exp(-{0})))", 1),
    "tirx.erf": ("erf({0})", 1),
    "tirx.pow": ("np.power({0}, {1})", 2),
    "tirx.atan2": ("np.arctan2({0}, {1})", 2),
    "tirx.fmod": ("np.fmod({0}, {1})", 2),
    "tirx.hypot": ("np.hypot({0}, {1})", 2),
    "tirx.copysign": ("np.copysign({0}, {1})", 2),
    "tl.pow_of_int": ("np.power({0}, {1})", 2),
    "tl.ieee_add": ("({0} + {1})", 2),
    "tl.ieee_sub": ("({0} - {1})", 2),
    "tl.ieee_mul": ("({0} * {1})", 2),
    "tl.ieee_fdiv": ("({0} / {1})", 2),
    "tl.ieee_fmaf": ("({0} * {1} + {2})", 3),
    "tl.clamp": ("np.clip({0}, {1}, {2})", 3),
}
_EXACT = {
    "tirx.bitwise_and": "({0} & {1})",
    "tirx.bitwise_or": "({0} | {1})",
    "tirx.bitwise_xor": "({0} ^ {1})",
    "tirx.bitwise_not": "(~{0})",
    "tirx.shift_left": "({0} << {1})",
    "tirx.shift_right": "({0} >> {1})",
    "tirx.abs": "abs({0})",
    "tirx.likely": "{0}",
    "tl.__ldg": "{0}",
}
_WRAPPING = ("tirx.shift_left", "tirx.bitwise_not")
_PREDICATES = {
    "tirx.isnan": "np.isnan({0})",
    "tirx.isinf": "np.isinf({0})",
    "tirx.isfinite": "np.isfinite({0})",
}


# Where numpy has no vector code for float32, torch's is two to five times as fast.
_TORCH: dict[str, Any] = {
    "np.exp": torch.exp,
    "np.exp2": torch.exp2,
    "np.log": torch.log,
    "np.log2": torch.log2,
    "np.log10": torch.log10,
    "np.tanh": torch.tanh,
    "np.sin": torch.sin,
    "np.cos": torch.cos,
}


def _through_torch(name: str) -> Callable[..., Any]:
    function = _TORCH[name]

    def compute(value: Any, out: Any = None) -> Any:
        result = np.empty(value.shape, np.float32) if out is None else out
        source = (
            torch.from_numpy(np.broadcast_to(value, result.shape).copy())
            if (value.shape != result.shape)
            else torch.from_numpy(value)
        )
        function(source, out=torch.from_numpy(result))
        return result

    return compute


HELPERS.update({f"{name[3:]}_float32": _through_torch(name) for name in _TORCH})


@call(*_UNARY_CALLS)
def _unary(t: Translator, node: Any) -> Value:
    function, dtype = _UNARY_CALLS[call_name(node)], str(node.dtype)
    operand = t.expression(node.args[0])
    if function in _TORCH and dtype == "float32" and operand.is_vector:
        function = f"{function[3:]}_float32"
    if not operand.is_vector:
        code = f"{function}({t.dtype(dtype)}.type({operand.code}))"
        return t.cast(Value(code, dtype), dtype)
    return Value(f"{function}({operand.code})", dtype, operand.rank, (function, operand.code))


@call(*_FORMULAS)
def _formula(t: Translator, node: Any) -> Value:
    """Narrow types are computed in float32 and rounded once, as the device functions do."""
    template, count = _FORMULAS[call_name(node)]
    dtype = str(node.dtype)
    wide = dtype if dtype in ("float64", "float32") or not dtypes.is_float(dtype) else "float32"
    operands = [t.cast(t.expression(arg), wide) for arg in list(node.args)[:count]]
    codes = [
        each.code if each.is_vector else f"{t.dtype(wide)}.type({each.code})" for each in operands
    ]
    rank = max(each.rank for each in operands)
    return t.cast(Value(template.format(*codes), wide, rank), dtype)


@call(*_EXACT, *_PREDICATES)
def _exact(t: Translator, node: Any) -> Value:
    template = (_EXACT | _PREDICATES)[call_name(node)]
    operands = [t.expression(arg) for arg in node.args]
    code = template.format(*(each.code for each in operands))
    rank = max(each.rank for each in operands)
    if not rank and call_name(node) in _WRAPPING and dtypes.is_integer(str(node.dtype)):
        code = dtypes.wrapped(code, str(node.dtype))
    return Value(code, str(node.dtype), rank)


@helper
def rsqrt(value: Any) -> Any:
    """Return 1 / sqrt(x) in the type of x."""
    return np.reciprocal(np.sqrt(value))


@helper
def erf(value: Any) -> Any:
    """Return the error function in float32 or float64."""
    return torch.erf(torch.as_tensor(np.asarray(value))).numpy()[()]


@call("tirx.reinterpret")
def _reinterpret(t: Translator, node: Any) -> Value:
    if lanes_of(node.args[0]) > 1:
        return joined_bits(t, node)
    value, dtype = t.expression(node.args[0]), str(node.dtype)
    source = t.dtype(value.dtype)
    return Value(f"reinterpret({value.code}, {source}, {t.dtype(dtype)})", dtype, value.rank)


@helper
def bits_of(values: Any, source: np.dtype[Any], dtype: np.dtype[Any], position: int) -> Any:
    """Return one element of the bits of several values, which another type divides otherwise."""
    columns = np.stack(np.broadcast_arrays(*(np.asarray(each, source) for each in values)), axis=-1)
    return np.ascontiguousarray(columns).view(dtype)[..., position]


@helper
def reinterpret(value: Any, source: np.dtype[Any], dtype: np.dtype[Any]) -> Any:
    """Return the same bits as another type of the same size."""
    return np.asarray(value, source).view(dtype)[()]


@call("tl.infinity")
def _infinity(t: Translator, node: Any) -> Value:
    return float_literal(t, float("inf"), str(node.dtype))


@call("tirx.min_value", "tirx.max_value")
def _limit(t: Translator, node: Any) -> Value:
    info = np.iinfo if dtypes.is_integer(str(node.dtype)) else np.finfo
    limits = info(t.numpy_dtype(str(node.dtype)))
    value = limits.min if call_name(node).endswith("min_value") else limits.max
    return Value(t.emitter.constant(value), str(node.dtype))


@call("tirx.isnullptr")
def _is_null(t: Translator, node: Any) -> Value:
    return Value("False", "bool")
