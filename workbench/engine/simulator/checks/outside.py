"""Finds outputs that are computed of elements outside of global memory, which read as zero.

A tile that reaches over an array's end is common and right: what is read there is stored nowhere,
or zeros are what a sum may have more of. An element of an output that one such read decides is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.access import index_codes, proven
from workbench.engine.simulator.checks.guarded import has_effects, visit_guarded
from workbench.engine.simulator.indexing import first_of, outside_of
from workbench.engine.simulator.instrumentation import ElementStore, Observer
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where
from workbench.engine.simulator.tir import tirx, visit
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
PREDICATED = "predicated"  # in the evidence: TileLang guards the access, so that nothing crashes


class OutsideObserver(Observer):
    """Looks at stores to global memory whose value reads global memory by elements."""

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        if not store.place.is_global or not any(_may_miss(t, n) for n in visit(store.node)):
            return store
        if has_effects(store.node):
            return store
        with t.emitter.suite("with rt.quiet():"):
            target = t.emitter.assign(index_codes(t, store.place, store.indices), "index")

        def look(t: Translator, node: Any) -> None:
            if _may_miss(t, node):
                self._look(t, node, f"{store.place.name}, {target}")

        visit_guarded(t, store.node, look)
        return store

    def _look(self, t: Translator, node: Any, target: str) -> None:
        place = t.place(node.buffer)
        with t.emitter.suite("with rt.quiet():"):
            index = t.emitter.assign(index_codes(t, place, node.indices), "index")
        t.emitter.line(
            f"note_used_outside(rt, {place.name}, {index}, {target}, {t.mask_code()},"
            f" {t.site(place)})"
        )


def _may_miss(t: Translator, node: Any) -> bool:
    """Whether a node reads an element of global memory that may be outside, with no value named."""
    place = t.places.get(node.buffer) if isinstance(node, tirx.BufferLoad) else None
    if place is None or not place.is_global or place.data in t.safe_values:
        return False
    return not all(proven(t, i, n) for i, n in zip(node.indices, place.shape, strict=True))


@helper
def note_used_outside(
    rt: Runtime,
    array: Array,
    index: tuple[Any, ...],
    target: Array,
    target_index: tuple[Any, ...],
    mask: Any,
    site: int,
) -> None:
    """Lanes read outside of `array` what they store inside of `target`."""
    lanes = outside_of(index, array.shape)
    if lanes is None:
        return
    dropped = outside_of(target_index, target.shape)
    for keep in (mask, None if dropped is None else ~dropped):
        lanes = lanes if keep is None else lanes & keep
    if not np.any(lanes):
        return
    place = rt.site(site)
    where = first_of(index, lanes)
    to = list(first_of(target_index, lanes).index or ())
    at = list(where.index or ())
    evidence = {PREDICATED: True, "stored_at": to, "shape": list(array.shape)}
    rt.note(
        "out-of-bounds-read",
        "error",
        site,
        lambda: (
            f"{place.buffer} is read at {at}, outside its shape {array.shape}: the read gives 0, "
            f"and what is computed of it is stored at {to}"
        ),
        lambda: Where(where.index, where.iteration, evidence),
        int(np.count_nonzero(lanes)),
    )
