"""Emits the checks that the iterations of a T.Parallel do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.engine.simulator.access import index_codes, is_distinct
from workbench.engine.simulator.instrumentation import ElementStore, Observer, Update
from workbench.engine.simulator.tir import arith, ir, tirx, visit
from workbench.engine.simulator.translator import Axis, Place, Translator

_PRIVATE_SCOPES = ("local", "local.var")


@dataclass
class _Loop:
    """The outermost T.Parallel: its axes, and the recorder of each buffer that may be dependent."""

    axes: tuple[Axis, ...]
    recorders: dict[Any, str]  # by data variable: the program's name


class IterationObserver(Observer):
    """Looks for elements that several iterations write, or one writes and another reads."""

    def __init__(self) -> None:
        self._loop: _Loop | None = None

    def enters_parallel(self, t: Translator, body: Any) -> None:
        self._loop = _Loop(t.axes, {})
        for data in _dependent(body):
            name = t.emitter.assign(f"new_dependence({t.shape_code()})", "dependence")
            self._loop.recorders[data] = name

    def leaves_parallel(self, t: Translator, privates: Sequence[Place]) -> None:
        for recorder in self._loop.recorders.values() if self._loop else ():
            t.emitter.line(f"settle_dependence(rt, {recorder})")
        self._loop = None

    def loads(self, t: Translator, place: Place, indices: Any) -> None:
        self._record(t, "note_read", place, indices)

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        self._record(t, "note_written", store.place, store.indices)
        if self._loop is None or self._is_own(t, store):
            return store
        value = replace(store.value, code=t.emitter.assign(store.value.code, "value"), ufunc=None)
        index, site = index_codes(t, store.place, store.indices), t.site(store.place)
        t.emitter.line(
            f"note_collisions(rt, {store.place.name}.shape, {index}, {value.code},"
            f" {t.mask_code()}, {site}, {t.shape_code()})"
        )
        return replace(store, value=value)

    def updates(self, t: Translator, update: Update) -> None:
        """`s[i // 2] += x` may have one thread for each element; `s[0] += x` of all has many."""
        if update.atomic or self._loop is None:
            return
        if not _depends_on_data(update.indices) and not _is_shared_by_all(t, update):
            return
        index, site = index_codes(t, update.place, update.indices), t.site(update.place)
        t.emitter.line(
            f"note_collisions(rt, {update.place.name}.shape, {index}, None,"
            f" {t.mask_code()}, {site}, {t.shape_code()})"
        )

    def _record(self, t: Translator, helper: str, place: Place, indices: Any) -> None:
        recorder = self._loop.recorders.get(place.data) if self._loop else None
        if recorder is None or place.leading:
            return
        index, site = index_codes(t, place, indices), t.site(place)
        t.emitter.line(
            f"{helper}({recorder}, {place.name}.shape, {index}, {t.mask_code()}, {site})"
        )

    def _is_own(self, t: Translator, store: ElementStore) -> bool:
        """Whether each iteration certainly has an element of its own."""
        if is_distinct(t, store.view) or set(store.place.leading) == set(t.axes):
            return True
        return _is_injective(t, store.indices)


def _is_injective(t: Translator, indices: Any) -> bool:
    """Whether the analyzer can tell that no two iterations have one index."""
    if any(not isinstance(axis.extent, int) for axis in t.axes) or _depends_on_data(indices):
        return False
    ranges = {axis.variable: ir.Range.from_min_extent(0, axis.extent) for axis in t.axes}
    varying = [each for each in indices if any(n in ranges for n in visit(each))]
    found = arith.detect_iter_map(
        [arith.Analyzer().simplify(each) for each in varying],
        ranges,
        check_level=arith.iter_affine_map.IterMapLevel.Bijective,
    )
    used = {n for each in varying for n in visit(each) if n in ranges}
    return len(found.indices) > 0 and len(used) == len([a for a in t.axes if a.extent != 1])


def _is_shared_by_all(t: Translator, update: Update) -> bool:
    """Whether the iterations along one axis update one element of memory that threads share.

    With a fragment in the statement its layout may give them all to one thread.
    """
    loads = [n.buffer.data for n in visit(update.node) if isinstance(n, tirx.BufferLoad)]
    if not all(_is_common(data) for data in (update.place.data, *loads)):
        return False
    used = {node for index in update.indices for node in visit(index)}
    missed = [axis for axis in t.axes if axis.extent != 1 and axis.variable not in used]
    return bool(missed) and not update.place.leading


def _is_common(data: Any) -> bool:
    """Whether memory, by its data variable, is one for all threads of a block."""
    scope = str(data.type_annotation.storage_scope)
    return scope in {"", "global"} or scope.startswith("shared")


def _depends_on_data(indices: Any) -> bool:
    return any(isinstance(n, tirx.BufferLoad) for index in indices for n in visit(index))


def _dependent(body: Any) -> list[Any]:
    """Return the memory that a loop stores at one index and reads at another."""
    nodes = visit(body)
    stored: dict[Any, list[Any]] = {}
    for node in nodes:
        if isinstance(node, tirx.BufferStore) and node.buffer.scope() not in _PRIVATE_SCOPES:
            stored.setdefault(node.buffer.data, []).append(node)
    return [
        data
        for data, stores in stored.items()
        if any(
            isinstance(node, tirx.BufferLoad)
            and node.buffer.data.same_as(data)
            and not all(_same_index(node, each) for each in stores)
            for node in nodes
        )
    ]


def _same_index(load: Any, store: Any) -> bool:
    return bool(load.buffer.same_as(store.buffer)) and all(
        tirx.analysis.expr_deep_equal(a, b)
        for a, b in zip(load.indices, store.indices, strict=True)
    )
