"""Vector values (dtypes such as float16x4, Ramp, Broadcast): a scalar value for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.registry import expression
from workbench.engine.simulator.tir import call_name, tirx
from workbench.engine.simulator.translator import Translator

_BINARY = (
    tirx.Add,
    tirx.Sub,
    tirx.Mul,
    tirx.Div,
    tirx.Mod,
    tirx.FloorDiv,
    tirx.FloorMod,
    tirx.Min,
    tirx.Max,
    tirx.EQ,
    tirx.NE,
    tirx.LT,
    tirx.LE,
    tirx.GT,
    tirx.GE,
    tirx.And,
    tirx.Or,
)


def _fused(a: Any, b: Any, c: Any) -> Any:
    """a * b + c rounded once, as far as float32 holds the product of two halves."""
    dtype = str(a.dtype)
    if dtype == "float32":
        return a * b + c
    a, b, c = (tirx.Cast("float32", each) for each in (a, b, c))
    return tirx.Cast(dtype, a * b + c)


# Packed arithmetic of two halves or floats, element by element.
_PACKED: dict[str, Callable[..., Any]] = {
    "tl.add2": tirx.Add,
    "tl.sub2": tirx.Sub,
    "tl.mul2": tirx.Mul,
    "tl.min2": tirx.Min,
    "tl.max2": tirx.Max,
    "tl.fma2": _fused,
    "tl.abs2": lambda a: tirx.Max(a, -a),
}


def lanes_of(node: Any) -> int:
    """Return how many elements a value has: 1 for scalars and pointers."""
    return vector_lanes(getattr(node, "dtype", ""))


def vector_lanes(dtype: Any) -> int:
    """Return how many elements a dtype has: 1 for those of scalars."""
    _, _, count = str(dtype).rpartition("x")
    return int(count) if count.isdigit() and "custom" not in str(dtype) else 1


def flattened(buffer: Any) -> Any:
    """Return a buffer of the elements of a buffer's vectors."""
    *outer, last = list(buffer.shape)
    shape = [*outer, last * vector_lanes(buffer.dtype)]
    dtype, scope = scalar_dtype(buffer.dtype), buffer.scope()
    return tirx.decl_buffer(shape, dtype, buffer.name, scope=scope)


def scalar_dtype(dtype: Any) -> str:
    """Return the dtype of an element of a vector dtype."""
    head, _, count = str(dtype).rpartition("x")
    return head if count.isdigit() and head else str(dtype)


def is_register(node: Any) -> bool:
    """Whether a vector value is a register of the Ascend dialect, which stays whole."""
    return isinstance(node, tirx.Call) and call_name(node).startswith("tl.simd.")


def vector_length(store: Any) -> int:
    """Return how many elements a store writes."""
    return max(lanes_of(store.value), *(lanes_of(index) for index in store.indices))


def elements(t: Translator, node: Any, count: int) -> list[Value]:
    """Return the elements of a vector value (a scalar stands for all of them)."""
    if isinstance(node, tirx.Var) and node in t.vectors:
        return t.vectors[node]
    return [t.expression(element(t, node, at)) for at in range(count)]


def element(t: Translator, node: Any, at: int) -> Any:
    """Return the scalar expression of one element of a vector expression."""
    if lanes_of(node) == 1:
        return node
    if isinstance(node, _BINARY):
        return type(node)(element(t, node.a, at), element(t, node.b, at))
    handler = _ELEMENTS.get(type(node))
    if handler is None:
        raise t.unsupported(f"vector expression {type(node).__name__}")
    return handler(t, node, at)


def _of_load(t: Translator, node: Any, at: int) -> Any:
    if node.buffer in t.flat:
        return tirx.BufferLoad(t.flat[node.buffer], element_indices(t, node, at))
    if all(lanes_of(index) == 1 for index in node.indices):
        raise t.unsupported(f"vector access of {node.buffer.name}")
    return tirx.BufferLoad(node.buffer, element_indices(t, node, at))


def element_indices(t: Translator, access: Any, at: int) -> list[Any]:
    """Return the indices of one element of a vector access.

    tilelang lets a vector index that may be negative count from the end, element by element.
    """
    if access.buffer in t.flat:
        *outer, last = list(access.indices)
        return [*outer, last * vector_lanes(access.buffer.dtype) + at]
    return [
        _from_the_end(t, element(t, index, at), size) if lanes_of(index) > 1 else index
        for index, size in zip(access.indices, access.buffer.shape, strict=True)
    ]


