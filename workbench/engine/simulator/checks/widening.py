"""Finds values that are computed in 16 bits and then widened: their digits are lost by then."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from workbench.engine.simulator.checks.guarded import has_effects, visit_guarded
from workbench.engine.simulator.instrumentation import ElementStore
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where
from workbench.engine.simulator.tir import tirx, visit
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
_CODE = "low-precision-arithmetic"
_NARROW, _WIDE = ("float16", "bfloat16"), ("float32", "float64")
_OPERATIONS = (tirx.Add, tirx.Sub, tirx.Mul, tirx.Div)
_STATE = "widened values"
_MOST_LOOKS = 8  # at one statement
_LEAST_ROUNDINGS = 0.25
"""Whole numbers and powers of two lose nothing; most other values lose about one rounding."""


def look_at_widened(t: Translator, store: ElementStore) -> None:
    """Emit a comparison with the same arithmetic in float32, where a store widens a result."""
    if not any(_is_late(node) for node in visit(store.node)) or has_effects(store.node):
        return
    site = t.site(store.place)

    def look(t: Translator, node: Any) -> None:
        if _is_late(node):
            mask, text = t.mask_code(), str(node.value)
            narrow, wide = t.expression(node.value).code, t.expression(_widened(node.value)).code
            t.emitter.line(f"note_widened(rt, {site}, {narrow}, {wide}, {mask}, {text!r})")

    with t.emitter.suite(f"if wants_widened(rt, {site}):"), t.emitter.suite("with rt.quiet():"):
        visit_guarded(t, store.node, look)
    t.emitter.line(f"tell_widened(rt, {site})")


def _is_late(node: Any) -> bool:
    """Whether a node widens the result of arithmetic in a narrow type."""
    return (
        isinstance(node, tirx.Cast)
        and str(node.dtype) in _WIDE
        and str(node.value.dtype) in _NARROW
        and isinstance(node.value, _OPERATIONS)
    )


def _widened(node: Any) -> Any:
    """Return the arithmetic in float32; what else there is keeps its type until it is used."""
    if isinstance(node, _OPERATIONS):
        return type(node)(_widened(node.a), _widened(node.b))
    if isinstance(node, tirx.FloatImm):
        return tirx.FloatImm("float32", float(node.value))
    return tirx.Cast("float32", node)


@helper
def wants_widened(rt: Runtime, site: int) -> bool:
    """Whether a statement has not been looked at often enough."""
    looks: dict[int, int] = rt.state.setdefault(_STATE, {})
    looks[site] = looks.get(site, 0) + 1
    return looks[site] <= _MOST_LOOKS


@helper
def note_widened(rt: Runtime, site: int, narrow: Any, wide: Any, mask: Any, text: str) -> None:
    """Remember how far the values are from those of float32, where it is more than nothing."""
    values, exact = np.asarray(narrow), np.asarray(wide, np.float32)
    unit = float(ml_dtypes.finfo(values.dtype).eps) / 2 / np.sqrt(3)  # type: ignore[no-untyped-call]
    dtype = values.dtype.name
    usable = np.isfinite(exact) & (True if mask is None else mask)
    error = np.where(usable, values.astype(np.float32) - exact, 0).astype(np.float64)
    scale = np.sqrt(np.mean(np.square(np.where(usable, exact, 0), dtype=np.float64)))
    if not np.isfinite(error).all() or not scale > 0:
        return
    loss = float(np.sqrt(np.mean(np.square(error))) / scale)
    if loss > _LEAST_ROUNDINGS * unit:
        at = tuple(map(int, np.unravel_index(int(np.argmax(np.abs(error))), error.shape)))
        pair = (float(np.broadcast_to(values, error.shape)[at]), float(exact[at]))
        rt.state.setdefault(f"{_STATE} of {site}", (loss, at, pair, text, dtype))


@helper
def tell_widened(rt: Runtime, site: int) -> None:
    """Note what was remembered, once the store's own accesses count again."""
    found = rt.state.pop(f"{_STATE} of {site}", None)
    if found is None:
        return
    loss, at, (held, exact), text, dtype = found
    evidence = {"relative_rms": loss, "held": held, "exact": exact, "dtype": dtype}
    rt.note(
        _CODE,
        "warning",
        site,
        lambda: (
            f"{text} is computed in {dtype} and widened afterwards: its error is {loss:.2g} of the "
            "values (root mean square); widen what it is computed of"
        ),
        lambda: Where(at, at, evidence),
    )
