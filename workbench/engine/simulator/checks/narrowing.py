"""Emits the checks of narrow types: sums that lose digits, and values beyond a type's range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.access import aligned_view
from workbench.engine.simulator.checks.guarded import has_effects, visit_guarded
from workbench.engine.simulator.checks.widening import look_at_widened
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import ElementStore, Observer, TileAccess
from workbench.engine.simulator.regions import Tile
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Place, Site, Translator

_NARROW_FLOATS = ("float16", "bfloat16")
_SUMS = ("sum", "abssum")
_COPIES = ("tl.tileop.copy", "tl.tileop.async_copy", "tl.tileop.tma_copy")
_BITWISE = ("shift", "bitwise", "reinterpret")  # in the names of operations on bits


class NarrowingObserver(Observer):
    """Looks at sums in 16 bits, and at conversions to integers and to 8-bit floats."""

    def __init__(self) -> None:
        self._followed: tuple[int, str, str, str] | None = None

    def ends(self, t: Translator) -> None:
        t.emitter.line("note_narrow_sums(rt)")

    def accumulation(self, t: Translator, target: Tile) -> str | None:
        return f"sum_narrowly(rt, {_sum_site(t, target.place)}, {target.code}"

    def conversion(self, t: Translator, value: Value, dtype: str) -> str | None:
        """Conversions of floats; those of integers wrap on purpose where bits are meant."""
        if not dtypes.is_float(value.dtype) or not _may_saturate(dtype):
            return None
        site = t.numbered(Site(t.line, "the conversion", False))
        what = f"a value of {value.dtype}"
        mask = None if t.checks.on_tiles else t.mask_code()
        rest = f"{t.dtype(dtype)}, {mask}, {what!r}"
        return f"saturate_noting(rt, {site}, {value.code}, {rest})"

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        self._look_at_casts(t, store)
        look_at_widened(t, store)
        self._followed = self._sum_of(t, store)
        return store

    def stored(self, t: Translator, store: ElementStore) -> None:
        if self._followed is not None:
            site, target, before, term = self._followed
            t.emitter.line(f"follow_sum(rt, {site}, {target}, {before}, {term})")

    def operated(self, t: Translator, node: Any, accesses: Sequence[TileAccess]) -> None:
        name = call_name(node)
        read = [each.tile for each in accesses if each.reads]
        written = [each.tile for each in accesses if each.writes]
        if len(written) != 1 or not read or written[0].checks or read[0].checks:
            return
        if name == "tl.tileop.reduce" and str(node.args[2].value) in _SUMS:
            self._look_at_reduction(t, node, read[0], written[0])
        elif name in _COPIES and _narrows_integers(read[0].place.dtype, written[0].place.dtype):
            site, dtype = t.site(written[0].place), t.dtype(written[0].place.dtype)
            what = f"a value of {read[0].place.label}"
            t.emitter.line(f"note_wrapped(rt, {site}, {read[0].code}, {dtype}, None, {what!r})")

    def _look_at_reduction(self, t: Translator, node: Any, source: Tile, target: Tile) -> None:
        if not dtypes.is_integer(target.place.dtype) or dtypes.bit_width(target.place.dtype) > 32:
            return
        axis, is_absolute = static_int(node.args[3]), str(node.args[2].value) == "abssum"
        t.emitter.line(
            f"note_wrapped_sum(rt, {t.site(target.place)}, {source.code}, {axis}, {target.code},"
            f" {is_absolute})"
        )

    def _look_at_casts(self, t: Translator, store: ElementStore) -> None:
        if not any(_wraps(node) for node in visit(store.node)) or has_effects(store.node):
            return
        site = t.site(store.place)

        def look(t: Translator, node: Any) -> None:
            if _wraps(node):
                value, dtype = t.expression(node.value).code, t.dtype(str(node.dtype))
                what = repr(f"a value of {node.value.dtype}")
                t.emitter.line(
                    f"note_wrapped(rt, {site}, {value}, {dtype}, {t.mask_code()}, {what})"
                )

        visit_guarded(t, store.node, look)

    def _sum_of(self, t: Translator, store: ElementStore) -> tuple[int, str, str, str] | None:
        """Begin to follow `s[i] = s[i] + x` in a loop; return what is needed once it is stored."""
        place = store.place
        if place.is_global or place.dtype not in _NARROW_FLOATS or not t.loop_names:
            return None
        term, view = _term(store), store.view
        if term is None or view is None or view.checks or t.mask is not None or has_effects(term):
            return None
        target = aligned_view(t, view)
        if target is None:
            return None
        before = t.emitter.assign(f"part_of_sum({target}, {target})", "before")
        code = t.expression(term).code
        added = t.emitter.assign(f"part_of_sum({code}, {target})", "term")
        return _sum_site(t, place), target, before, added


def _sum_site(t: Translator, place: Place) -> int:
    """Return the site of an accumulator: where it is allocated, which is where to mend it."""
    line = t.allocation_lines.get(place.name) or t.line
    return t.numbered(Site(line, place.label, place.is_global, place.dtype))


def _may_saturate(dtype: str) -> bool:
    if dtypes.is_integer(dtype):
        return dtype not in dtypes.PACKED and dtypes.bit_width(dtype) <= 32
    return dtypes.bit_width(dtype) == 8 and dtypes.is_float(dtype) and "e8m0" not in dtype


def _narrows_integers(source: str, target: str) -> bool:
    if not (dtypes.is_integer(source) and dtypes.is_integer(target)) or target in dtypes.PACKED:
        return False
    return dtypes.bit_width(target) < dtypes.bit_width(source)


def _wraps(node: Any) -> bool:
    """Whether a node converts integers to a narrower type, and not bits that were put together."""
    if not isinstance(node, tirx.Cast) or not _narrows_integers(
        str(node.value.dtype), str(node.dtype)
    ):
        return False
    calls = [call_name(each) for each in visit(node.value) if isinstance(each, tirx.Call)]
    return not any(mark in name for name in calls for mark in _BITWISE)


def _term(store: ElementStore) -> Any:
    """Return x of `s[i] = s[i] + x`, None for other stores."""
    if not isinstance(store.node, tirx.Add):
        return None
    for own, other in ((store.node.a, store.node.b), (store.node.b, store.node.a)):
        if isinstance(own, tirx.BufferLoad) and own.buffer.data.same_as(store.place.data):
            pairs = zip(own.indices, store.indices, strict=True)
            if all(tirx.analysis.expr_deep_equal(left, right) for left, right in pairs):
                return other
    return None
