"""Atomic operations on elements and on tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.access import (
    aligned_view,
    index_codes,
    is_distinct,
    sliced,
)
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import Update
from workbench.engine.simulator.memory import load, note_write, pointee, shifted, spread, store
from workbench.engine.simulator.regions import emit_store, loaded, region_of, squeezed_tile
from workbench.engine.simulator.registry import call, operation
from workbench.engine.simulator.tile_arguments import is_region
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import WIDE_UPDATES

_COMBINE: dict[str, np.ufunc] = {
    "add": np.add,
    "max": np.fmax,
    "min": np.fmin,
    "or": np.bitwise_or,
}
_ELEMENT = {f"tl.atomic_{kind}_elem_op": kind for kind in _COMBINE}
_RETURNING = {f"tl.atomic_{kind}_ret_elem_op": kind for kind in _COMBINE}
_WIDTHS = {"tl.atomic_addx2_elem_op": 2, "tl.atomic_addx4_elem_op": 4}
_TILE = {"tl.tileop.atomicadd": "add", "tl.tileop.atomicmax": "max", "tl.tileop.atomicmin": "min"}


def _combiner(t: Translator, kind: str) -> str:
    return t.emitter.constant(_COMBINE[kind], ("combine", kind))


@operation(*_ELEMENT)
def _element(t: Translator, node: Any) -> None:
    kind, element = _ELEMENT[call_name(node)], pointee(t, node.args[0])
    _emit(t, kind, element, t.expression(node.args[1]), node.args[1])


def _emit(t: Translator, kind: str, element: Any, value: Value, operand: Any) -> None:
    place = t.place(element.buffer)
    t.touches.reads.add(place.data)
    note_write(t, place, element.indices)
    t.checks.updates(t, Update(place, element.indices, operand, atomic=True))
    value = t.cast(value, place.dtype)
    view = sliced(t, place, element.indices)
    target = aligned_view(t, view) if view is not None and is_distinct(t, view) else None
    if view is not None and target is not None and not view.checks and t.mask is None:
        name = t.emitter.assign(target, "elements")
        t.emitter.line(f"{_combiner(t, kind)}({name}, {value.code}, out={name})")
        return
    index = index_codes(t, place, element.indices)
    t.emitter.line(
        f"accumulate(rt, {_combiner(t, kind)}, {place.name}, {index},"
        f" {spread(t, value, place)}, {t.mask_code()}, {t.site(place)})"
    )


@operation(*_WIDTHS)
def _wide(t: Translator, node: Any) -> None:
    """A vector atomic is as many single ones at consecutive addresses."""
    target, source = pointee(t, node.args[0]), pointee(t, node.args[1])
    for offset in range(_WIDTHS[call_name(node)]):
        operand = shifted(source, offset)
        _emit(t, "add", shifted(target, offset), load(t, operand), operand)


@call(*_RETURNING)
def _returning(t: Translator, node: Any) -> Value:
    return _exchanged(t, _RETURNING[call_name(node)], pointee(t, node.args[0]), node.args[1])


def _exchanged(t: Translator, kind: str, element: Any, operand: Any) -> Value:
    place = t.place(element.buffer)
    t.touches.reads.add(place.data)
    note_write(t, place, element.indices)
    t.checks.updates(t, Update(place, element.indices, operand, atomic=True))
    value = t.cast(t.expression(operand), place.dtype)
    code = (
        f"exchange(rt, {_combiner(t, kind)}, {place.name},"
        f" {index_codes(t, place, element.indices)}, {spread(t, value, place)},"
        f" {t.mask_code()}, {t.site(place)})"
    )
    # Bound at once: an expression's text may be used twice, an atomic happens once.
    return Value(t.emitter.assign(code, "before"), place.dtype, t.rank)


@operation(*_RETURNING)
def _returning_unused(t: Translator, node: Any) -> None:
    _returning(t, node)


_RETURNING_WIDTHS = {"tl.atomic_addx2_ret_elem_op": 2, "tl.atomic_addx4_ret_elem_op": 4}


def _returning_wide(t: Translator, node: Any) -> list[Value]:
    """What stood in each of several elements before something was added to it."""
    target, source = (pointee(t, pointer) for pointer in node.args[:2])
    values = []
    for offset in range(_RETURNING_WIDTHS[call_name(node)]):
        element, operand = shifted(target, offset), shifted(source, offset)
        values.append(_exchanged(t, "add", element, operand))
    return values


@operation(*_RETURNING_WIDTHS)
def _returning_wide_unused(t: Translator, node: Any) -> None:
    _returning_wide(t, node)


WIDE_UPDATES.update(dict.fromkeys(_RETURNING_WIDTHS, _returning_wide))


@call("tl.atomic_load_elem_op")
def _load(t: Translator, node: Any) -> Value:
    return load(t, pointee(t, node.args[0]))


@operation("tl.atomic_store_elem_op")
def _store(t: Translator, node: Any) -> None:
    element = pointee(t, node.args[0])
    place = t.place(element.buffer)
    note_write(t, place, element.indices)
    t.checks.updates(t, Update(place, element.indices, node.args[1], atomic=True))
    value = t.cast(t.expression(node.args[1]), place.dtype)
    store(t, place, element.indices, value, sliced(t, place, element.indices))


@operation(*_TILE)
def _tile_atomic(t: Translator, node: Any) -> None:
    """The arguments are the value (a region or a scalar) and the destination."""
    target = squeezed_tile(t, region_of(t, node.args[1]), reads=True, writes=True)
    if is_region(node.args[0]):
        source = squeezed_tile(t, region_of(t, node.args[0]), reads=True)
        value = Value(loaded(t, source), source.place.dtype, 1)
    else:
        value = t.expression(node.args[0])
    operand = t.cast(value, target.place.dtype).code
    kind = _combiner(t, _TILE[call_name(node)])
    emit_store(t, target, f"{kind}({loaded(t, target)}, {operand})")
