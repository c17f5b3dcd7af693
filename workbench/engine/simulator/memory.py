"""Buffers: allocation, views of one storage, loads and stores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.engine.simulator.access import (
    Sliced,
    aligned_view,
    broadcast_view,
    index_codes,
    is_distinct,
    proven,
    sliced,
)
from workbench.engine.simulator.barriers import BARRIER_SCOPES, allocate_barriers
from workbench.engine.simulator.dtypes import PACKED
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import ElementStore, Update
from workbench.engine.simulator.overhang import laid_out
from workbench.engine.simulator.registry import call, expression, helper, statement
from workbench.engine.simulator.tir import call_name, static_int, tirx
from workbench.engine.simulator.translator import Place, Translator
from workbench.engine.simulator.vectors import (
    element_indices,
    elements,
    flattened,
    named,
    vector_lanes,
    vector_length,
)

_PER_THREAD = ("local", "local.var")
_POINTERS = ("tl.access_ptr", "tirx.address_of")
_TESTS = {"tl.any_of": "np.any", "tl.all_of": "np.all"}
_COMBINE = {tirx.Add: "np.add", tirx.Mul: "np.multiply", tirx.Max: "np.fmax", tirx.Min: "np.fmin"}


@helper
def alias(
    base: np.ndarray[Any, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    """Return a view of the same bytes with another shape or dtype."""
    flat = base.view()
    flat.shape = (-1,)  # raises where this would need a copy
    return flat.view(dtype)[: int(np.prod(shape))].reshape(shape)


@statement(tirx.AllocBuffer)
def _allocation(t: Translator, node: Any) -> None:
    allocate(t, node.buffer, None)


@statement(tirx.DeclBuffer)
def _declaration(t: Translator, node: Any) -> None:
    t.place(node.buffer)


def allocate(t: Translator, buffer: Any, initial: Any) -> None:
    """Emit the memory of one block for a buffer, and the views that share its storage.

    A buffer of vectors is one of their elements, with so many times the last dimension.
    """
    if vector_lanes(buffer.dtype) > 1:
        t.flat[buffer] = flattened(buffer)
        buffer = t.flat[buffer]
    scope = buffer.scope()
    if scope in BARRIER_SCOPES:
        allocate_barriers(t, buffer)
        return
    leading = t.lane_axes if scope in _PER_THREAD else ()
    place = Place(
        t.emitter.fresh(buffer.name),
        buffer.name,
        tuple(buffer.shape),
        str(buffer.dtype),
        False,
        buffer.data,
        leading,
    )
    if buffer.span is not None:
        t.allocation_lines[place.name] = int(buffer.span.line)
    place = laid_out(t, place)
    slot = t.memory_slots[place.name] = next(t.slots)
    rest = f"{slot}, {shape_code(t, place)}, {t.dtype(place.dtype)}"
    t.emitter.line(f"{place.name} = {_source(t, buffer, rest)}")
    if initial is not None:
        t.emitter.line(f"{place.name}[...] = {t.scalar(initial)}")
    register(t, buffer, place)
    t.checks.allocates(t, place, initial is not None)


def _source(t: Translator, buffer: Any, rest: str) -> str:
    """Return the call that gives a buffer's memory: the block's, or where roles differ theirs."""
    if t.roles is None:
        return f"rt.memory({rest})"
    if t.roles.is_private(buffer):
        return f"role.own({rest})"
    groups = t.roles.groups.get(buffer.data, ())
    if len(groups) > 1:
        rest += f", {t.emitter.constant(groups)}"
    return f"role.shared({rest})"


def register(t: Translator, buffer: Any, place: Place) -> None:
    """Make a buffer known, with the other buffers that view its storage."""
    t.places[buffer] = place
    for other in t.aliases.get(buffer.data, []):
        if other not in t.places:
            _register_alias(t, other, place)


def _register_alias(t: Translator, buffer: Any, base: Place) -> None:
    if static_int(buffer.elem_offset) != 0:
        raise t.unsupported(f"buffer {buffer.name} with an offset into its storage")
    if (str(buffer.dtype) in PACKED) != (base.dtype in PACKED):
        raise t.unsupported(f"{buffer.name}, a view of {base.dtype} elements as {buffer.dtype}")
    name = t.emitter.fresh(buffer.name)
    place = Place(
        name,
        buffer.name,
        tuple(buffer.shape),
        str(buffer.dtype),
        base.is_global,
        base.data,
        base.leading,
    )
    t.emitter.line(f"{name} = alias({base.name}, {shape_code(t, place)}, {t.dtype(place.dtype)})")
    t.places[buffer] = place
    t.checks.aliases(t, base, place)


def shape_code(t: Translator, place: Place) -> str:
    """Return the shape of a place's array, private copies in front."""
    sizes = [str(axis.extent) for axis in place.leading]
    sizes += [t.scalar(size) for size in place.shape]
    return "(" + "".join(f"{size}, " for size in sizes) + ")"