def _from_the_end(t: Translator, index: Any, size: Any) -> Any:
    bounds = t.bounds(index)
    if bounds is not None and bounds[0] >= 0:
        return index
    return tirx.Select(index < 0, index + size, index)


def _of_variable(t: Translator, node: Any, at: int) -> Any:
    if node not in t.vectors:
        raise t.unsupported(f"vector variable {node.name} without a value")
    return named(t, t.vectors[node][at])


def named(t: Translator, value: Value) -> Any:
    """Return a variable that stands for a translated value."""
    variable = tirx.Var("element", value.dtype)
    t.values[variable] = value
    return variable


def _of_call(t: Translator, node: Any, at: int) -> Any:
    name, args = call_name(node), list(node.args)
    if name in _PACKED:
        return _PACKED[name](*(element(t, arg, at) for arg in args))
    if name == "tirx.reinterpret" and lanes_of(args[0]) != lanes_of(node):
        return _bits(t, node, at)
    if name in WIDE_UPDATES:
        return _once(t, node)[at]
    if name in WIDE_LOADS:
        return WIDE_LOADS[name](t, node, at)
    if not name.startswith("tirx."):
        raise t.unsupported(f"operation {name} on vectors")
    return tirx.Call(scalar_dtype(node.dtype), node.op, [element(t, arg, at) for arg in args])


def joined_bits(t: Translator, node: Any) -> Value:
    """Return the bits of a vector as one value."""
    return t.values[_bits(t, node, 0)]


def _bits(t: Translator, node: Any, at: int) -> Any:
    """One element of the bits of values of another size."""
    source, count = node.args[0], lanes_of(node.args[0])
    whole = [each.code for each in elements(t, source, count)]
    dtype = scalar_dtype(node.dtype)
    pieces = f"bits_of(({', '.join(whole)},), {t.dtype(scalar_dtype(source.dtype))}"
    code = f"{pieces}, {t.dtype(dtype)}, {at})"
    return named(t, Value(code, dtype, t.rank))


def _once(t: Translator, node: Any) -> list[Any]:
    """The elements of what a call gives that does something, so that it is made once."""
    if hash(node) not in t.vector_calls:
        values = WIDE_UPDATES[call_name(node)](t, node)
        t.vector_calls[hash(node)] = [named(t, each) for each in values]
    return t.vector_calls[hash(node)]


# Updates of several elements that give what stood there; `atomics` fills this.
WIDE_UPDATES: dict[str, Callable[[Translator, Any], list[Value]]] = {}
# Loads whose elements are words of memory of any type; `words` fills this.
WIDE_LOADS: dict[str, Callable[[Translator, Any, int], Any]] = {}


def _of_shuffle(t: Translator, node: Any, at: int) -> Any:
    """An element of several vectors set one behind the other, chosen by constant positions."""
    position = int(node.indices[at])
    for vector in node.vectors:
        if position < lanes_of(vector):
            return element(t, vector, position)
        position -= lanes_of(vector)
    raise t.unsupported(f"element {position} beyond the end of a shuffle's vectors")


_ELEMENTS: dict[type, Callable[[Translator, Any, int], Any]] = {
    tirx.Ramp: lambda t, node, at: node.base + node.stride * at,
    tirx.Broadcast: lambda t, node, at: node.value,
    tirx.BufferLoad: _of_load,
    tirx.Var: _of_variable,
    tirx.Call: _of_call,
    tirx.Shuffle: _of_shuffle,
    tirx.Cast: lambda t, node, at: tirx.Cast(scalar_dtype(node.dtype), element(t, node.value, at)),
    tirx.Not: lambda t, node, at: tirx.Not(element(t, node.a, at)),
    tirx.Select: lambda t, node, at: tirx.Select(
        element(t, node.condition, at),
        element(t, node.true_value, at),
        element(t, node.false_value, at),
    ),
}


@expression(tirx.Shuffle)
def _shuffle(t: Translator, node: Any) -> Value:
    return t.expression(_of_shuffle(t, node, 0))
