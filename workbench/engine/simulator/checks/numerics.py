"""Emits the checks of arithmetic: the first operation that makes NaN or infinity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.access import aligned_view
from workbench.engine.simulator.checks.guarded import has_effects
from workbench.engine.simulator.instrumentation import ElementStore, Observer, TileAccess
from workbench.engine.simulator.regions import Tile
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Site, Translator

_LEAVES = (tirx.BufferLoad, tirx.Var, tirx.SizeVar, tirx.IntImm, tirx.FloatImm)
# A copy or a choice makes nothing: whatever is wrong in its result was wrong before.
_HARMLESS = (*_LEAVES, tirx.Max, tirx.Min, tirx.Select)
_OPERATIONS = {
    tirx.Add: "a sum",
    tirx.Sub: "a difference",
    tirx.Mul: "a product",
    tirx.Div: "a quotient",
}
_ROOTS = ("tirx.rsqrt", "tl.ieee_frsqrt")
_SQUARE_ROOTS = ("tirx.sqrt", "tl.ieee_fsqrt")
_CHOICES = ("tirx.if_then_else",)
_GEMMS = ("tl.tileop.gemm", "tl.tileop.wgmma_gemm", "tl.tileop.tcgen05_gemm")
_COPIES = ("tl.tileop.copy", "tl.tileop.async_copy", "tl.tileop.tma_copy")
_SUMS = {"tl.tileop.reduce": "a reduction", **dict.fromkeys(_GEMMS, "a product of tiles")}


class NumericsObserver(Observer):
    """Looks at each float value that is computed, before it is stored."""

    def ends(self, t: Translator) -> None:
        buffers = [b for b in t.func.buffer_map.values() if b.data in t.touches.writes]
        outputs = "".join(f"{t.places[b].name}, " for b in buffers)
        t.emitter.line(f"grade_numerics(rt, ({outputs}))")

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        if not _is_looked_at(store) or _target(t, store) is not None:
            return store
        # Bound once: what it is computed of may be overwritten by the store.
        code = t.emitter.assign(store.value.code, "value")
        self._look(t, store, code)
        return replace(store, value=replace(store.value, code=code, ufunc=None))

    def stored(self, t: Translator, store: ElementStore) -> None:
        target = _target(t, store)
        if _is_looked_at(store) and target is not None:
            self._look(t, store, target)

    def _look(self, t: Translator, store: ElementStore, code: str) -> None:
        site = t.site(store.place)
        with (
            t.emitter.suite(f"if not all_finite({code}):"),
            t.emitter.suite(f"if wants_blame(rt, {site}):"),
        ):
            self._blame(t, store, site, code)

    def _blame(self, t: Translator, store: ElementStore, site: int, code: str) -> None:
        """Emit the steps of the expression again, to be looked at one by one."""
        with t.emitter.suite("with rt.quiet():"):
            mask = t.mask_code()
            steps = "".join(f"{each}, " for each in _steps(t, store.node))
        t.emitter.line(f"blame(rt, {site}, {code}, {mask}, ({steps}))")

    def operated(self, t: Translator, node: Any, accesses: Sequence[TileAccess]) -> None:
        name = call_name(node)
        written = [each.tile for each in accesses if each.writes]
        read = [each.tile for each in accesses if each.reads and each.tile not in written]
        if len(written) != 1 or not _narrows_or_sums(name, read, written[0]):
            return
        target = written[0]
        if target.checks or any(each.checks for each in read) or t.roles is not None:
            return
        # A tile that is too narrow for what is summed in it is mended where it is allocated.
        narrow = dtypes.bit_width(target.place.dtype) < 32 and name in _SUMS
        line = t.allocation_lines.get(target.place.name) if narrow else None
        site = t.numbered(Site(line or t.line, target.place.label, target.place.is_global))
        what = _SUMS.get(name, f"the conversion to {target.place.dtype}")
        with (
            t.emitter.suite(f"if not all_finite({target.code}):"),
            t.emitter.suite(f"if wants_blame(rt, {site}):"),
        ):
            operands = "".join(f"{each.code}, " for each in read)
            names = tuple(each.place.label for each in read)
            axis = static_int(node.args[3]) if name == "tl.tileop.reduce" else None
            t.emitter.line(
                f"blame_tile(rt, {site}, {what!r}, {target.code}, ({operands}), {names!r},"
                f" {axis}, {name in _COPIES}, {t.line})"
            )


def _is_looked_at(store: ElementStore) -> bool:
    return dtypes.is_float(store.place.dtype) and _may_make(store.node)


def _target(t: Translator, store: ElementStore) -> str | None:
    """Return where the value stands after the store, None where its operands no longer do."""
    own = store.place.data
    in_place = any(
        isinstance(node, tirx.BufferLoad) and node.buffer.data.same_as(own)
        for node in visit(store.node)
    )
    if in_place or t.mask is not None or store.view is None or store.view.checks:
        return None
    return aligned_view(t, store.view)


def _narrows_or_sums(name: str, read: Sequence[Tile], target: Tile) -> bool:
    if not read or not dtypes.is_float(target.place.dtype):
        return False
    if name in _SUMS:
        return True
    source = read[0].place.dtype
    narrow = dtypes.bit_width(target.place.dtype) < dtypes.bit_width(source)
    return name in _COPIES and dtypes.is_float(source) and narrow


def _may_make(node: Any) -> bool:
    """Whether an expression computes anything that can leave the range of its type."""
    return any(
        not isinstance(each, _HARMLESS)
        and not (isinstance(each, tirx.Call) and call_name(each) in _CHOICES)
        and dtypes.is_float(str(getattr(each, "dtype", "")))
        for each in _nodes(node)
    )


def _children(node: Any) -> list[Any]:
    if isinstance(node, _LEAVES):
        return []
    if isinstance(node, tirx.Call):
        return [arg for arg in node.args if not isinstance(arg, tirx.StringImm)]
    if isinstance(node, tirx.Select):
        return [node.condition, node.true_value, node.false_value]
    if isinstance(node, tirx.Cast):
        return [node.value]
    pair = (getattr(node, "a", None), getattr(node, "b", None))
    return [each for each in pair if each is not None]


def _nodes(node: Any) -> Iterator[Any]:
    """Yield the values of an expression, operands first; indices of loads are not among them."""
    for child in _children(node):
        yield from _nodes(child)
    yield node


def _steps(t: Translator, node: Any) -> list[str]:
    """Return code for (text, kind, value, positions of operands) of each step."""
    if has_effects(node):
        return []
    known: list[str] = []
    _add_step(t, node, known)
    return known


def _add_step(t: Translator, node: Any, known: list[str]) -> int:
    operands = [_add_step(t, child, known) for child in _children(node) if _is_float(child)]
    name = t.emitter.assign(t.expression(node).code, "step")
    text = t.text(node)
    text = text if len(text) < 120 else text[:117] + "..."
    known.append(f"({text!r}, {_kind(node)!r}, {name}, {tuple(operands)!r})")
    return len(known) - 1


def _is_float(node: Any) -> bool:
    return dtypes.is_float(str(getattr(node, "dtype", "")))


def _kind(node: Any) -> str:
    """Return what a step is called, "" for what makes nothing."""
    if isinstance(node, _HARMLESS):
        return ""
    if isinstance(node, tirx.Cast):
        return f"the conversion to {node.dtype}"
    if isinstance(node, tirx.Call):
        name = call_name(node)
        if name in _CHOICES or name == "tl.infinity":
            return ""
        return "rsqrt" if name in _ROOTS else name.rpartition(".")[2].lstrip("_")
    if isinstance(node, tirx.Div) and _holds_root(node.b):
        return "a quotient by a root"
    return _OPERATIONS.get(type(node), type(node).__name__)


def _holds_root(node: Any) -> bool:
    return any(isinstance(n, tirx.Call) and call_name(n) in _SQUARE_ROOTS for n in _nodes(node))