@expression(tirx.BufferLoad)
def load(t: Translator, node: Any) -> Value:
    """Translate a read of an element for each lane or iteration."""
    place = t.place(node.buffer)
    t.touches.reads.add(place.data)
    t.checks.loads(t, place, node.indices)
    if any(axis not in t.axes for axis in place.leading):
        return _uniform_load(t, place, node.indices)
    view = sliced(t, place, node.indices)
    if view is not None:
        return _view_load(t, place, view, node.indices)
    return _indexed_load(t, place, node.indices)


def _uniform_load(t: Translator, place: Place, indices: Any) -> Value:
    values = [t.expression(index) for index in indices]
    if any(value.is_vector for value in values):
        raise t.unsupported(f"per-thread buffer {place.label} indexed inside T.Parallel")
    codes = ", ".join([":", *(value.code for value in values)])
    return Value(f"uniform({place.name}[{codes}])", place.dtype)


def _view_load(t: Translator, place: Place, view: Sliced, indices: Any) -> Value:
    code = broadcast_view(t, view)
    if view.checks:
        code = f"({code} if {' and '.join(view.checks)} else {_gather(t, place, indices)})"
    return Value(code, place.dtype, t.rank)


def _indexed_load(t: Translator, place: Place, indices: Any) -> Value:
    is_vector = bool(place.leading) or any(t.expression(index).is_vector for index in indices)
    safe = all(proven(t, i, n) for i, n in zip(indices, place.shape, strict=True))
    index = index_codes(t, place, indices)
    if safe:
        return Value(f"{place.name}[{index}]", place.dtype, t.rank if is_vector else 0)
    if is_vector:
        return Value(_gather(t, place, indices), place.dtype, t.rank)
    fill = t.fill_argument(place)
    return Value(f"read(rt, {place.name}, {index}, {t.site(place)}{fill})", place.dtype)


def _gather(t: Translator, place: Place, indices: Any) -> str:
    index = index_codes(t, place, indices)
    rest = f"{t.mask_code()}, {t.site(place)}{t.fill_argument(place)}"
    return f"gather(rt, {place.name}, {index}, {rest})"


@statement(tirx.BufferStore)
def _store(t: Translator, node: Any) -> None:
    if vector_length(node) > 1:
        _vector_store(t, node)
        return
    place = t.place(node.buffer)
    note_write(t, place, node.indices)
    rest = _combined_operand(node) if t.in_parallel else None
    view = sliced(t, place, node.indices)
    if rest is not None and not is_distinct(t, view):
        _accumulate(t, place, node, rest)
        return
    value = t.expression(node.value)
    checked = t.checks.stores(t, ElementStore(place, node.indices, node.value, value, view))
    store(t, place, node.indices, checked.value, view)
    t.checks.stored(t, checked)


def _vector_store(t: Translator, node: Any) -> None:
    """All elements are computed before the first is stored."""
    count = vector_length(node)
    values = [
        replace(each, code=t.emitter.assign(f"np.copy({each.code})", "element"), ufunc=None)
        for each in elements(t, node.value, count)
    ]
    buffer = t.flat.get(node.buffer, node.buffer)
    for at, value in enumerate(values):
        indices = element_indices(t, node, at)
        t.statement(tirx.BufferStore(buffer, named(t, value), indices))


def note_write(t: Translator, place: Place, indices: Any) -> None:
    """Remember that elements of a buffer are written, and emit what notes which."""
    t.touches.writes.add(place.data)
    t.record(place, "record_elements", lambda: f"{index_codes(t, place, indices)}, {t.mask_code()}")


def _combined_operand(node: Any) -> Any:
    """Return x of `s[i] = s[i] op x`, None for other stores."""
    value = node.value
    if type(value) not in _COMBINE:
        return None
    for own, other in ((value.a, value.b), (value.b, value.a)):
        if isinstance(own, tirx.BufferLoad) and own.buffer.same_as(node.buffer):
            pairs = zip(own.indices, node.indices, strict=True)
            if all(tirx.analysis.expr_deep_equal(left, right) for left, right in pairs):
                return other
    return None


def _accumulate(t: Translator, place: Place, node: Any, rest: Any) -> None:
    value = spread(t, t.expression(rest), place)
    index = index_codes(t, place, node.indices)
    combine = _COMBINE[type(node.value)]
    t.checks.updates(t, Update(place, node.indices, rest, atomic=False))
    t.touches.reads.add(place.data)
    t.emitter.line(
        f"accumulate(rt, {combine}, {place.name}, {index}, {value},"
        f" {t.mask_code()}, {t.site(place)})"
    )


def spread(t: Translator, value: Value, place: Place) -> str:
    """Return a value with an element for each iteration, in the buffer's dtype."""
    if not t.rank:
        return value.code
    code = value.code if value.is_vector else f"{t.dtype(place.dtype)}.type({value.code})"
    return f"np.broadcast_to({code}, {t.shape_code()})"


