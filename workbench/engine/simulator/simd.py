"""Vector registers of the Ascend dialect (T.simd): 256 bytes, computed under a predicate.

A register is an array of its elements and a predicate one of bools; with MODE_ZEROING, which is all
that is done here, elements whose predicate is false become 0. Source: TileLang's Ascend language.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.memory import pointee
from workbench.engine.simulator.registry import call, helper, operation
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import lanes_of, scalar_dtype

Array = np.ndarray[Any, Any]
_REGISTER_BITS = 2048
_BINARY = {
    "vadd": "np.add",
    "vsub": "np.subtract",
    "vmul": "np.multiply",
    "vdiv": "np.divide",
    "vmax": "np.fmax",
    "vmin": "np.fmin",
    "vand": "np.bitwise_and",
    "vor": "np.bitwise_or",
    "vxor": "np.bitwise_xor",
    "vadds": "np.add",
    "vmuls": "np.multiply",
    "vmaxs": "np.fmax",
    "vmins": "np.fmin",
}
_UNARY = {
    "vexp": "np.exp",
    "vln": "np.log",
    "vsqrt": "np.sqrt",
    "vabs": "np.abs",
    "vneg": "np.negative",
    "vnot": "np.invert",
    "vrelu": "relu",
}
_REDUCTIONS = {"vcadd": "np.add", "vcmax": "np.fmax", "vcmin": "np.fmin"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _named(table: Any) -> list[str]:
    return [f"tl.simd.{name}" for name in table]


def _element_dtype(node: Any) -> str:
    return scalar_dtype(node.dtype)


def _text(t: Translator, node: Any, allowed: tuple[str, ...]) -> str:
    text = str(node.value)
    if text not in allowed:
        raise t.unsupported(f"a SIMD operation with {text}")
    return text


def _operand(t: Translator, node: Any, dtype: str) -> str:
    """Return a register, or a scalar rounded to the type of the other operand."""
    value = t.expression(node)
    return value.code if lanes_of(node) > 1 else f"{t.dtype(dtype)}.type({value.code})"


def _zeroed(t: Translator, code: str, mask: Any, node: Any) -> Value:
    dtype = _element_dtype(node)
    wanted = f"under_mask({code}, {t.expression(mask).code}, {t.dtype(dtype)})"
    return Value(t.emitter.assign(wanted, "register"), str(node.dtype))


@call(*_named(_BINARY))
def _binary(t: Translator, node: Any) -> Value:
    left, right, mask, mode = node.args
    _text(t, mode, ("MODE_ZEROING",))
    dtype = _element_dtype(node)
    function = _BINARY[call_name(node).removeprefix("tl.simd.")]
    code = f"{function}({_operand(t, left, dtype)}, {_operand(t, right, dtype)})"
    return _zeroed(t, code, mask, node)


@call(*_named(_UNARY))
def _unary(t: Translator, node: Any) -> Value:
    source, mask, mode = list(node.args)[:3]
    _text(t, mode, ("MODE_ZEROING",))
    function = _UNARY[call_name(node).removeprefix("tl.simd.")]
    return _zeroed(t, f"{function}({t.expression(source).code})", mask, node)


@call(*_named(_REDUCTIONS))
def _reduction(t: Translator, node: Any) -> Value:
    """The result is in the first element, the others are 0."""
    source, mask, mode = node.args
    _text(t, mode, ("MODE_ZEROING",))
    function = _REDUCTIONS[call_name(node).removeprefix("tl.simd.")]
    given = f"{t.expression(source).code}, {t.expression(mask).code}"
    code = f"fold({function}, {given}, {t.dtype(_element_dtype(node))})"
    return Value(t.emitter.assign(code, "register"), str(node.dtype))


@call("tl.simd.vdup")
def _duplicate(t: Translator, node: Any) -> Value:
    source, mask, mode = node.args
    _text(t, mode, ("MODE_ZEROING",))
    code = f"np.full({lanes_of(node)}, {_operand(t, source, _element_dtype(node))})"
    return _zeroed(t, code, mask, node)


@call("tl.simd.vcmp", "tl.simd.vcmps")
def _compare(t: Translator, node: Any) -> Value:
    left, right, mask, kind = node.args
    sign = _COMPARISONS[_text(t, kind, tuple(_COMPARISONS))]
    code = f"({t.expression(left).code} {sign} {t.expression(right).code})"
    code = f"({code} & {t.expression(mask).code})"
    return Value(t.emitter.assign(code, "predicate"), str(node.dtype))


@call("tl.simd.vsel")
def _select(t: Translator, node: Any) -> Value:
    first, second, mask = (t.expression(each).code for each in node.args)
    return Value(
        t.emitter.assign(f"np.where({mask}, {first}, {second})", "register"), str(node.dtype)
    )


@call("tl.simd.pset", "tl.simd.pge")
def _predicate(t: Translator, node: Any) -> Value:
    """The arguments are the bits of the elements and which of them are chosen."""
    count, pattern = _REGISTER_BITS // int(node.args[0]), str(node.args[1].value)
    first = re.fullmatch(r"PAT_VL(\d+)", pattern)
    chosen = {"PAT_ALL": count, "PAT_ALLF": 0, "PAT_H": count // 2, "PAT_Q": count // 4}.get(
        pattern, int(first[1]) if first else None
    )
    if chosen is None:
        raise t.unsupported(f"a predicate {pattern}")
    return Value(t.emitter.constant(np.arange(count) < chosen, (pattern, count)), str(node.dtype))


@call("tl.simd.vld")
def _load(t: Translator, node: Any) -> Value:
    pointer, kind = list(node.args)[:2]
    if len(node.args) > 2:
        raise t.unsupported("a SIMD load that moves its address")
    distribution = _text(t, kind, ("NORM", "BRC_B8", "BRC_B16", "BRC_B32"))
    first = pointee(t, pointer)
    place = t.place(first.buffer)
    t.touches.reads.add(place.data)
    start = _start(t, first)
    count = 1 if distribution.startswith("BRC") else lanes_of(node)
    code = f"np.array(consecutive({place.name}, {start}, {count}))"
    if count == 1:
        code = f"np.repeat({code}, {lanes_of(node)})"
    return Value(t.emitter.assign(code, "register"), str(node.dtype))


def _start(t: Translator, first: Any) -> str:
    return "(" + "".join(f"{t.scalar(index)}, " for index in first.indices) + ")"


@operation("tl.simd.vsts")
def _store(t: Translator, node: Any) -> None:
    pointer, source, mask, kind = node.args
    distribution = str(kind.value)
    if not distribution.startswith(("NORM", "ONEPT")):
        raise t.unsupported(f"a SIMD operation with {distribution}")
    first = pointee(t, pointer)
    place = t.place(first.buffer)
    t.touches.writes.add(place.data)
    limit = 1 if distribution.startswith("ONEPT") else lanes_of(source)
    given = f"{t.expression(source).code}, {t.expression(mask).code}, {limit}"
    t.emitter.line(f"store_register({place.name}, {_start(t, first)}, {given})")


@operation("tl.simd.mem_bar")
def _order(t: Translator, node: Any) -> None:
    """Loads and stores are done in the order in which they are written."""


@helper
def relu(values: Array) -> Array:
    """Return the values, negative ones as 0."""
    return np.asarray(np.maximum(values, values.dtype.type(0)))


@helper
def under_mask(values: Array, mask: Array, dtype: np.dtype[Any]) -> Array:
    """Return values in the register's type, 0 where the predicate is false."""
    return np.where(mask, values, np.zeros((), dtype)).astype(dtype)


@helper
def fold(combine: np.ufunc, values: Array, mask: Array, dtype: np.dtype[Any]) -> Array:
    """Return a register whose first element is the combination of those under the predicate."""
    result = np.zeros(len(values), dtype)
    if mask.any():
        result[0] = combine.reduce(values[mask].astype(dtype))
    return result


@helper
def store_register(
    array: Array, start: tuple[int, ...], values: Array, mask: Array, limit: int
) -> None:
    """Write the elements under the predicate to memory in order."""
    first = int(np.ravel_multi_index(start, array.shape))
    chosen = np.flatnonzero(mask[:limit])
    array.reshape(-1)[first + chosen] = values[chosen]