def store(t: Translator, place: Place, indices: Any, value: Value, view: Sliced | None) -> None:
    """Emit a write of a value for each lane or iteration."""
    target = aligned_view(t, view) if view is not None else None
    if view is None or target is None:
        _indexed_store(t, place, indices, value)
    elif not view.checks:
        _view_store(t, place, target, value)
    else:
        code = t.emitter.assign(value.code, "value")
        mask = t.mask_code()
        with t.emitter.suite(f"if {' and '.join(view.checks)}:"):
            _view_store(t, place, target, Value(code, value.dtype, value.rank))
        with t.emitter.suite("else:"):
            _scatter(t, place, indices, code, mask)


def _view_store(t: Translator, place: Place, target: str, value: Value) -> None:
    mask = t.mask_code()
    if mask is not None:
        t.emitter.line(f"np.copyto({target}, {value.code}, where={mask})")
    elif value.ufunc is not None and value.dtype == place.dtype and value.is_vector:
        t.emitter.line(f"{value.ufunc[0]}({', '.join(value.ufunc[1:])}, out={target})")
    else:
        slot = target if target.endswith("]") else f"{target}[...]"
        t.emitter.line(f"{slot} = {value.code}")


def _indexed_store(t: Translator, place: Place, indices: Any, value: Value) -> None:
    vector_index = bool(place.leading) or any(t.expression(i).is_vector for i in indices)
    safe = all(proven(t, i, n) for i, n in zip(indices, place.shape, strict=True))
    # With one axis a vector index has all lanes; with more it may lack some that the value has.
    exact = t.rank == 1 if vector_index else not value.is_vector
    if t.mask is None and exact and safe:
        t.emitter.line(f"{place.name}[{index_codes(t, place, indices)}] = {value.code}")
    elif t.mask is not None or vector_index or value.is_vector:
        _scatter(t, place, indices, value.code, t.mask_code())
    else:
        index = index_codes(t, place, indices)
        t.emitter.line(f"write(rt, {place.name}, {index}, {value.code}, {t.site(place)})")


def _scatter(t: Translator, place: Place, indices: Any, code: str, mask: str | None) -> None:
    index = index_codes(t, place, indices)
    t.emitter.line(f"scatter(rt, {place.name}, {index}, {code}, {mask}, {t.site(place)})")


def pointee(t: Translator, node: Any) -> Any:
    """Return the element that a pointer argument names."""
    if isinstance(node, tirx.BufferLoad):
        return node
    if isinstance(node, tirx.Call) and call_name(node) in _POINTERS:
        return node.args[0]
    if isinstance(node, tirx.Call) and call_name(node) == "tirx.tvm_access_ptr":
        return _offset_element(t, node)
    raise t.unsupported(f"pointer {node}")


def shifted(element: Any, offset: Any) -> Any:
    """Return the element that stands so many places behind another."""
    indices = list(element.indices)
    return tirx.BufferLoad(element.buffer, [*indices[:-1], indices[-1] + offset])


def _offset_element(t: Translator, node: Any) -> Any:
    """The arguments are a value of the element's type, the storage, an offset, ..."""
    annotation, data, offset = list(node.args)[:3]
    dtype = str(annotation.dtype)
    for buffer, place in t.places.items():
        if place.data.same_as(data) and place.dtype == dtype:
            return tirx.BufferLoad(buffer, _unravelled(t, offset, list(place.shape)))
    raise t.unsupported(f"pointer to {dtype} in {data.name}")


def _unravelled(t: Translator, offset: Any, shape: list[Any]) -> list[Any]:
    """Return the index in each dimension of an element counted in memory's order."""
    indices: list[Any] = []
    for size in reversed(shape[1:]):
        indices.insert(0, t.analyzer.simplify(offset % size))
        offset = offset // size
    return [t.analyzer.simplify(offset), *indices]


@call("tl.any_of", "tl.all_of")
def _test_of_several(t: Translator, node: Any) -> Value:
    """The arguments are a pointer and a count of consecutive elements."""
    element = pointee(t, node.args[0])
    place = t.place(element.buffer)
    t.touches.reads.add(place.data)
    start = "(" + "".join(f"{t.scalar(index)}, " for index in element.indices) + ")"
    elements = f"consecutive({place.name}, {start}, {t.scalar(node.args[1])})"
    return Value(f"bool({_TESTS[call_name(node)]}({elements}))", "bool")


@helper
def consecutive(
    array: np.ndarray[Any, Any], start: tuple[int, ...], count: int
) -> np.ndarray[Any, Any]:
    """Return elements that follow each other in memory."""
    first = int(np.ravel_multi_index(start, array.shape))
    return array.reshape(-1)[first : first + count]
